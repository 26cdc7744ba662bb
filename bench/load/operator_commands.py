"""Operator commands under load, and killed at random moments: readers see whole releases, the next command clears up.

The engine tests run both over a small world. `make chaos` does the same to the shipped graph, for longer.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
import orjson

from tests.support.fixture_graphs import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from pathlib import Path

    from tests.support.operator_session import OperatorSession

IN_FLIGHT = 8
RULE = "zork => zork, telework\n"
ONE_SUMMARY, OTHER_SUMMARY = "Doing the job from home", "Doing one’s job from home"
PROBES: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("GET", "/search?query=telework", None),  # found at all times; the summary tells the tables
    ("GET", "/search?query=zork&spelling=off", None),  # found by the rule only: empty without it
    ("GET", "/search?query=zork", None),
    ("GET", "/search?query=low%20visoin", None),  # several requests to OpenSearch in one response
    ("GET", "/search?query=qqzzqq", None),
    ("GET", "/suggest?query=telew", None),
    ("GET", "/solution?limit=5", None),
    ("GET", "/limitation/low-vision/neighbors?edge=limitation_of", None),
    ("POST", "/recommend", {"disability": "low-vision"}),
)
MAY_BE_EMPTY = frozenset(("/search?query=zork&spelling=off", "/search?query=zork", "/search?query=qqzzqq"))
CHILD = "import sys; from akg.cli import app; print('ready', flush=True); app(sys.argv[1:])"
COMMANDS = (
    ("synonyms", "apply", "--accept"),
    ("index", "build"),
    ("synonyms", "undo"),
    ("index", "rollback"),
    ("synonyms", "preview"),
    ("index", "prune", "--keep", "1"),
)


@dataclass
class Seen:
    """The content of all responses, and everything that does not fit together."""

    faults: list[str] = field(default_factory=list)
    bodies: dict[tuple[str, str, str], bytes] = field(default_factory=dict)
    by_tag: dict[str, tuple[Any, bytes]] = field(default_factory=dict)
    tags: dict[tuple[str, str], str] = field(default_factory=dict)

    def note(self, path: str, answer: httpx.Response) -> None:
        """Compare one response with all others."""
        if answer.status_code != httpx.codes.OK:
            self.faults.append(f"{path}: {answer.status_code} {answer.json()['detail']}")
            return
        body = answer.json()
        said = body.pop("provenance")
        if path not in MAY_BE_EMPTY and not body["results"]:
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
        """How many different contents each path had."""
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
            seen.note(path, await service.request(method, path, json=body))

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


def kill_one(operator: OperatorSession, words: Iterable[str], seconds: float) -> bool:
    """Run a command and kill it so long after its first word; return whether it was still running."""
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, *words],
        env={**os.environ, **operator.environ},
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(seconds)
        process.kill()
        process.communicate()
        return process.returncode == -signal.SIGKILL


def find_faults(operator: OperatorSession) -> list[str]:
    """What is wrong with what readers see, now."""
    releases = operator.releases
    live = releases.live_indices()
    if len(live) != 1:
        return [f"{len(live)} live indices: {live}"]
    if live[0] not in {release.index for release in releases.complete_releases()}:
        return [f"{live[0]} is live and not complete"]
    found = releases.client.search(index=releases.alias, body={"query": {"match": {"name": "telework"}}})
    return [] if found["hits"]["hits"] else ["the live release does not find Telework"]


def find_remains(operator: OperatorSession) -> list[str]:
    """Indices of the alias that are no complete releases."""
    complete = {release.index for release in operator.releases.complete_releases()}
    return [index for index in operator.state()[1] if index not in complete]


def moments(operator: OperatorSession, number: int, seed: int, longest: float) -> tuple[Counter[str], list[str]]:
    """Kill so many commands; how many of each were still running, and everything that was wrong."""
    chance = random.Random(seed)  # noqa: S311 - moments, no secret
    first = operator.rules.read_text("utf-8")
    caught: Counter[str] = Counter()
    wrong = []
    for turn in range(number):
        words = COMMANDS[turn % len(COMMANDS)]
        operator.rules.write_text(f"{first}zork{turn} => zork{turn}, telework\n", "utf-8")
        seconds = chance.uniform(0, longest)
        caught[" ".join(words[:2])] += kill_one(operator, words, seconds)
        label = f"{' '.join(words)} killed after {seconds:.2f} s"
        wrong += [f"{label}: {fault}" for fault in find_faults(operator)]
        operator.run("index", "prune")  # the next command
        wrong += [f"{label}: {one} is left" for one in find_remains(operator)]
        wrong += [f"{label}, then cleared up: {fault}" for fault in find_faults(operator)]
    operator.rules.write_text(first, "utf-8")
    return caught, wrong
