"""A function as a tool: what it takes, what it gives, and how it is called."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections import abc
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Union

import msgspec

from periplus.model import Schema
from periplus.provider.context import CallContext
from periplus.provider.docstrings import Doc, parse
from periplus.provider.foreign import Fault, attempt
from periplus.provider.hints import Definitions, Hints
from periplus.provider.hints.classes import Field, described
from periplus.provider.hints.containers import array
from periplus.provider.hints.resolve import Resolved, annotations_of, function_names, resolve
from periplus.provider.hints.unions import or_null
from periplus.provider.registry import Published
from periplus.provider.values import NOTHING

_AWAITED = (abc.Awaitable,)
_ITERATED = (abc.Iterator, abc.AsyncIterator)


class Kind(StrEnum):
    """How a function gives its result."""

    SYNC = "sync"
    ASYNC = "async"
    ITERATOR = "iterator"
    ASYNC_ITERATOR = "async_iterator"


class Refused(msgspec.Struct, frozen=True):
    """A function nothing can be made of, and why."""

    reason: str


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A function taken apart. `positional` are passed by place, all others by name."""

    args_schema: Schema
    result_schema: Schema | None = None
    summary: str = ""
    description: str = ""
    kind: Kind = Kind.SYNC
    positional: tuple[str, ...] = ()
    extra: str = ""  # the `**` parameter, which takes what has no parameter of its own
    context: tuple[str, ...] = ()  # parameters that are filled in with the `CallContext`
    annotated: bool = False
    reduced: tuple[str, ...] = ()  # what became "anything", and why


def describe(published: Published, definitions: Definitions) -> Described | Refused:
    """Read a function's signature, hints and docstring; nothing of it is run but its annotations."""
    function = published.function
    signature = attempt(lambda: signature_of(function))
    if isinstance(signature, Fault):
        return Refused(f"its parameters cannot be read: {signature}")
    reduced: list[str] = []
    reading = _Reading(function, definitions, reduced.append)
    doc = parse(_docstring(function))
    parameters = list(signature.parameters.values())
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            return Refused(f"takes *{parameter.name}: values without names cannot be described; take a list")
    contexts = tuple(parameter.name for parameter in parameters if reading.is_context(parameter))
    told = [parameter for parameter in parameters if parameter.name not in contexts]
    extra = next((parameter.name for parameter in told if parameter.kind is parameter.VAR_KEYWORD), "")
    args = published.declared.parameters
    schema = reading.arguments(told, contexts, doc) if args is None else definitions.adopt(args)
    return Described(
        args_schema=schema,
        result_schema=reading.result(signature.return_annotation),
        summary=doc.summary,
        description=published.declared.description or doc.description,
        kind=reading.kind(signature.return_annotation),
        positional=tuple(each.name for each in parameters if each.kind is each.POSITIONAL_ONLY),
        extra=extra,
        context=contexts,
        annotated=reading.is_annotated(signature),
        reduced=tuple(dict.fromkeys(reduced)),
    )


