"""Record the responses of the service and the documents of a build, and compare them with a later checkout.

    python -m bench.golden record --to before.json.gz
    python -m bench.golden compare --to before.json.gz [--tree ANOTHER_CHECKOUT]

No module of the program is imported: a checkout is run through its `akg` command, so any checkout works.
`compare` sends the recorded requests. Values that change with every build (times, index names, ports) are masked.
"""

import argparse
import difflib
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypedDict, cast

import httpx
import orjson
from opensearchpy import OpenSearch
from opensearchpy.helpers import scan
from rich.console import Console
from rich.progress import track

from bench.golden_requests import Call, calls
from tests.support.serving import free_port

CHECKOUT = Path(__file__).resolve().parents[1]
CONTENTS = {"world": "tests/data/world", "graph": "content"}  # service → its tables in the checkout
# World is built twice, the first time with other texts, so that /graph/changes has something to report.
EARLIER = ("solutions.csv", "Short pauses", "Brief pauses"), ("aliases.csv", "trouble remembering", "forgets things")
SETTINGS = {
    **dict.fromkeys(("AKG_RATE_LIMIT", "AKG_RATE_LIMIT_SUGGEST", "AKG_RATE_LIMIT_MCP", "AKG_USAGE_MONTHS"), "0"),
    "AKG_DEADLINE_SECONDS": "60",  # a busy machine must not change a response
    "AKG_DRAIN_SECONDS": "0",
}
HEADERS = (
    *("content-type", "allow", "vary", "link", "cache-control", "location", "etag", "retry-after"),
    *("accept-ranges", "content-range", "content-encoding", "content-disposition", "access-control-allow-origin"),
)
MASKS = [
    (re.compile(pattern), mask)
    for pattern, mask in (
        (r"\b(golden-\w+)-\d{8}t\d{6}z", r"\1-<time>"),
        (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?UTC|Z|[+-]\d\d:?\d\d)?", "<time>"),
        (r"\b\d+\.\d+\.\d+\+[0-9a-f]{12}\b", "<data version>"),
        (r"(/static/[\w.-]+\?v=)\w+", r"\1<sum>"),
        (r"\b(127\.0\.0\.1|localhost):\d+", "<host>"),
    )
]
UNSTABLE_DOCUMENTS = ("digests/",)  # digests of all other documents
PACKED = re.compile(rb'"([A-Za-z0-9+/]{68,}=*)"')  # base64 in JSON, longer than a SHA-256
START_SECONDS = 60
out = Console(soft_wrap=True, highlight=False)


class Response(TypedDict):
    """One recorded response, with the request that led to it."""

    service: str
    call: Mapping[str, Any]
    status: int
    headers: dict[str, str]
    body: str


class Recording(TypedDict):
    """A recorded tree: responses by label, and per service the digest of each document by kind and by `_id`."""

    responses: dict[str, Response]
    kinds: dict[str, dict[str, str]]
    documents: dict[str, dict[str, str]]


def akg(tree: Path, *arguments: str | Path, environment: Mapping[str, str]) -> str:
    command = [tree / ".venv" / "bin" / "akg", *arguments]
    return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


@contextmanager
def scratch_node(tree: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Start an OpenSearch node in a scratch folder; yield the folder and the environment of the commands."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("AKG_", "PYTHONPATH"))}
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        root = Path(folder)
        try:
            url = akg(tree, "node", "start", "--root", root / "node", "--port", "0", environment=plain)
            data = {"AKG_DATA": folder, "AKG_OPENSEARCH_URL": url.splitlines()[-1], **SETTINGS}
            yield root, {**plain, **data}
        finally:
            akg(tree, "node", "stop", "--root", root / "node", environment=plain)


def publish(tree: Path, root: Path, service: str, environment: Mapping[str, str]) -> None:
    """Build and publish the release of a service; World on top of an earlier one."""
    tables = tree / CONTENTS[service]
    if service == "world":
        shutil.copytree(tables, earlier := root / "earlier")
        for name, now, before in EARLIER:
            text = (earlier / name).read_text()
            (earlier / name).write_text(text.replace(now, before))
        akg(tree, "index", "build", "--content", earlier, environment=environment)
        time.sleep(1)  # releases are named by the second
    akg(tree, "index", "build", "--content", tables, environment=environment)


@contextmanager
def serving(tree: Path, environment: Mapping[str, str]) -> Iterator[httpx.Client]:
    port = str(free_port())
    command = [str(tree / ".venv" / "bin" / "akg"), "serve", "--port", port]
    with (
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120, trust_env=False) as client,
    ):
        try:
            for _ in range(START_SECONDS * 10):
                try:
                    client.get("/readyz").raise_for_status()
                    break
                except httpx.HTTPError:
                    time.sleep(0.1)
            yield client
        finally:
            process.terminate()


def masked(text: str) -> str:
    """Return the text with masks for the values that change with every build."""
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text


def unpacked(match: re.Match[bytes]) -> bytes:
    """Return a decompressed value (zlib, or a chunk of a gzip file), because compressors differ."""
    data = b64decode(match[1] + b"==")
    for window_bits in (15, 31, -15):
        with suppress(zlib.error):
            return zlib.decompressobj(window_bits).decompress(data)
    return match[0]


def send(client: httpx.Client, service: str, call: Call) -> Response:
    headers = {"accept": "*/*", "accept-encoding": "identity", "user-agent": "golden", **call.headers}
    response = client.request(call.method, call.path, content=call.body.encode(), headers=headers)
    sent = {name: masked(response.headers[name]) for name in HEADERS if name in response.headers}
    if "etag" in sent:
        sent["etag"] = "<etag>"
    packed = response.headers.get("content-type") == "application/gzip"
    body = hashlib.sha256(gzip.decompress(response.content)).hexdigest() if packed else masked(response.text)
    return Response(service=service, call=call._asdict(), status=response.status_code, headers=sent, body=body)


