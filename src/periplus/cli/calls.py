"""`call`: run a tool, and show what it gave."""

from __future__ import annotations

import base64
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, with_gateway
from periplus.model import Code, Problem, Result

if TYPE_CHECKING:
    from periplus.core.gateway import Gateway

_FILE_MAX = 32 << 20


def call(
    context: typer.Context,
    tool: Annotated[str, typer.Argument(help="A tool: its ref, operationId, or METHOD /path.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            help="name=value, name=@FILE, name.inner=value; or all as JSON: '{...}', @FILE, @- for stdin.",
            show_default=False,
        ),
    ] = None,
    select: Annotated[str, typer.Option(help="Only these members: id,owner.email.")] = "",
    where: Annotated[str, typer.Option("--filter", help="Only these rows: status=open, length_m>=30.")] = "",
    limit: Annotated[int | None, typer.Option(help="How many rows.", show_default=False)] = None,
    offset: Annotated[int, typer.Option(help="Rows to leave out first.")] = 0,
    approval: Annotated[str, typer.Option(help="The approval that was granted for this call.")] = "",
    approve: Annotated[
        str, typer.Option(metavar="WHY", help="Approve it yourself where a person has to, and say why.")
    ] = "",
    key: Annotated[str, typer.Option(help="Idempotency key: the call is made once under it.")] = "",
    timeout: Annotated[float | None, typer.Option(help="Seconds it may take.", show_default=False)] = None,
    save: Annotated[Path | None, typer.Option(help="Write a file result there.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Call a tool: what it gives on stdout, what is to be said about it on stderr."""
    asked: dict[str, Any] = {"select": select, "filter": where, "limit": limit, "offset": offset, "timeout_s": timeout}

    async def work(gateway: Gateway) -> tuple[Result, bytes | None]:
        found = await gateway.describe(tool)
        given = _given(found.args_schema, arguments or [])
        ref = str(found.ref)
        try:
            result = await gateway.call(ref, given, approval=approval, idempotency_key=key, **asked)
        except Problem as problem:
            if problem.code is not Code.APPROVAL_REQUIRED or not approve:
                raise
            granted = await gateway.grant(problem.details["approval"], why=approve)
            result = await gateway.call(ref, given, approval=granted.id, idempotency_key=key, **asked)
        data = (await gateway.file(result.handle))[0] if save and result.handle else None
        return result, data

    with redirect_stdout(sys.stderr):  # what a Python function prints is not its result
        result, data = with_gateway(context, work)
    if save is not None:
        _write(save, data)
    if as_json:
        console.print_json(result)
    else:
        print_result(result)


def result(
    context: typer.Context,
    handle: Annotated[str, typer.Argument(help="What a call said its result is kept as: rc_...")],
    select: Annotated[str, typer.Option(help="Only these members: id,owner.email.")] = "",
    where: Annotated[str, typer.Option("--filter", help="Only these rows: status=open, length_m>=30.")] = "",
    limit: Annotated[int | None, typer.Option(help="How many rows.", show_default=False)] = None,
    offset: Annotated[int, typer.Option(help="Rows to leave out first.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Read on in a result that was too large to show, without calling again."""
    found = with_gateway(
        context, lambda gateway: gateway.result(handle, select=select, filter=where, limit=limit, offset=offset)
    )
    if as_json:
        console.print_json(found)
    else:
        print_result(found)


def print_result(result: Result) -> None:
    """A text as it is, anything else as JSON; notes beside it."""
    if isinstance(result.value, str):
        sys.stdout.write(result.value if result.value.endswith("\n") else result.value + "\n")
    else:
        console.print_json(result.value)
    for note in result.notes:
        console.err().print(note, style="dim", markup=False, soft_wrap=True)
    if result.handle and not any(result.handle in note for note in result.notes):
        console.err().print(f"the whole: periplus result {result.handle}", style="dim", markup=False, soft_wrap=True)


def _given(schema: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """The arguments that were typed."""
    from periplus.core.schema.written import arguments_of

    if len(words) == 1 and words[0][:1] in "{@" and "=" not in words[0].partition("{")[0]:
        return _whole(words[0])
    pairs: list[tuple[str, Any]] = []
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise Problem(
                Code.BAD_INPUT,
                f"not an argument: {word[:80]!r}",
                hints=("write name=value, or all of them as '{...}'",),
            )
        pairs.append((name, _from_file(text[1:]) if text.startswith("@") and text[1:2] != "@" else _plain(text)))
    return arguments_of(schema, pairs)


def _plain(text: str) -> str:
    """`@@x` is the text `@x`."""
    return text[1:] if text.startswith("@@") else text


def _whole(text: str) -> dict[str, Any]:
    """All arguments as one JSON object: typed, from a file, or from stdin."""
    import msgspec

    if text.startswith("@"):
        text = sys.stdin.read() if text == "@-" else read_file(text[1:]).decode("utf-8", "replace")
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise Problem(
            Code.BAD_INPUT, f"the arguments are no JSON object: {error}", hints=("write '{\"name\": value}'",)
        ) from error


def _from_file(path: str) -> Any:
    """A file as an argument: its text where it is text, else its bytes with its name (S-46)."""
    data = read_file(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode(), "filename": Path(path).name}


def read_file(path: str) -> bytes:
    """What a file holds, if it is there and not too large."""
    file = Path(path).expanduser()
    try:
        if file.stat().st_size > _FILE_MAX:
            raise Problem(Code.OVER_LIMIT, f"{path} has more than {_FILE_MAX >> 20} MiB")
        return file.read_bytes()
    except OSError as error:
        raise Problem(Code.NOT_FOUND, f"{path} cannot be read: {error.strerror}", hints=("check the path",)) from error


def _write(save: Path, data: bytes | None) -> None:
    if data is None:
        raise Problem(Code.BAD_INPUT, "the result is no file", hints=("leave --save out",))
    try:
        save.write_bytes(data)
    except OSError as error:
        raise Problem(Code.BAD_INPUT, f"{save} cannot be written: {error.strerror}") from error
