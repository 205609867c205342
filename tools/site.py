"""What the site has beside `docs/`: the pages that stand in the root, for a hook of mkdocs (`make site`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_OUT = re.compile(r"\]\((?:\.\./)*(" + "|".join(map(re.escape, BESIDE)) + r")(#[^)]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages of the root, with their links as seen from `docs/`."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - only the site's environment has it

    for source, page in BESIDE.items():
        text = (ROOT / source).read_text("utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_others: Any) -> str:
    """Links out of `docs/` lead to the page that stands for the file."""
    up = "../" * page.file.src_uri.count("/")
    return _OUT.sub(lambda link: f"]({up}{BESIDE[link[1]]}{link[2] or ''})", markdown)
