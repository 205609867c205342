"""What is wrong with the judges: refusals that say something about them, not about a request.

Each is told by what the judge says and by what was sent or declared, as narrowly as that goes. The list is published in
docs/proof.md; a refusal that is on no list is a wrong request until somebody shows otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

from benchmarks.oracle.documents import Operation
from periplus.ports import HttpRequest

_DEEP = re.compile(rb"%5B[^=&]*%5D(%5B|[^=&]*%5B)|%5B%5D")
_FORMATS = re.compile(r"ValueError: not an? \w+ format|ValueError: not available")


class Case(NamedTuple):
    """One refusal with what it is about."""

    said: str
    request: HttpRequest
    operation: Operation
    traits: frozenset[str] = frozenset()  # of the document

    @property
    def content_type(self) -> str:
        return next((text for name, text in self.request.headers if name.lower() == "content-type"), "").lower()

    @property
    def names_absent_parameter(self) -> bool:
        """Whether it is about a parameter that was not sent at all."""
        found = re.search(r"Invalid (query|header|cookie) parameter: (\S+)", self.said)
        return (
            found is not None
            and f"{quote(found[2], safe='')}=" not in self.request.target
            and not any(name.lower() == found[2].lower() for name, _ in self.request.headers)
        )

    def any_parameter(self, test: Callable[[dict[str, Any]], bool]) -> bool:
        return any(test(one) for one in self.operation.parameters)


class Fault(NamedTuple):
    """A fault of one judge, or of a document that no judge can read."""

    name: str
    reason: str
    applies: Callable[[Case], bool]


OPENAPI_CORE: tuple[Fault, ...] = (
    Fault(
        "an empty query value",
        "it refuses `?a=` even where the schema of `a` takes the empty string",
        lambda case: "EmptyQueryParameterValue" in case.said,
    ),
    Fault(
        "an empty value that is allowed",
        "it reads the empty string of `allowEmptyValue` as a boolean or a number",
        lambda case: (
            bool(_FORMATS.search(case.said)) and case.any_parameter(lambda one: one.get("allowEmptyValue") is True)
        ),
    ),
    Fault(
        "objects below the first level",
        "it reads `a[b]=x` and nothing deeper, no lists in it, and no list of style deepObject; in forms it refuses "
        "even requests without them",
        lambda case: (
            bool(_FORMATS.search(case.said) or _DEEP.search(case.request.target.encode() + case.request.body))
            and (case.any_parameter(lambda one: one.get("style") == "deepObject") or case.operation.has_deep_members)
        ),
    ),
    Fault(
        "bases and their subtypes",
        "it does not follow the discriminator of a base, so that a broken subtype still counts as the base",
        lambda case: "is valid under each of" in case.said and "discriminator" in case.traits,
    ),
    Fault(
        "patterns with look-around",
        "our engine runs in linear time and has none; the load report says `pattern_unsupported`",
        lambda case: " pattern: " in case.said and "pattern_unsupported" in case.traits,
    ),
    Fault(
        "objects in lists",
        "no style says how they are written; we send JSON, with a note, and it wants something it does not say",
        lambda case: "Failed to cast value to object type: {" in case.said,
    ),
    Fault(
        "exploded objects",
        "it looks for `R=100&G=200` under the name of the parameter, which does not occur",
        lambda case: (
            case.any_parameter(
                lambda one: (
                    one.get("in") in {"query", "cookie"}
                    and one.get("style", "form") == "form"
                    and one.get("explode", True) is True
                    and ("properties" in one.get("schema", {}) or one.get("schema", {}).get("type") == "object")
                )
            )
            and ("ParameterError" in case.said or "Parameter" in case.said)
        ),
    ),
    Fault(
        "readOnly where there is no property",
        "`readOnly` speaks of members of an object; it refuses parameters and items that say it",
        lambda case: " readOnly: " in case.said,
    ),
    Fault(
        "required members that are read-only",
        "`required` holds for them in answers alone; in branches of a union it wants them from requests, too",
        lambda case: "is not valid under any of" in case.said and "readOnly" in case.traits,
    ),
    Fault(
        "a default that its own schema refuses",
        "it puts the default of an absent parameter into the request, then refuses it",
        lambda case: case.names_absent_parameter,
    ),
    Fault(
        "XML",
        "it compares the parsed element with the schema of an object",
        lambda case: "xml" in case.content_type and "Body" in case.said,
    ),
    Fault(
        "multipart",
        "it compares parts, which are texts, with schemas of numbers, booleans, lists and unions",
        lambda case: (
            case.content_type.startswith("multipart/")
            and ("Body" in case.said or "Expected a string value" in case.said)
        ),
    ),
    Fault(
        "a required body that is empty",
        "it takes a form or text of no bytes for no body",
        lambda case: "MissingRequiredRequestBody" in case.said and bool(case.content_type),
    ),
    Fault(
        "path parameters that stand in the query",
        "it looks for them in the path; a path with a query breaks the specification, and is served all the same",
        lambda case: "required path parameter" in case.said and "?" in case.operation.path,
    ),
    Fault(
        "headers that are to be ignored",
        "a parameter called Accept, Content-Type or Authorization is to be ignored (OpenAPI 3.0, Parameter Object)",
        lambda case: (
            re.search(r"header parameter: (Accept|Content-Type|Authorization)\b", case.said, re.IGNORECASE) is not None
        ),
    ),
    Fault(
        "patterns Python does not have",
        "it runs patterns with Python's `re`, which breaks down on `\\\\p{L}` and other words of ECMA 262",
        lambda case: "it broke down: error: bad" in case.said or "PatternError" in case.said,
    ),
    Fault(
        "recursion",
        "it runs out of stack on definitions that lead back to themselves",
        lambda case: "RecursionError" in case.said,
    ),
    Fault(
        "files declared as objects",
        "bytes of a media type that has no members, under the schema of an object",
        lambda case: " / type: " in case.said and not re.search("json|form|multipart|xml", case.content_type),
    ),
    Fault(
        "parameters without schema",
        "in 3.x a parameter has `schema` or `content`; it cannot find those that have neither, nor `in: body`",
        lambda case: (
            case.any_parameter(
                lambda one: not one.keys() & {"schema", "content"} or one.get("in") in {"body", "formData"}
            )
            and ("MissingRequiredParameter" in case.said or "AttributeError" in case.said)
        ),
    ),
    Fault(
        "references to nowhere",
        "it cannot go on where a schema is missing; we take anything there, and say so in the load report",
        lambda case: "PointerToNowhere" in case.said or "Unresolvable" in case.said,
    ),
)


PRISM: tuple[Fault, ...] = (
    Fault(
        "integers beyond 2 ** 53",
        "it narrows int64 to what JavaScript counts exactly",
        lambda case: "9007199254740991" in case.said,
    ),
    Fault(
        "what is deprecated",
        "it calls the use of a deprecated parameter a violation",
        lambda case: " deprecated: " in case.said,
    ),
    Fault(
        "empty values",
        'it takes an empty query value, header or body, and a body of `""`, `0` or `false`, for none',
        lambda case: (
            (" required: " in case.said and ("=&" in f"{case.request.target}&" or _empty_header(case.request)))
            or ("Body parameter is required" in case.said and len(case.request.body) <= len("false"))
        ),
    ),
    Fault(
        "XML",
        "it does not read it",
        lambda case: "xml" in case.content_type and "request/body" in case.said,
    ),
    Fault(
        "multipart",
        "it reads members as texts, wants those that are read-only, and has no unions of them",
        lambda case: case.content_type.startswith("multipart/") and "request/body" in case.said,
    ),
    Fault(
        "query and fragment in a path",
        "it looks for `/a?b=c` as a path; the document breaks the specification",
        lambda case: "route not found" in case.said and bool(set("?#") & set(case.operation.path)),
    ),
    Fault(
        "prefixItems",
        "it holds every item of a list to `items`, as before 3.1",
        lambda case: re.search(r"/\d+[ /]", case.said) is not None and "prefixItems" in case.traits,
    ),
    Fault(
        "bases and their subtypes",
        "it does not follow the discriminator of a base, so that a broken subtype still counts as the base",
        lambda case: " oneOf: " in case.said and "discriminator" in case.traits,
    ),
    Fault(
        "required members that are read-only",
        "`required` holds for them in answers alone; in branches of a union it wants them from requests, too",
        lambda case: (
            bool(re.search(" (oneOf|anyOf|required): ", case.said))
            and "request/body" in case.said
            and "readOnly" in case.traits
        ),
    ),
    Fault(
        "patterns with look-around",
        "our engine runs in linear time and has none; the load report says `pattern_unsupported`",
        lambda case: " pattern: " in case.said and "pattern_unsupported" in case.traits,
    ),
)


def _empty_header(request: HttpRequest) -> bool:
    return any(not text for _, text in request.headers)


def known(faults: tuple[Fault, ...], case: Case) -> str:
    """The name of the fault a refusal comes from, or nothing."""
    return next((one.name for one in faults if one.applies(case)), "")
