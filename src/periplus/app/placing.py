"""By which rules tools are placed: what the settings say, and the areas of work where they want them."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

from periplus.core.intake.placing import Placing
from periplus.core.taxonomy import Taxonomy, read_taxonomy
from periplus.settings import Settings, read_toml

_GENERAL = "general.toml"


def placing(settings: Settings) -> Placing:
    """Divided areas always; areas of work only where somebody looks at them."""
    wants = settings.expansion.root == "capability"
    return Placing(most=settings.catalog.max_fanout, taxonomy=_taxonomy(settings.catalog.taxonomy) if wants else None)


def _taxonomy(file: str) -> Taxonomy:
    if file:
        return read_taxonomy(read_toml(Path(file).expanduser()), file)
    text = files("periplus.core.taxonomy").joinpath(_GENERAL).read_text("utf-8")
    return read_taxonomy(tomllib.loads(text), _GENERAL)
