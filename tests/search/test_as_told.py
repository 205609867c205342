"""A goal in the words of a tool's own summary means that tool, however many of its words others have too."""

from __future__ import annotations

from pathlib import Path

import pytest

from periplus.search.engine import Engine
from periplus.search.records import Record

_TOLD = {
    "pulls/list": "List pull requests",
    "pulls/list-commits": "List commits on a pull request",
    "pulls/stacks_list": "List pull request stacks",
    "pulls/list-requested-reviewers": "Get all requested reviewers for a pull request",
    "repos/list-pull-requests-associated-with-commit": "List pull requests associated with a commit",
    "repos/list-branches": "List branches",
    "repos/delete-branch-protection": "Delete branch protection",
    "pulls/merge": "Merge a pull request",
    "pulls/merge-async": "Merge a pull request asynchronously",
    "pulls/check-if-merged": "Check if a pull request has been merged",
    "users/get-authenticated": "Get the authenticated user",
    "users/get-by-username": "Get a user",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder: Path = tmp_path_factory.mktemp("index")
    made = Engine(folder)
    made.rebuild(1, [Record(source="github", path=path, summary=summary) for path, summary in _TOLD.items()])
    return made


@pytest.mark.parametrize(("path", "summary"), _TOLD.items())
def test_a_summary_finds_its_own_tool_first(engine: Engine, path: str, summary: str) -> None:
    """R-1."""
    assert engine.search(summary.lower()).hits[0].ref.path == path
