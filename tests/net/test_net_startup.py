from __future__ import annotations

import subprocess
import sys


def test_importing_the_room_does_not_import_the_http_library():
    """Commands that fetch nothing start without it; it takes a third of a second on a cold machine."""
    code = "import sys, periplus.net; print([name for name in ('httpx2', 'httpcore2', 'h2', 'ssl') if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"