def digests(url: str, alias: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the digests of all documents of a release: by kind and type, and by `_id`."""
    by_id: dict[str, str] = {}
    by_kind: defaultdict[str, list[str]] = defaultdict(list)
    with OpenSearch(hosts=[url], timeout=120) as client:
        for hit in scan(client, index=f"{alias}-*", size=500):  # the alias depends on the checkout's format
            key, body = hit["_id"], hit["_source"]
            if not key.startswith(UNSTABLE_DOCUMENTS):
                text = PACKED.sub(unpacked, orjson.dumps(body))
                # Only what describes the release itself, without a type in its `_id`, has times.
                text = text if ":" in key else masked(text.decode("latin-1")).encode("latin-1")
                by_id[key] = hashlib.sha256(text).hexdigest()[:24]
                kind, colon, _ = key.partition(":")
                by_kind[f"{body['doc']} {kind if colon else ''}".strip()].append(f"{key} {by_id[key]}")
    joined = {kind: "\n".join(sorted(lines)) for kind, lines in sorted(by_kind.items())}
    return {kind: hashlib.sha256(lines.encode()).hexdigest() for kind, lines in joined.items()}, by_id


def record(tree: Path, calls_by_service: Mapping[str, Sequence[Call]]) -> Recording:
    """Build and serve both contents with the code of a checkout; record responses and documents."""
    found = Recording(responses={}, kinds={}, documents={})
    with scratch_node(tree) as (root, environment):
        for service, requests in calls_by_service.items():
            alias = f"golden-{service}"
            settings = {**environment, "AKG_ALIAS": alias}
            out.print(f"Building {service} …")
            publish(tree, root, service, settings)
            found["kinds"][service], found["documents"][service] = digests(settings["AKG_OPENSEARCH_URL"], alias)
            with serving(tree, settings) as client:
                for call in track(requests, f"Sending requests to {service}", console=out):
                    found["responses"][f"{service}: {call.label}"] = send(client, service, call)
    return found


def lines_of(response: Response) -> list[str]:
    """Return a response as lines to compare: status, headers, and the body, JSON and HTML spread out."""
    head = [str(response["status"]), *(f"{name}: {value}" for name, value in response["headers"].items())]
    try:
        body = json.dumps(json.loads(response["body"]), indent=1, ensure_ascii=False).replace("\\n", "\n")
    except ValueError:
        body = response["body"].replace("><", ">\n<")
    return [*head, "", *body.splitlines()]


def difference(before: Response, after: Response, limit: int) -> str:
    """Return the first lines of a unified diff. Long bodies are compared from their first difference on."""
    old, new = lines_of(before), lines_of(after)
    first_difference = next((place for place, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), 0)
    window = slice(max(first_difference - 2, 0), first_difference + 200)
    lines = list(difflib.unified_diff(old[window], new[window], lineterm="", n=2))[3:]
    return "\n".join(f"    {line[:300]}" for line in lines[:limit])


def compare(before: Recording, after: Recording, limit: int) -> int:
    """Print all differences; return the number of different responses and documents."""
    responses = documents = 0
    for label, old in before["responses"].items():
        new = after["responses"][label]
        if lines_of(old) != lines_of(new):
            responses += 1
            out.print(f"{label}\n{difference(old, new, limit)}", markup=False)
    for service, old_ids in before["documents"].items():
        new_ids = after["documents"][service]
        changed = sorted({key for key, _ in old_ids.items() ^ new_ids.items()})
        kinds = sorted({kind for kind, _ in before["kinds"][service].items() ^ after["kinds"][service].items()})
        documents += len(changed)
        if changed:
            added, removed = len(new_ids.keys() - old_ids), len(old_ids.keys() - new_ids)
            count = f"{len(changed)} documents, {added} added, {removed} removed"
            out.print(f"{service}: {count}, of {', '.join(kinds)}; first: {', '.join(changed[:10])}", markup=False)
    out.print(f"{responses} of {len(before['responses'])} responses and {documents} documents differ.")
    return responses + documents


def load(path: Path) -> Recording:
    return cast("Recording", orjson.loads(gzip.decompress(path.read_bytes())))


def recorded_calls(recording: Recording) -> dict[str, list[Call]]:
    found: defaultdict[str, list[Call]] = defaultdict(list)
    for response in recording["responses"].values():
        found[response["service"]].append(Call(**response["call"]))
    return found


def main() -> int:
    """Record or compare; the exit code is 1 if a response or document differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("--to", type=Path, required=True, help="the recording: written, or compared with")
    parser.add_argument("--tree", type=Path, default=CHECKOUT, help="the checkout to measure; default: this one")
    parser.add_argument("--of", type=Path, help="compare this recording instead of measuring a checkout")
    parser.add_argument("--lines", type=int, default=12, help="lines of each difference to print")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the node is stopped
    if options.what == "record":
        tree = options.tree.resolve()
        judgments = next(tree.glob("[a-z]*/**/judgments.tsv"))  # its folder differs between releases
        recording = record(tree, {name: calls(tree / tables, judgments) for name, tables in CONTENTS.items()})
        options.to.write_bytes(gzip.compress(orjson.dumps(recording)))
        out.print(f"{len(recording['responses'])} responses in {options.to}")
        return 0
    before = load(options.to)
    after = load(options.of) if options.of else record(options.tree.resolve(), recorded_calls(before))
    return 1 if compare(before, after, options.lines) else 0


if __name__ == "__main__":
    sys.exit(main())
