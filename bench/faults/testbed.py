"""Where faults are tried: a cluster, a line to each of its nodes, two services, an operator, and the truth.

Two releases of the tables, each with and without one synonym rule, are published in turn beforehand, and what each
answers is written down. The last one stays live.
"""

from __future__ import annotations

import asyncio
import csv
import shutil
import time
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import httpx
from opensearchpy import OpenSearch

from akg.node import default_cache
from bench.faults.cluster import Cluster
from bench.faults.load import Load
from bench.faults.response_check import RULE, Checker, UntrueError, take_truth
from bench.processes import Ended, Service, run
from bench.proxies import Line
from indexer.release.releases import Releases
from indexer.release.verify import Expected, verify
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AsyncExitStack
    from pathlib import Path

    from bench.faults.response_check import Versions
    from bench.processes import Leash

ALIAS = "akg-chaos"
CHECK_SECONDS = 2.5  # seconds after which a service has seen a release that went live
CHANGED = "flexible-schedule"  # the solution whose summary tells the two sets of tables apart
OTHER_WORDS = " Both sides agree on it."
LAST = (1, False)  # what is live when the faults begin, and again after each
SLOW_MACHINE = 60  # seconds that an operator's question to the engine may take
Which = tuple[int, bool]  # the first or second set of tables, without or with the rule


