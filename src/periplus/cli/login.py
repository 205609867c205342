"""`login`: a token that a person got from an upstream, kept sealed for the calls to come."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from periplus.cli.context import Choices
from periplus.model import LOCAL, Code, Problem, check_source_id


def login(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="The source it is for.")],
    refresh: Annotated[bool, typer.Option("--refresh", help="The token is a refresh token.")] = False,
    token_url: Annotated[str, typer.Option(help="Where the next access token comes from.")] = "",
    client_id: Annotated[str, typer.Option(help="As which client.")] = "",
    client_secret: Annotated[str, typer.Option(help="The client's secret, as a reference: env:NAME.")] = "",
    everyone: Annotated[
        bool, typer.Option("--everyone", help="It serves every caller without one of their own.")
    ] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Remove it.")] = False,
) -> None:
    """Store a token for a source; it is read from the terminal unseen, or from standard input."""
    import anyio

    from periplus.app.logins import open_logins
    from periplus.net.credentials.logins import EVERYONE, Login

    check_source_id(source)
    if client_secret and not client_secret.startswith(("env:", "file:", "keyring:")):
        raise Problem(Code.BAD_INPUT, "--client-secret is not a reference", hints=("write env:NAME or file:PATH",))
    choices: Choices = context.obj
    logins = open_logins(choices.settings)
    if forget:
        existed = anyio.run(logins.remove, source, EVERYONE if everyone else LOCAL)
        typer.echo(f"Forgot the login for {source}." if existed else f"There was no login for {source}.")
        return
    token = _token(source)
    stored = Login(
        access_token="" if refresh else token,
        refresh_token=token if refresh else "",
        token_url=token_url,
        client_id=client_id,
        client_secret=client_secret,
        is_shared=everyone,
    )
    anyio.run(logins.put, source, LOCAL, stored)
    whose = "It serves all callers." if everyone else "It serves your own calls; --everyone makes it serve all."
    typer.echo(f"Stored a login for {source}. {whose}")


def _token(source: str) -> str:
    if sys.stdin.isatty():
        token = str(typer.prompt(f"Token for {source}", hide_input=True, prompt_suffix=": "))
    else:
        token = sys.stdin.readline()
    token = token.strip()
    if not token:
        raise Problem(Code.BAD_INPUT, "no token was given", hints=("type or paste it, or pipe it in",))
    return token