class _Reading:
    """Reads the hints of one function."""

    def __init__(self, function: Any, definitions: Definitions, complain: Callable[[str], None]) -> None:
        self._function = function
        self._names, self._local = function_names(function)
        self._complain = complain
        self._definitions = definitions

    def is_context(self, parameter: inspect.Parameter) -> bool:
        """Whether a parameter is the call's context, also where its type is imported for type checkers alone."""
        annotation = parameter.annotation
        if isinstance(annotation, str) and annotation.strip().rpartition(".")[2] == CallContext.__name__:
            return True
        hint = self._resolved(annotation).hint
        while typing.get_origin(hint) is Annotated:
            hint = hint.__origin__
        branches = typing.get_args(hint) if typing.get_origin(hint) in {Union, types.UnionType} else (hint,)
        return CallContext in branches

    def is_annotated(self, signature: inspect.Signature) -> bool:
        hints = [each.annotation for each in signature.parameters.values()]
        return any(hint is not inspect.Parameter.empty for hint in (*hints, signature.return_annotation))

    def arguments(self, parameters: list[inspect.Parameter], contexts: tuple[str, ...], doc: Doc) -> Schema:
        """The object a caller writes."""
        members: dict[str, Schema] = {}
        required: list[str] = []
        rest: Schema = {"additionalProperties": False}
        for parameter in parameters:
            if parameter.kind is parameter.VAR_KEYWORD:
                rest = self._rest(parameter, members, required, contexts)
                continue
            members[parameter.name] = self._parameter(parameter, doc)
            if parameter.default is parameter.empty:
                required.append(parameter.name)
        schema: Schema = {"type": "object", "properties": members}
        return schema | ({"required": required} if required else {}) | rest

    def result(self, annotation: Any) -> Schema | None:
        """The schema of what a call gives in the end; None where nothing is known of it."""
        if annotation is inspect.Signature.empty:
            return None
        hint = self._found(annotation, "the result")
        hints = Hints(self._definitions, lambda text: self._complain(f"the result: {text}"), gives=True)
        inner = _awaited(hint)
        iterated = _iterated(inner)
        if inner in {typing.NoReturn, typing.Never, Any}:
            return None
        return (array(hints.of(iterated)) if iterated is not None else hints.of(inner)) or None

    def kind(self, annotation: Any) -> Kind:
        function: Any = self._function
        called = (
            function if inspect.isroutine(function) or isinstance(function, functools.partial) else function.__call__
        )
        if inspect.isasyncgenfunction(called):
            return Kind.ASYNC_ITERATOR
        if inspect.iscoroutinefunction(called):
            return Kind.ASYNC
        hint = self._resolved(annotation).hint if annotation is not inspect.Signature.empty else Any
        origin: Any = typing.get_origin(hint) or hint
        if isinstance(origin, type) and issubclass(origin, abc.AsyncIterator):
            return Kind.ASYNC_ITERATOR
        iterates = inspect.isgeneratorfunction(called) or (
            isinstance(origin, type) and issubclass(origin, abc.Iterator)
        )
        if iterates:
            return Kind.ITERATOR
        return Kind.ASYNC if isinstance(origin, type) and issubclass(origin, abc.Awaitable) else Kind.SYNC

    def _parameter(self, parameter: inspect.Parameter, doc: Doc) -> Schema:
        if parameter.annotation is parameter.empty:
            schema: Schema = {}
        else:
            hints = Hints(self._definitions, lambda text: self._complain(f"{parameter.name}: {text}"))
            schema = hints.of(self._found(parameter.annotation, parameter.name))
        default = NOTHING if parameter.default is parameter.empty else parameter.default
        if default is None:
            schema = or_null(schema)  # `x: int = None` means that null may be given
        return described(schema, Field(parameter.name, None, default=default), doc.parameters.get(parameter.name, ""))

    def _rest(
        self,
        parameter: inspect.Parameter,
        members: dict[str, Schema],
        required: list[str],
        contexts: tuple[str, ...],
    ) -> Schema:
        """What `**parameter` takes: members of one type, or those of a TypedDict (`Unpack`)."""
        hint = Any if parameter.annotation is parameter.empty else self._found(parameter.annotation, parameter.name)
        hints = Hints(self._definitions, lambda text: self._complain(f"{parameter.name}: {text}"))
        if getattr(typing.get_origin(hint), "_name", None) == "Unpack":
            shape = self._definitions.schemas[hints.of(typing.get_args(hint)[0])["$ref"].rpartition("/")[2]]
            members.update(shape.get("properties", {}))
            required.extend(shape.get("required", ()))
            return {"additionalProperties": False}
        # A further member must not take the place of what the gateway fills in.
        kept = {"propertyNames": {"not": {"enum": list(contexts)}}} if contexts else {}
        return {"additionalProperties": hints.of(hint) or True} | kept

    def _found(self, annotation: Any, where: str) -> Any:
        resolved = self._resolved(annotation)
        if resolved.missing:
            self._complain(f"{where}: {resolved.missing}")
        return resolved.hint

    def _resolved(self, annotation: Any) -> Resolved:
        return Resolved(Any) if annotation is inspect.Parameter.empty else resolve(annotation, self._names, self._local)


def signature_of(function: Any) -> inspect.Signature:
    """The signature without a class's or an object's own first parameter."""
    signature = inspect.signature(function)
    written = annotations_of(inspect.unwrap(getattr(function, "__func__", function)))
    if not written:
        return signature
    # Where annotations are evaluated late, those that fail stand in the signature as they were written.
    parameters = [
        each.replace(annotation=written.get(each.name, each.annotation)) for each in signature.parameters.values()
    ]
    return signature.replace(
        parameters=parameters, return_annotation=written.get("return", signature.return_annotation)
    )


def _docstring(function: Any) -> str | None:
    """What the author wrote: of a partial, its function's; of a callable object, its `__call__`'s, else its class's."""
    if isinstance(function, functools.partial):
        return _docstring(function.func)
    if inspect.isroutine(function):
        return inspect.getdoc(function)
    return inspect.getdoc(type(function).__call__) or inspect.getdoc(type(function))


def _awaited(hint: Any) -> Any:
    """What an awaitable gives once it is awaited."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(origin, type) and issubclass(origin, _AWAITED) and args:
        return _awaited(args[-1])
    return hint


def _iterated(hint: Any) -> Any:
    """What an iterator yields; None for anything else."""
    origin, args = typing.get_origin(hint) or hint, typing.get_args(hint)
    if isinstance(origin, type) and issubclass(origin, _ITERATED):
        return args[0] if args else Any
    return None
