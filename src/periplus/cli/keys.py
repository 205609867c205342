"""`keys`: who may come in over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from periplus.cli import console
from periplus.cli.context import AsJson, Choices, with_gateway
from periplus.model import ApiKey, Principal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from periplus.core.keys import Link, Made

app = typer.Typer(help="Make, list and take back API keys for callers over HTTP.", no_args_is_help=True)

_STATE = {"active": "green", "expired": "yellow", "revoked": "red"}


@app.command()
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Who holds it: what policy rules and the trail call them.")],
    tenant: Annotated[str, typer.Option(help="The tenant they belong to; tenants share nothing.")] = "",
    scope: Annotated[list[str] | None, typer.Option(help="A scope of theirs; repeat it.", show_default=False)] = None,
    expires: Annotated[str, typer.Option(help="When it ends: 12h, 90d; else never.")] = "",
    note: Annotated[str, typer.Option(help="What it is for.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a key, and show it once: only its hash is kept."""
    from periplus.app.upkeep import seconds

    holder = Principal(id=name, tenant=tenant, scopes=frozenset(scope or ()))
    lasts = seconds(expires, "--expires")
    made: Made = with_gateway(context, lambda gateway: gateway.issue_key(holder, lasts_s=lasts, note=note))
    if as_json:
        console.print_json({"key": made.key} | _told(made.record))
        return
    console.out().print(made.key, markup=False, soft_wrap=True)
    console.err().print(
        f"the key of {name}, shown this once. Send it as Authorization: Bearer KEY, or X-API-Key: KEY",
        markup=False,
        style="dim",
        soft_wrap=True,
    )


@app.command("list")
def list_keys(context: typer.Context, as_json: AsJson = False) -> None:
    """List keys: whose they are, what they open, when they were last used."""
    found: Sequence[ApiKey] = with_gateway(context, lambda gateway: gateway.keys())
    if as_json:
        console.print_json([_told(key) for key in found])
        return
    if not found:
        console.out().print("there are no keys; make one with: periplus keys add NAME", markup=False)
        return
    columns = ("id", "holder", "tenant", "scopes", "state", "expires", "last used", "note")
    console.out().print(console.table([(title, {}) for title in columns], [_row(_told(key)) for key in found]))


@app.command()
def revoke(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="Its id, as `periplus keys list` shows it, or the key.")],
    as_json: AsJson = False,
) -> None:
    """Take a key back: from now on it is refused, everywhere."""
    key: ApiKey = with_gateway(context, lambda gateway: gateway.revoke_key(id_))
    if as_json:
        console.print_json(_told(key))
    else:
        console.out().print(f"revoked {key.id}, the key of {key.principal}", markup=False)


@app.command()
def link(
    context: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="The key's id, as `periplus keys list` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Make an address for a gateway that sends no key: whoever has it is the key's holder, until the key ends."""
    made: Link = with_gateway(context, lambda gateway: gateway.link_site(id_))
    path = f"/s/{made.token}"
    if as_json:
        console.print_json({"path": path} | _told(made.record))
        return
    console.out().print(path, markup=False, soft_wrap=True)
    console.err().print(
        f"the address of the site of {made.record.principal}, below the gateway's own; it is as secret as the key",
        markup=False,
        style="dim",
        soft_wrap=True,
    )
    choices: Choices = context.obj
    if not choices.settings.handshake.site_links:
        console.err().print("it works while [handshake] site_links = true", markup=False, style="yellow")


def _told(key: ApiKey) -> dict[str, Any]:
    """What may be shown: the digest is nobody's business."""
    state = key.state(datetime.now(UTC).timestamp())
    times = ("made_at", "expires_at", "revoked_at", "used_at")
    told = {name: getattr(key, name) for name in ("id", "principal", "tenant", "scopes", "note", "made_by")}
    return told | {"state": state} | {name: _when(getattr(key, name)) for name in times}


def _when(at: float) -> str | None:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


def _row(told: dict[str, Any]) -> list[Any]:
    from rich.text import Text

    days = [(told[name] or dash)[:10] for name, dash in (("expires_at", "never"), ("used_at", "-"))]
    state = Text(told["state"], style=_STATE[told["state"]])
    return [told["id"], told["principal"], told["tenant"], " ".join(told["scopes"]), state, *days, told["note"]]
