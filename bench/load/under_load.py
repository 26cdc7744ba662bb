"""Steady searches while the operator builds, applies, undoes and rolls back: is every answer whole and of one release?

    python -m bench.load.under_load --rounds 10

needs a running node (`akg node start`). It works behind an alias of its own and removes it at the end. The engine tests
run two rounds of the same over a small world.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import orjson
from opensearchpy import OpenSearch

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

CHECKOUT = Path(__file__).parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "engine"))

from tests.support.fixture_graphs import serving  # noqa: E402 - found by the line above

IN_FLIGHT = 8
RULE = "zork => zork, telework\n"
ONE_SUMMARY, OTHER_SUMMARY = "Doing the job from home", "Doing one’s job from home"
PROBES: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("GET", "/search?query=telework", None),  # found at all times; the summary tells the tables
    ("GET", "/search?query=zork&spelling=off", None),  # found by the rule only: empty without it
    ("GET", "/search?query=zork", None),
    ("GET", "/search?query=low%20visoin", None),  # several requests to the engine in one answer
    ("GET", "/search?query=qqzzqq", None),
    ("GET", "/suggest?query=telew", None),
    ("GET", "/solution?limit=5", None),
    ("GET", "/limitation/low-vision/neighbors?edge=limitation_of", None),
    ("POST", "/recommend", {"disability": "low-vision"}),
)
ALWAYS = frozenset(path for _, path, _ in PROBES) - {
    "/search?query=zork&spelling=off",
    "/search?query=zork",
    "/search?query=qqzzqq",
}


@dataclass
class Seen:
    """What the answers said, and everything that does not fit together."""

    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    bodies: dict[tuple[str, str, str], bytes] = field(default_factory=dict)
    by_tag: dict[str, tuple[Any, bytes]] = field(default_factory=dict)
    tags: dict[tuple[str, str], str] = field(default_factory=dict)

    def note(self, path: str, answer: httpx.Response, seconds: float) -> None:
        """Hold one answer against all others."""
        self.answers[path] += 1
        self.seconds.append(seconds)
        if answer.status_code != httpx.codes.OK:
            self.faults.append(f"{path}: {answer.status_code} {answer.json()['detail']}")
            return
        body = answer.json()
        said = body.pop("provenance")
        if path in ALWAYS and not body["results"]:
            self.faults.append(f"{path}: empty by mistake")
        release = (said["data_version"], said["synonyms_version"])
        content = orjson.dumps(body)
        if self.bodies.setdefault((path, *release), content) != content:
            self.faults.append(f"{path}: two contents of data {release[0]} with rules {release[1]}")
        tag = answer.headers.get("etag")
        if tag is None:
            return
        versions = (*release, said["released"])
        if self.by_tag.setdefault(tag, (versions, content)) != (versions, content):
            self.faults.append(f"{path}: ETag {tag} stands for two answers")
        if self.tags.setdefault((path, str(versions)), tag) != tag:
            self.faults.append(f"{path}: two ETags of {versions}")

    def contents(self) -> dict[str, int]:
        """How many different contents each question had."""
        found: defaultdict[str, set[bytes]] = defaultdict(set)
        for (path, *_), content in self.bodies.items():
            found[path].add(content)
        return {path: len(contents) for path, contents in found.items()}


async def ask_steadily(service: httpx.AsyncClient, seen: Seen, ended: asyncio.Event) -> None:
    """Keep IN_FLIGHT requests in flight until stopped."""

    async def one(start: int) -> None:
        for method, path, body in itertools.islice(itertools.cycle(PROBES), start, None):
            if ended.is_set():
                return
            began = time.perf_counter()
            answer = await service.request(method, path, json=body)
            seen.note(path, answer, time.perf_counter() - began)

    await asyncio.gather(*(one(start) for start in range(IN_FLIGHT)))


async def rounds_under_load(
    service: httpx.AsyncClient,
    number: int,
    operate: Callable[..., Awaitable[None]],
    tables: Sequence[Path],
    rules: Path,
) -> Seen:
    """Build, apply, undo and roll back for so many rounds under load."""
    seen, ended = Seen(), asyncio.Event()
    without = await asyncio.to_thread(rules.read_text, "utf-8")
    asking = asyncio.create_task(ask_steadily(service, seen, ended))
    try:
        for turn in range(number):
            await asyncio.to_thread(rules.write_text, without, "utf-8")
            await operate("index", "build", "--content", str(tables[turn % len(tables)]), "--file-rules")
            await asyncio.to_thread(rules.write_text, without + RULE, "utf-8")
            await operate("synonyms", "apply", "--accept")
            await operate("synonyms", "undo")
            await operate("index", "rollback")
    finally:
        ended.set()
        await asking
        await asyncio.to_thread(rules.write_text, without, "utf-8")
    return seen


def other_tables(content: Path, folder: Path) -> Path:
    """A copy of the tables in which one summary has other words."""
    copy = folder / "tables"
    shutil.copytree(content, copy)
    path = copy / "solutions.csv"
    text = path.read_text("utf-8")
    assert ONE_SUMMARY in text
    path.write_text(text.replace(ONE_SUMMARY, OTHER_SUMMARY), "utf-8")
    return copy


async def main() -> int:
    """Run it on the shipped graph, and print a report."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--url", default="http://127.0.0.1:9200")
    options.add_argument("--content", type=Path, default=CHECKOUT / "content")
    options.add_argument("--deadline", type=float, default=2.0, help="seconds that a request may take")
    chosen = options.parse_args()
    took: defaultdict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(CHECKOUT / "mappings", folder / "mappings")
        rules = folder / "mappings" / "synonyms" / "spelling.txt"
        tables = (chosen.content, other_tables(chosen.content, folder))
        environ = {
            "AKG_OPENSEARCH_URL": chosen.url,
            "AKG_ALIAS": "akg-bench",
            "AKG_MAPPINGS": str(folder / "mappings"),
            "AKG_DATA": str(folder / "data"),
        }

        async def operate(*words: str) -> None:
            began = time.perf_counter()
            command = [sys.executable, "-c", "from akg.cli import app; app()", *words]
            await asyncio.to_thread(
                subprocess.run, command, check=True, env={**os.environ, **environ}, cwd=CHECKOUT, capture_output=True
            )
            took[" ".join(words[:2])].append(time.perf_counter() - began)
            print(f"{' '.join(words[:2]):16} {took[' '.join(words[:2])][-1]:6.2f} s", flush=True)

        await operate("index", "build", "--content", str(tables[1]))
        async with serving(chosen.url, "akg-bench", deadline_seconds=chosen.deadline) as service:
            seen = await rounds_under_load(service, chosen.rounds, operate, tables, rules)
    OpenSearch(hosts=[chosen.url]).indices.delete(index="akg-bench-*")
    report(seen, took)
    return 1 if seen.faults else 0


def report(seen: Seen, took: dict[str, list[float]]) -> None:
    """Print the number of requests, their duration and their errors."""
    cut = statistics.quantiles(seen.seconds, n=100)
    p50, p99, longest = (round(1000 * seconds, 1) for seconds in (cut[49], cut[98], max(seen.seconds)))
    lines = [
        f"{seen.answers.total():,} answers, {IN_FLIGHT} in flight: p50 {p50} ms, p99 {p99} ms, longest {longest} ms",
        *(f"{name:16} {len(found):>3} times, median {statistics.median(found):.2f} s" for name, found in took.items()),
        *(f"{path}: {number} different contents" for path, number in seen.contents().items()),
        f"{len(seen.faults)} faults",
        *(f"{number} times {fault}" for fault, number in Counter(seen.faults).most_common(20)),
    ]
    print("\n".join(lines))


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
