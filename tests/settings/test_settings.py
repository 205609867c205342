from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from periplus.model import Code, Problem
from periplus.settings import Settings, find_file, load_settings


def file(directory: Path, text: str) -> Path:
    path = directory / "periplus.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_flag_beats_the_environment_which_beats_the_file(tmp_path: Path) -> None:
    path = file(tmp_path, 'data = "from-file"\n[fetch]\nproxy = "http://file"\nca = "file.pem"\ntimeout_seconds = 1\n')
    environ = {"PERIPLUS_FETCH__PROXY": "http://env", "PERIPLUS_FETCH__TIMEOUT_SECONDS": "2"}
    settings = load_settings(path, environ, {"fetch.timeout_seconds": 3.0, "fetch.proxy": None})
    assert settings.data == "from-file"
    assert settings.fetch.ca == "file.pem"
    assert settings.fetch.proxy == "http://env"
    assert settings.fetch.timeout_seconds == 3.0


def test_lists_numbers_and_booleans_are_read_from_the_environment() -> None:
    environ = {
        "PERIPLUS_FETCH__ALLOW": "10.0.0.0/8, intranet.example:8080",
        "PERIPLUS_LIMITS__OPERATIONS": "12",
        "PERIPLUS_SEARCH__MEMORY": "false",
    }
    settings = load_settings(None, environ)
    assert settings.fetch.allow == ("10.0.0.0/8", "intranet.example:8080")
    assert settings.limits.operations == 12
    assert settings.search.memory is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[fetch]\nalow = []\n", "fetch.allow"),
        ("[fecth]\nallow = []\n", "fetch"),
        ('dta = "x"\n', "data"),
        ('[sources.x]\nurl = "https://a.example"\nheader = {}\n', "headers"),
    ],
)
def test_an_unknown_key_names_the_nearest_one(tmp_path: Path, text: str, said: str) -> None:
    path = file(tmp_path, text)
    with pytest.raises(Problem) as refused:
        load_settings(path, {})
    assert refused.value.code is Code.BAD_SETTING
    assert str(path) in refused.value.message
    assert said in refused.value.hints[0]


@pytest.mark.parametrize(
    ("name", "said"),
    [("PERIPLUS_FETCH__ALOW", "allow"), ("PERIPLUS_DAAT", "data"), ("PERIPLUS_LIMIT__NODES", "limits")],
)
def test_an_unknown_variable_is_named_with_the_nearest_key(name: str, said: str) -> None:
    with pytest.raises(Problem) as refused:
        load_settings(None, {name: "1"})
    assert name in refused.value.message
    assert said in refused.value.hints[0]


def test_variables_of_other_programs_are_left_alone() -> None:
    assert load_settings(None, {"PERIPLUS": "x", "PATH": "/bin", "XPERIPLUS_DATA": "y"}) == Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("data = [", "TOML"),
        ("data = 3\n", "str"),
        ("[limits]\nnodes = 'many'\n", "int"),
        ("sources = 3\n", "sources"),
        ("[sources.x]\nname = 'no address'\n", "neither url nor command"),
        ("[sources.Not_OK]\nurl = 'https://a.example'\n", "not a source name"),
        ("fetch = 'yes'\n", "fetch"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused_with_the_reason(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(Problem) as refused:
        load_settings(file(tmp_path, text), {})
    assert said in f"{refused.value.message} {refused.value.hints}"


def test_a_source_may_be_only_an_address(tmp_path: Path) -> None:
    path = file(tmp_path, '[sources]\nharbour = "https://harbour.example/openapi.json"\n')
    spec = load_settings(path, {}).sources["harbour"]
    assert (spec.id, spec.url) == ("harbour", "https://harbour.example/openapi.json")


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(Problem) as refused:
        find_file("missing.toml", {}, tmp_path)
    assert "missing.toml" in refused.value.message
    assert find_file(None, {}, tmp_path) is None
    path = file(tmp_path, "")
    assert find_file(None, {}, tmp_path) == path
    assert find_file(None, {"PERIPLUS_CONFIG": str(path)}, Path("/")) == path


_plain = st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters='"\\'), max_size=20)


@given(data=_plain, proxy=_plain, nodes=st.integers(0, 2**40), seconds=st.floats(0.1, 1e6))
def test_what_a_file_says_is_what_is_set(
    tmp_path_factory: pytest.TempPathFactory, data: str, proxy: str, nodes: int, seconds: float
) -> None:
    path = file(
        tmp_path_factory.mktemp("settings"),
        f'data = "{data}"\n[fetch]\nproxy = "{proxy}"\ntimeout_seconds = {seconds!r}\n[limits]\nnodes = {nodes}\n',
    )
    settings = load_settings(path, {})
    assert (settings.data, settings.fetch.proxy, settings.limits.nodes) == (data, proxy, nodes)
    assert settings.fetch.timeout_seconds == seconds


@given(st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz_"), min_size=1, max_size=12))
def test_no_key_is_ever_ignored(name: str) -> None:
    known = {field.name for field in msgspec.structs.fields(Settings)}
    if name in known:
        return
    with pytest.raises(Problem, match=r"unknown setting|no setting"):
        load_settings(None, {}, {name: "x"})


@pytest.mark.parametrize("key", ["url", "endpoint", "base_url"])
def test_an_address_with_a_password_is_refused_and_not_repeated(tmp_path: Path, key: str) -> None:
    """S-12, S-62: it would be stored and listed."""
    file = tmp_path / "periplus.toml"
    rest = "" if key == "url" else 'url = "https://api.example.com"\n'
    file.write_text(f'[sources.quay]\n{rest}{key} = "https://me:s3cr3t@api.example.com/"\n')
    with pytest.raises(Problem) as refused:
        load_settings(file, {})
    assert refused.value.code is Code.BAD_SETTING
    assert f"sources.quay.{key} holds a user name or password" in refused.value.message
    assert "s3cr3t" not in str(refused.value.to_json())
