"""T-10: schemathesis over everything that `/openapi.json` describes, with requests that fit it and requests that do not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from listening import listening
from periplus.app.serving import open_application
from periplus.settings import Settings

# Not held: that what fits a schema is accepted (no schema says which token is alive), and that what does not fit is
# refused (faces may forgive members they do not know).
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
WORDS = ("-c", CHECKS, "--max-examples", "2", "--phases", "coverage,fuzzing", "--seed", "1", "--no-color")


@pytest.mark.slow
def test_answers_are_what_the_description_says(tmp_path: Path) -> None:
    """T-10, T-12."""
    tool = Path(sys.executable).with_name("st")
    with listening(lambda: open_application(Settings(data=str(tmp_path)))) as base:
        done = subprocess.run(
            [tool, "run", f"{base}/openapi.json", *WORDS],
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
            cwd=tmp_path,
        )
    assert done.returncode == 0, done.stdout[-6000:]
    assert "✅ Fuzzing" in done.stdout
