"""`keys`: T-21."""

from __future__ import annotations

from outcome import Run

from periplus.model import Code


def test_a_key_is_made_shown_once_listed_and_taken_back(periplus: Run) -> None:
    """T-21."""
    made = periplus("keys", "add", "ann", "--tenant", "red", "--scope", "read", "--scope", "book", "--expires", "90d")
    key = made.out.strip()
    assert key.startswith("pk_")
    assert "shown this once" in made.err
    (listed,) = periplus("keys", "list", "--json").json
    assert (listed["principal"], listed["tenant"], listed["scopes"]) == ("ann", "red", ["book", "read"])
    assert (listed["state"], listed["id"]) == ("active", key.split("_")[1])
    assert key not in periplus("keys", "list").out
    assert "digest" not in listed
    assert periplus("keys", "revoke", listed["id"]).out.startswith(f"revoked {listed['id']}")
    assert periplus("keys", "list", "--json").json[0]["state"] == "revoked"


def test_json_holds_the_key_and_what_is_kept_of_it(periplus: Run) -> None:
    said = periplus("keys", "add", "bob", "--note", "night shift", "--json").json
    assert said["key"].split("_")[1] == said["id"]
    assert (said["note"], said["expires_at"], said["made_by"]) == ("night shift", None, "local")
    shown = periplus("keys", "list").out
    assert "night shift" in shown
    assert "never" in shown


def test_what_cannot_be_done_with_keys_says_why(periplus: Run) -> None:
    assert "no keys" in periplus("keys", "list").out
    for words, code, told in (
        (("add", "ann", "--expires", "soon"), Code.BAD_SETTING, "'soon' is no time"),
        (("add", "ann", "--scope", "two words"), Code.BAD_INPUT, "no scope"),
        (("add", " "), Code.BAD_INPUT, "no name of a principal"),
        (("revoke", "000000000000"), Code.NOT_FOUND, "no key"),
    ):
        failed = periplus("keys", *words, "--json")
        assert failed.error["code"] == code.value
        assert told in failed.error["message"]
