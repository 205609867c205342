"""Importing the module a source names, once per process, with every failure told by module, line and package."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
import threading
import traceback
import types
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from periplus.model import Code, Problem, short_hash
from periplus.provider.foreign import Fault, attempt

_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_PLACE = re.compile(r"(?P<module>.+?)(?::(?P<name>[^:/\\]*))?", re.DOTALL)
_LOCK = threading.RLock()  # sys.path is changed while a module is imported
_loaded: dict[str, str] = {}  # module name -> hash of its file when this process loaded it


class Place(msgspec.Struct, frozen=True):
    """Where tools are: a module or a file, a name in it, the directory it is imported from."""

    module: str
    name: str = ""
    directory: str = ""

    @property
    def is_file(self) -> bool:
        return self.module.endswith(".py")


class Loaded(msgspec.Struct, frozen=True):
    """An imported module and the file it came from, as it was then."""

    module: types.ModuleType
    file: str = ""
    sha256: str = ""
    size: int = 0
    edited: bool = False  # the file says something else by now


def place_of(text: str, directory: str = "") -> Place:
    """Read `package.module`, `package.module:name`, `file.py` or `file.py:name`."""
    found = _PLACE.fullmatch(text.strip())
    place = Place(found["module"], found["name"] or "", directory) if found else Place("")
    named = place.is_file or _MODULE.fullmatch(place.module)
    if named and (not place.name or _MODULE.fullmatch(place.name)):
        return place
    raise Problem(
        Code.BAD_INPUT,
        f"not a place of Python tools: {text[:120]!r}",
        hints=("write package.module, package.module:name, file.py or file.py:name",),
    )


def load(place: Place) -> Loaded:
    """Import the module. One that is loaded stays as it is: what is described is what would be called."""
    with _LOCK, _importable(_directory(place)):
        module = _from_file(place) if place.is_file else _by_name(place)
    file = getattr(module, "__file__", None)
    text = attempt(lambda: Path(str(file)).read_bytes())
    if not isinstance(file, str) or isinstance(text, Fault):
        return Loaded(module)
    now = hashlib.sha256(text).hexdigest()
    then = _loaded.setdefault(module.__name__, now)
    return Loaded(module, file, then, len(text), edited=now != then)


def _directory(place: Place) -> str:
    if place.is_file:
        return str(_path(place).parent)
    return str(Path(place.directory).expanduser().absolute()) if place.directory else ""


def _path(place: Place) -> Path:
    return (Path(place.directory).expanduser() / Path(place.module).expanduser()).absolute()


@contextmanager
def _importable(directory: str) -> Generator[None]:
    """Let the directory come first while a module is imported, and last ever after, for what it imports late."""
    if not directory or directory in sys.path:
        yield
        return
    sys.path.insert(0, directory)
    try:
        yield
    finally:
        sys.path.remove(directory)
        sys.path.append(directory)


def _by_name(place: Place) -> types.ModuleType:
    importlib.invalidate_caches()
    found = attempt(lambda: importlib.import_module(place.module))
    if isinstance(found, Fault):
        raise _told(place, found.error) from found.error
    return found


def _from_file(place: Place) -> types.ModuleType:
    path = _path(place)
    if not path.is_file():
        raise Problem(Code.NOT_FOUND, f"there is no file {place.module!r}", hints=("check the path",), where=str(path))
    name = f"periplus_file_{short_hash(str(path), 8)}_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Problem(Code.UNSUPPORTED, f"{place.module} is no Python file", where=str(path))
    loader, module = spec.loader, importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    found = attempt(lambda: loader.exec_module(module))
    if isinstance(found, Fault):
        del sys.modules[name]
        raise _told(place, found.error) from found.error
    return module


def _told(place: Place, error: BaseException) -> Problem:
    """What stopped the import, where, and what to do."""
    name = place.module
    if isinstance(error, SyntaxError):
        file, line = error.filename or name, error.lineno or 0
        text = f"module {name} is not valid Python: {error.msg} ({Path(file).name}, line {line})"
        reads = f"line {line} reads: {(error.text or '').strip()[:120]}"
        return Problem(Code.PARSE_ERROR, text, hints=(reads,), where=f"{file}:{line}")
    missing = error.name if isinstance(error, ModuleNotFoundError) and error.name else ""
    if missing and (name == missing or name.startswith(f"{missing}.")):
        places = ("check the spelling; `cwd` says which directory it is imported from", _here(missing))
        return Problem(Code.NOT_FOUND, f"there is no module {missing!r}", hints=tuple(filter(None, places)))
    file, line = _last_line(error)
    at = f" ({Path(file).name}, line {line})" if line else ""
    where = f"{file}:{line}" if line else None
    if missing:
        text = f"module {name} needs the package {missing.partition('.')[0]!r}, which is not installed{at}"
        remedy = f"install what provides {missing!r} into the environment that periplus runs in"
        return Problem(Code.UNAVAILABLE, text, hints=(remedy,), where=where)
    if isinstance(error, SystemExit):
        hints = ('put what is to run only as a script under `if __name__ == "__main__":`',)
        return Problem(
            Code.UNAVAILABLE, f"module {name} ends the program when it is imported{at}", hints=hints, where=where
        )
    hints = ("import it in a Python shell to see the whole traceback",)
    return Problem(Code.UNAVAILABLE, f"module {name} cannot be imported: {Fault(error)}{at}", hints=hints, where=where)


def _here(missing: str) -> str:
    """A module that lies in the directory people stand in, which is searched only when asked for."""
    here = Path.cwd()
    found = (here / f"{missing}.py").is_file() or (here / missing).is_dir()
    return f"there is one in {here}: set cwd to that" if found else ""


def _last_line(error: BaseException) -> tuple[str, int]:
    """The innermost line outside the import machinery."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<frozen") and frame.filename not in _MACHINERY
    ]
    return (frames[-1].filename, frames[-1].lineno or 0) if frames else ("", 0)


_MACHINERY = {__file__, attempt.__code__.co_filename, importlib.__file__}