@dataclass(frozen=True, slots=True)
class Workspace:
    """The operator: tables, rules and commands."""

    folder: Path
    urls: tuple[str, ...]

    @property
    def tables(self) -> tuple[Path, Path]:
        """Both sets of tables."""
        return self.folder / "tables", self.folder / "other-tables"

    @property
    def rules(self) -> Path:
        """The file that the rule is written into."""
        return self.folder / "mappings" / "synonyms" / "spelling.txt"

    @property
    def settings(self) -> dict[str, str]:
        """What commands and services have in common."""
        return {
            "AKG_OPENSEARCH_URL": ",".join(self.urls),
            "AKG_ALIAS": ALIAS,
            "AKG_MAPPINGS": str(self.folder / "mappings"),
            "AKG_DATA": str(self.folder / "data"),
            "AKG_USAGE_INDEX": "akg-chaos-usage",
            "AKG_RATE_LIMIT": "0",
        }

    def lay_out(self, content: Path) -> None:
        """Copy what is published, and change one sentence of one copy."""
        shutil.copytree(MAPPINGS, self.folder / "mappings")
        for tables in self.tables:
            shutil.copytree(content, tables)
        path = self.tables[1] / "solutions.csv"
        text = path.read_text("utf-8")
        (short,) = [row["short"] for row in csv.DictReader(text.splitlines()) if row["slug"] == CHANGED]
        path.write_text(text.replace(short, short + OTHER_WORDS, 1), "utf-8")

    def write_rule(self, *, there: bool) -> None:
        """Have the rule in the file, or not."""
        text = self.rules.read_text("utf-8").replace(RULE, "")
        self.rules.write_text(text + (RULE if there else ""), "utf-8")

    def build(self, which: int, **more: str) -> Ended:
        """Publish one set of tables, without the rule."""
        self.write_rule(there=False)
        return self.run("index", "build", "--content", str(self.tables[which]), "--file-rules", **more)

    def apply(self) -> Ended:
        """Add the rule to what is live."""
        self.write_rule(there=True)
        return self.run("synonyms", "apply", "--accept")

    def run(self, *words: str, **more: str) -> Ended:
        """Run a command."""
        return run({**self.settings, **more}, *words)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run, as `main` documents them."""

    only: tuple[str, ...]
    seed: int
    rounds: int
    seconds: float
    soak: float
    content: Path
    heap: str
    steps: int


@dataclass
class Stage:
    """What a fault works on. `breaks` and `mends` note the moments from which recovery is counted."""

    cluster: Cluster
    lines: list[Line]
    services: list[Service]
    workspace: Workspace
    checker: Checker
    load: Load
    chance: Random
    client: OpenSearch
    versions: dict[Which, Versions]
    options: Options
    leash: Leash
    broken_at: float = 0.0
    mended_at: float = 0.0
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)  # what did not end as it must, beside the answers

    @property
    def releases(self) -> Releases:
        """All releases behind the alias."""
        return Releases(self.client, ALIAS)

    def breaks(self, note: str) -> None:
        """Note that the fault begins."""
        self.broken_at = self.mended_at = time.monotonic()
        self.notes.append(note)

    def mends(self) -> None:
        """Note that its cause is gone."""
        self.mended_at = time.monotonic()

    async def lasts(self) -> None:
        """Wait as long as a fault lasts."""
        await asyncio.sleep(self.options.seconds)

    def insist(self, true: bool, otherwise: str) -> None:  # noqa: FBT001 - reads like assert
        """Note what did not end as it must."""
        if not true:
            self.failures.append(otherwise)

    def expect_success(self, ended: Ended, what: str) -> None:
        """Note a command that failed."""
        self.insist(not ended.code, f"{what} fails: {ended.output[-500:]}")

    def expect_no_traceback(self, ended: Ended, what: str) -> None:
        """Note a command that ended with a stack trace."""
        self.insist("Traceback" not in ended.output, f"{what} ended with a stack trace: {ended.output[-500:]}")

    async def build(self, which: Which, **more: str) -> Ended:
        """Publish a set of tables, without the rule."""
        return await self.operate(which, partial(self.workspace.build, which[0], **more))

    async def operate(self, leads_to: Which, deed: Callable[[], Ended]) -> Ended:
        """Run a command after which this release is live, and hold the services to it soon after."""
        wanted, before = self.versions[leads_to], set(self.checker.live)
        self.checker.live.add(wanted)
        ended = await asyncio.to_thread(deed)
        await asyncio.sleep(CHECK_SECONDS)
        self.checker.live.clear()
        self.checker.live.update(before if ended.code else {wanted})
        return ended

    def lost(self, before: set[str]) -> list[str]:
        """What was published before and is no longer there, or no longer whole. Asks every service everything."""
        found = {one.index: one for one in self.releases.complete_releases()}
        gone = [f"{index} is gone" for index in sorted(before - found.keys())]
        live = [one.index for one in found.values() if one.live]
        if len(live) != 1:
            return [*gone, f"{len(live)} releases are live"]
        vocabulary = read_vocabulary(self.workspace.folder / "mappings")
        for index in found:
            gone += verify(self.client, index, Expected.from_index(self.client, index, vocabulary.forward))
        for service in self.services:
            with httpx.Client(base_url=service.url, timeout=SLOW_MACHINE) as client:
                gone += [f"{service.name}: {what}" for what in self._untrue(client)]
        return gone

    def _untrue(self, client: httpx.Client) -> list[str]:
        try:
            versions, found = take_truth(client)
        except (UntrueError, httpx.HTTPError) as error:
            return [str(error)]
        if versions not in self.checker.live:
            return [f"{versions} answers, which is not live"]
        return [
            f"{name} has another answer" for name, one in found.items() if self.checker.truth[versions][name] != one
        ]


async def set_up(
    options: Options,
    folder: Path,
    clocked: dict[str, str],
    say: Callable[[str], None],
    leash: Leash,
    undo: AsyncExitStack,
) -> Stage:
    """Start everything and record the expected responses; `undo` ends it.

    `clocked` are the settings of the service whose clock can be moved.
    """
    chance = partial(Random, options.seed)
    say("Starting three nodes")
    cluster = Cluster(folder / "nodes", default_cache(), options.heap, leash)
    undo.callback(cluster.close)
    await asyncio.to_thread(cluster.start)
    lines = [await undo.enter_async_context(Line(node.http_port, chance()).opened()) for node in cluster.nodes]
    workspace = Workspace(folder, cluster.urls)
    await asyncio.to_thread(workspace.lay_out, options.content)
    through_lines = {**workspace.settings, "AKG_OPENSEARCH_URL": ",".join(line.url for line in lines)}
    uncached = {"AKG_RESPONSE_CACHE_BYTES": "0"}  # so every request reaches OpenSearch
    services = [
        Service(name, {**through_lines, **more}, folder / f"{name}.log", leash)
        for name, more in (("keeping", clocked), ("asking", uncached))
    ]
    for service in services:
        undo.callback(service.kill)
    client = OpenSearch(hosts=list(cluster.urls), timeout=SLOW_MACHINE, max_retries=3, retry_on_timeout=True)
    undo.callback(client.close)
    truth, versions = await asyncio.to_thread(_truth, workspace, services, say)
    checker = Checker(truth, {versions[LAST]})
    load = Load([service.url for service in services], checker, chance())
    return Stage(cluster, lines, services, workspace, checker, load, chance(), client, versions, options, leash)


def _truth(
    workspace: Workspace, services: list[Service], say: Callable[[str], None]
) -> tuple[dict[Versions, dict[str, str]], dict[Which, Versions]]:
    """Publish each release in turn and ask it everything; LAST is live at the end."""
    truth: dict[Versions, dict[str, str]] = {}
    versions: dict[Which, Versions] = {}

    def ask(which: Which) -> None:
        time.sleep(CHECK_SECONDS)
        with httpx.Client(base_url=services[-1].url, timeout=SLOW_MACHINE) as client:
            version, found = take_truth(client)
        if truth.setdefault(version, found) != found or versions.setdefault(which, version) != version:
            raise UntrueError(f"{which} has two truths")

    def must(ended: Ended) -> None:
        if ended.code:
            raise UntrueError(ended.output[-2000:])

    for tables in (0, 1):
        say(f"Building release {tables + 1} of 2")
        must(workspace.build(tables))
        if not tables:
            for service in services:
                service.start()
            for service in services:
                service.await_ready()
        ask((tables, False))
        say("Adding a rule")
        must(workspace.apply())
        ask((tables, True))
        must(workspace.run("synonyms", "undo"))
    ask(LAST)
    if len(truth) != 4:
        raise UntrueError(f"{len(truth)} releases differ, not 4")
    return truth, versions
