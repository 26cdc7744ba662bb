"""Run operator commands under load, or kill them at random moments, and check that readers see complete releases.

The engine tests run both on a small graph. `make chaos` does the same on the shipped graph, for longer.
"""

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
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import orjson

from tests.support.fixture_graphs import CHECKOUT
from tests.support.operator_session import OperatorSession

IN_FLIGHT = 8
RULE = "zork => zork, telework\n"
SUMMARY, CHANGED_SUMMARY = "Doing the job from home", "Doing one’s job from home"
PROBES: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
    ("GET", "/search?query=telework", None),  # always has hits; the summary differs between the tables
    ("GET", "/search?query=zork&spelling=off", None),  # empty without the rule
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
    ("index", "build", "--force"),
    ("synonyms", "undo"),
    ("index", "rollback"),
    ("synonyms", "preview"),
    ("index", "prune", "--keep", "1"),
)


@dataclass
class Responses:
    """The contents and ETags of all responses, and their inconsistencies."""

    problems: list[str] = field(default_factory=list)
    bodies: dict[tuple[str, str, str], bytes] = field(default_factory=dict)
    by_etag: dict[str, tuple[Any, bytes]] = field(default_factory=dict)
    etags: dict[tuple[str, str], str] = field(default_factory=dict)

    def note(self, path: str, response: httpx.Response) -> None:
        """Compare a response with all earlier ones."""
        if response.status_code != httpx.codes.OK:
            self.problems.append(f"{path}: {response.status_code} {response.json()['detail']}")
            return
        body = response.json()
        provenance = body.pop("provenance")
        if path not in MAY_BE_EMPTY and not body["results"]:
            self.problems.append(f"{path}: unexpectedly empty")
        release = (provenance["data_version"], provenance["synonyms_version"])
        content = orjson.dumps(body)
        if self.bodies.setdefault((path, *release), content) != content:
            self.problems.append(f"{path}: two contents for data {release[0]} with rules {release[1]}")
        etag = response.headers.get("etag")
        if etag is None:
            return
        versions = (*release, provenance["released"])
        if self.by_etag.setdefault(etag, (versions, content)) != (versions, content):
            self.problems.append(f"{path}: ETag {etag} has two contents")
        if self.etags.setdefault((path, str(versions)), etag) != etag:
            self.problems.append(f"{path}: two ETags for {versions}")

    def contents(self) -> dict[str, int]:
        by_path: defaultdict[str, set[bytes]] = defaultdict(set)
        for (path, *_), content in self.bodies.items():
            by_path[path].add(content)
        return {path: len(contents) for path, contents in by_path.items()}


async def send_requests(service: httpx.AsyncClient, responses: Responses, stopped: asyncio.Event) -> None:
    """Keep IN_FLIGHT requests in flight until `stopped` is set."""

    async def client(start: int) -> None:
        for method, path, body in itertools.islice(itertools.cycle(PROBES), start, None):
            if stopped.is_set():
                return
            responses.note(path, await service.request(method, path, json=body))

    await asyncio.gather(*(client(start) for start in range(IN_FLIGHT)))


async def rounds_under_load(
    service: httpx.AsyncClient,
    rounds: int,
    operate: Callable[..., Awaitable[None]],
    tables: Sequence[Path],
    rules: Path,
) -> Responses:
    """Build, apply, undo and roll back under load, `rounds` times."""
    responses, stopped = Responses(), asyncio.Event()
    original = await asyncio.to_thread(rules.read_text, "utf-8")
    requests = asyncio.create_task(send_requests(service, responses, stopped))
    try:
        for number in range(rounds):
            await asyncio.to_thread(rules.write_text, original, "utf-8")
            await operate("index", "build", "--content", str(tables[number % len(tables)]), "--file-rules", "--force")
            await asyncio.to_thread(rules.write_text, original + RULE, "utf-8")
            await operate("synonyms", "apply", "--accept")
            await operate("synonyms", "undo")
            await operate("index", "rollback")
    finally:
        stopped.set()
        await requests
        await asyncio.to_thread(rules.write_text, original, "utf-8")
    return responses


def changed_tables(content: Path, folder: Path) -> Path:
    """Copy the tables with one changed summary; return the folder."""
    copy = folder / "tables"
    shutil.copytree(content, copy)
    path = copy / "solutions.csv"
    text = path.read_text("utf-8")
    assert SUMMARY in text
    path.write_text(text.replace(SUMMARY, CHANGED_SUMMARY), "utf-8")
    return copy


def run_and_kill(operator: OperatorSession, arguments: Iterable[str], seconds: float) -> bool:
    """Run a command, kill it `seconds` after its first output, and return whether it was still running."""
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments],
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


def find_problems(operator: OperatorSession) -> list[str]:
    releases = operator.releases
    live = releases.live_indices()
    if len(live) != 1:
        return [f"{len(live)} live indices: {live}"]
    if live[0] not in {release.index for release in releases.complete_releases()}:
        return [f"{live[0]} is live and incomplete"]
    response = releases.client.search(index=releases.index_alias, body={"query": {"term": {"keys": "name:telework"}}})
    return [] if response["hits"]["hits"] else ["the live release does not find Telework"]


def find_leftovers(operator: OperatorSession) -> list[str]:
    """Return the indices of the alias that are not complete releases."""
    complete = {release.index for release in operator.releases.complete_releases()}
    return [index for index in operator.state()[1] if index not in complete]


def kill_at_random_moments(
    operator: OperatorSession, rounds: int, seed: int, max_seconds: float
) -> tuple[Counter[str], list[str]]:
    """Run and kill `rounds` commands; return how many of each were still running, and all problems."""
    rng = random.Random(seed)  # noqa: S311 - not a secret
    original = operator.rules.read_text("utf-8")
    killed: Counter[str] = Counter()
    problems = []
    for number in range(rounds):
        arguments = COMMANDS[number % len(COMMANDS)]
        operator.rules.write_text(f"{original}zork{number} => zork{number}, telework\n", "utf-8")
        seconds = rng.uniform(0, max_seconds)
        killed[" ".join(arguments[:2])] += run_and_kill(operator, arguments, seconds)
        prefix = f"{' '.join(arguments)} killed after {seconds:.2f} s"
        problems += [f"{prefix}: {fault}" for fault in find_problems(operator)]
        operator.run("index", "prune")  # the next command
        problems += [f"{prefix}: {index} is left over" for index in find_leftovers(operator)]
        problems += [f"{prefix}, after prune: {fault}" for fault in find_problems(operator)]
    operator.rules.write_text(original, "utf-8")
    return killed, problems
