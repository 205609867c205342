"""Files as documents: only the operator's, only below their directory, only when they changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from loopback import Reader

from periplus.model import Code, Problem, SourceSpec, Validators
from periplus.net import FetchLimits, FetchPolicy


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """`docs/api.yaml` refers to things inside and outside its directory."""
    (tmp_path / "docs" / "parts").mkdir(parents=True)
    (tmp_path / "docs" / "api.yaml").write_text("openapi: 3.1.0")
    (tmp_path / "docs" / "parts" / "pet store.yaml").write_text("type: object")
    (tmp_path / "secret.txt").write_text("s3cret")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "common.yaml").write_text("shared: 1")
    return tmp_path


async def failure(reading: object) -> Problem:
    with pytest.raises(Problem) as caught:
        await reading  # type: ignore[misc]
    return caught.value


async def test_a_path_and_its_url_are_the_same_file(root: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch):
    """S-12."""
    monkeypatch.chdir(root)
    path = root / "docs" / "api.yaml"
    for text in (str(path), path.as_uri(), "docs/api.yaml", "./docs/../docs/api.yaml", f"file://localhost{path}"):
        got = await reader.read(text)
        assert (got.status, got.body, got.url) == (200, b"openapi: 3.1.0", path.as_uri())


async def test_an_unchanged_file_is_not_read_again(root: Path, reader: Reader):
    """S-106."""
    path = root / "docs" / "api.yaml"
    first = await reader.read(str(path))
    path.chmod(0o200)  # it cannot be read, only looked at
    again = await reader.read(str(path), validators=first.validators) if os.geteuid() == 0 else None
    path.chmod(0o600)
    again = again or await reader.read(str(path), validators=first.validators)
    assert (again.status, again.body) == (304, b"")
    path.write_text("openapi: 3.1.1")
    os.utime(path, ns=(1, 1))
    changed = await reader.read(str(path), validators=first.validators)
    assert (changed.status, changed.body) == (200, b"openapi: 3.1.1")
    assert (await reader.read(str(path), validators=Validators(etag='"other"'))).status == 200


async def test_an_unchanged_file_answers_without_a_read(root: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch):
    """S-106."""
    path = root / "docs" / "api.yaml"
    first = await reader.read(str(path))

    def no_read(*_: object) -> bytes:
        raise AssertionError

    monkeypatch.setattr(os, "read", no_read)
    assert (await reader.read(str(path), validators=first.validators)).not_modified


async def test_only_the_operators_sources_read_files(root: Path, reader: Reader):
    """S-12."""
    path = str(root / "docs" / "api.yaml")
    for spec in (SourceSpec(url=path, trusted=False), SourceSpec(url="https://api.example.com/openapi.json")):
        for url in (path, f"file://{path}"):
            problem = await failure(reader.read(url, spec=spec))
            assert problem.code is Code.REFUSED_ADDRESS


async def test_a_document_from_the_network_refers_to_no_file(root: Path, reader: Reader):
    """S-35, section 14."""
    spec = SourceSpec(url="https://api.example.com/openapi.json")
    policy = FetchPolicy(file_roots=(str(root),))
    problem = await failure(reader.read("file:///etc/passwd", policy, spec=spec, root=spec.url))
    assert problem.code is Code.REFUSED_ADDRESS
    inside = (root / "secret.txt").as_uri()
    assert (await failure(reader.read(inside, policy, spec=spec, root=spec.url))).code is Code.REFUSED_ADDRESS


async def test_references_stay_below_the_documents_directory(root: Path, reader: Reader):
    """S-35."""
    spec = SourceSpec(url=str(root / "docs" / "api.yaml"))
    home = Path(spec.url).as_uri()
    inside = (root / "docs" / "parts" / "pet store.yaml").as_uri()
    assert (await reader.read(inside, spec=spec, root=home)).body == b"type: object"
    (root / "docs" / "link.yaml").symlink_to(root / "secret.txt")
    (root / "docs" / "out").symlink_to(root)
    for outside in (
        "../secret.txt",
        "parts/../../secret.txt",
        "link.yaml",
        "out/secret.txt",
        "/etc/passwd",
        "../nothing",
    ):
        target = str(root / "docs" / outside)
        for url in (target, f"file://{target}", f"file://{target.replace('..', '%2e%2e')}"):
            problem = await failure(reader.read(url, spec=spec, root=home))
            assert problem.code is Code.REFUSED_ADDRESS
            assert "file_roots" in problem.hints[0]
            assert "s3cret" not in problem.message


async def test_file_roots_open_more_directories(root: Path, reader: Reader):
    """S-35."""
    spec = SourceSpec(url=str(root / "docs" / "api.yaml"))
    policy = FetchPolicy(file_roots=(str(root / "shared"),))
    got = await reader.read(str(root / "shared" / "common.yaml"), policy, spec=spec, root=spec.url)
    assert got.body == b"shared: 1"
    (root / "shared" / "link").symlink_to(root / "secret.txt")
    assert (await failure(reader.read(str(root / "shared" / "link"), policy, spec=spec))).code is Code.REFUSED_ADDRESS


async def test_a_document_may_itself_be_a_link(root: Path, reader: Reader):
    """A mounted configuration is a link into a hidden directory."""
    (root / "api.yaml").symlink_to(root / "docs" / "api.yaml")
    assert (await reader.read(str(root / "api.yaml"))).body == b"openapi: 3.1.0"


async def test_what_is_missing_or_no_file_is_said(root: Path, reader: Reader):
    missing = await failure(reader.read(str(root / "nothing.yaml")))
    assert missing.code is Code.NOT_FOUND
    assert str(root / "nothing.yaml") in missing.message
    assert (await failure(reader.read(str(root / "secret.txt" / "x")))).code is Code.NOT_FOUND
    directory = await failure(reader.read(str(root / "docs")))
    assert "is a directory" in directory.message
    os.mkfifo(root / "pipe")
    assert "not a regular file" in (await failure(reader.read(str(root / "pipe")))).message
    assert (await failure(reader.read("file://elsewhere/etc/passwd"))).code is Code.REFUSED_ADDRESS
    assert (await failure(reader.read("a\0b", spec=SourceSpec(url="a")))).code is Code.BAD_INPUT
    (root / "circle").symlink_to(root / "circle")
    assert isinstance(await failure(reader.read(str(root / "circle"))), Problem)


async def test_a_file_over_the_limit_is_refused_before_it_is_read(root: Path, reader: Reader):
    """S-6."""
    path = root / "docs" / "big.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # sparse: reading it would never end
    problem = await failure(reader.read(str(path)))
    assert problem.code is Code.OVER_LIMIT
    assert "[limits] document_bytes" in problem.message
    small = await failure(reader.read(str(root / "secret.txt"), limits=FetchLimits(document_bytes=5)))
    assert small.code is Code.OVER_LIMIT
    assert (await reader.read(str(root / "secret.txt"), limits=FetchLimits(document_bytes=6))).body == b"s3cret"
