"""S-55, S-56, S-58: requests built from arguments that satisfy the schema, judged by those who share no code with us."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks.oracle.__main__ import sample
from benchmarks.oracle.documents import available, chosen, described
from benchmarks.oracle.faults import OPENAPI_CORE, PRISM
from benchmarks.oracle.judges import OpenAPICore
from benchmarks.oracle.proof import prove
from benchmarks.oracle.samples import argument_sets

pytestmark = pytest.mark.skipif(
    not available(), reason="needs the sample data in ../shared, which is not part of the project"
)

DOCUMENTS = dict(chosen()) if available() else {}
MOST = 40  # operations of each document; python -m benchmarks.oracle takes all


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.filterwarnings("ignore")  # of the judge
def test_requests_of_a_real_document_are_accepted_by_a_judge_that_is_not_ours(name: str):
    document = described(name, DOCUMENTS[name])
    if not OpenAPICore.takes(document):
        pytest.skip("openapi-core reads 3.x only; Prism judges 2.0 in python -m benchmarks.oracle")
    tally = prove(document, [OpenAPICore(document)], sample(len(document.tools), MOST))
    assert tally.wrong == []
    assert tally.refused == []
    assert tally.without == []
    assert tally.requests >= tally.operations


def test_most_operations_have_five_argument_sets():
    tools = [
        tool
        for name in ("adyen-checkout-v71-3.1.json", "stripe-2022-11-15-3.0.yaml")
        for tool in described(name, DOCUMENTS[name]).tools
    ]
    rich = [tool for tool in tools if len(tool.args_schema["properties"]) > 2]
    assert sum(len(argument_sets(tool.args_schema)) >= 5 for tool in rich) > len(rich) * 0.9


@pytest.mark.filterwarnings("ignore")  # of the judge
def test_a_judge_that_would_notice_nothing_proves_nothing():
    """S-56: with the answers of a judge who accepts everything, every operation is unverified."""
    name = "redocly-museum-3.1.yaml"
    document = described(name, DOCUMENTS[name])
    tally = prove(document, [Nodding()])
    assert tally.accepted == tally.requests
    assert len(tally.unverified) == tally.operations
    assert prove(document, [OpenAPICore(document)]).unverified == []


def test_what_is_wrong_with_the_judges_is_published():
    """S-55."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "proof.md").read_text()
    assert [one.name for one in (*OPENAPI_CORE, *PRISM) if f"| {one.name} | " not in page] == []


class Nodding:
    known_faults = ()

    def faults(self, _tool: Any, _request: Any) -> list[str]:
        return []
