"""The testbed: a cluster, a proxy for each node, two services, an operator workspace, and the expected responses.

Before the faults, two versions of the tables are published in turn, each with and without one synonym rule, and the
responses of each release are recorded. The last release stays live.
"""

import asyncio
import csv
import shutil
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import httpx
from opensearchpy import OpenSearch

from akg.node import default_cache
from bench.faults.cluster import Cluster
from bench.faults.load import Load
from bench.faults.response_check import RULE, BaselineError, Checker, Versions, record_baseline
from bench.processes import CommandResult, ProcessGuard, Service, run
from bench.proxies import TcpProxy
from indexer.release.releases import Releases
from indexer.release.verify import Expected, verify
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS

ALIAS = "akg-chaos"
CHECK_SECONDS = 2.5  # until a service has noticed a new live release
CHANGED_SOLUTION = "flexible-schedule"  # its summary differs between the two versions of the tables
ADDED_SENTENCE = " Both sides agree on it."
BASE_RELEASE = (1, False)  # live when the faults begin, and again after each fault
TIMEOUT_SECONDS = 60  # of a request to OpenSearch or a service
ReleaseKey = tuple[int, bool]  # index of the tables, and whether the rule is present


@dataclass(frozen=True, slots=True)
class Workspace:
    """The files and commands of the operator."""

    folder: Path
    urls: tuple[str, ...]

    @property
    def tables(self) -> tuple[Path, Path]:
        return self.folder / "tables", self.folder / "changed-tables"

    @property
    def rules(self) -> Path:
        """The file that contains the rule or not."""
        return self.folder / "mappings" / "synonyms" / "spelling.txt"

    @property
    def settings(self) -> dict[str, str]:
        """The settings of all commands and services."""
        return {
            "AKG_OPENSEARCH_URL": ",".join(self.urls),
            "AKG_ALIAS": ALIAS,
            "AKG_MAPPINGS": str(self.folder / "mappings"),
            "AKG_DATA": str(self.folder / "data"),
            "AKG_USAGE_INDEX": "akg-chaos-usage",
            "AKG_RATE_LIMIT": "0",
        }

    def prepare_files(self, content: Path) -> None:
        """Copy mappings and tables; add a sentence to one summary in the second version."""
        shutil.copytree(MAPPINGS, self.folder / "mappings")
        for tables in self.tables:
            shutil.copytree(content, tables)
        path = self.tables[1] / "solutions.csv"
        text = path.read_text("utf-8")
        (short,) = [row["short"] for row in csv.DictReader(text.splitlines()) if row["slug"] == CHANGED_SOLUTION]
        path.write_text(text.replace(short, short + ADDED_SENTENCE, 1), "utf-8")

    def write_rule(self, *, present: bool) -> None:
        """Add the rule to the file, or remove it."""
        text = self.rules.read_text("utf-8").replace(RULE, "")
        self.rules.write_text(text + (RULE if present else ""), "utf-8")

    def build(self, version: int, **environment: str) -> CommandResult:
        """Build and publish a version of the tables without the rule."""
        self.write_rule(present=False)
        return self.run(
            "index", "build", "--content", str(self.tables[version]), "--file-rules", "--force", **environment
        )

    def apply(self) -> CommandResult:
        """Add the rule to the live release."""
        self.write_rule(present=True)
        return self.run("synonyms", "apply", "--accept")

    def run(self, *arguments: str, **environment: str) -> CommandResult:
        return run({**self.settings, **environment}, *arguments)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run; `main` documents them."""

    only: tuple[str, ...]
    seed: int
    rounds: int
    seconds: float
    soak: float
    content: Path
    heap: str
    steps: int


@dataclass
class Testbed:
    """All that a fault needs. `begin_fault` and `end_fault` set the times from which recovery is counted."""

    cluster: Cluster
    proxies: list[TcpProxy]
    services: list[Service]
    workspace: Workspace
    checker: Checker
    load: Load
    rng: Random
    client: OpenSearch
    versions: dict[ReleaseKey, Versions]
    options: Options
    guard: ProcessGuard
    began_at: float = 0.0
    ended_at: float = 0.0
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)  # failed expectations, without those of responses

    @property
    def releases(self) -> Releases:
        return Releases(self.client, ALIAS)

    def begin_fault(self, note: str) -> None:
        self.began_at = self.ended_at = time.monotonic()
        self.notes.append(note)

    def end_fault(self) -> None:
        self.ended_at = time.monotonic()

    async def wait(self) -> None:
        """Wait for the duration of a fault."""
        await asyncio.sleep(self.options.seconds)

    def check(self, ok: bool, failure: str) -> None:  # noqa: FBT001 - reads like assert
        """Record a failure unless the condition holds."""
        if not ok:
            self.failures.append(failure)

    def expect_success(self, result: CommandResult, label: str) -> None:
        """Record a failure if the command failed."""
        self.check(not result.code, f"{label} failed: {result.output[-500:]}")

    def expect_no_traceback(self, result: CommandResult, label: str) -> None:
        """Record a failure if the command printed a stack trace."""
        self.check("Traceback" not in result.output, f"{label} printed a stack trace: {result.output[-500:]}")

    async def build(self, key: ReleaseKey, **environment: str) -> CommandResult:
        """Build and publish a version of the tables without the rule."""
        return await self.operate(key, partial(self.workspace.build, key[0], **environment))

    async def operate(self, key: ReleaseKey, command: Callable[[], CommandResult]) -> CommandResult:
        """Run a command that makes this release live, and expect its responses if the command succeeds."""
        expected, before = self.versions[key], set(self.checker.live)
        self.checker.live.add(expected)
        result = await asyncio.to_thread(command)
        await asyncio.sleep(CHECK_SECONDS)
        self.checker.live.clear()
        self.checker.live.update(before if result.code else {expected})
        return result

    def find_losses(self, before: set[str]) -> list[str]:
        """Return the releases that are missing or incomplete, and the wrong responses of both services."""
        releases = {release.index: release for release in self.releases.complete_releases()}
        losses = [f"{index} is missing" for index in sorted(before - releases.keys())]
        live = [release.index for release in releases.values() if release.live]
        if len(live) != 1:
            return [*losses, f"{len(live)} releases are live"]
        vocabulary = read_vocabulary(self.workspace.folder / "mappings")
        for index in releases:
            losses += verify(self.client, index, Expected.from_index(self.client, index, vocabulary.forward))
        for service in self.services:
            with httpx.Client(base_url=service.url, timeout=TIMEOUT_SECONDS) as client:
                losses += [f"{service.name}: {problem}" for problem in self._wrong_responses(client)]
        return losses

    def _wrong_responses(self, client: httpx.Client) -> list[str]:
        try:
            versions, digests = record_baseline(client)
        except (BaselineError, httpx.HTTPError) as error:
            return [str(error)]
        if versions not in self.checker.live:
            return [f"the service responds with {versions}, which is not live"]
        expected = self.checker.baseline[versions]
        return [f"{name} has a wrong response" for name, digest in digests.items() if expected[name] != digest]


async def set_up(
    options: Options,
    folder: Path,
    clock_settings: dict[str, str],
    report_step: Callable[[str], None],
    guard: ProcessGuard,
    exit_stack: AsyncExitStack,
) -> Testbed:
    """Start all processes and record the expected responses; `exit_stack` ends the processes.

    `clock_settings` is the environment of the service with the movable clock.
    """
    new_rng = partial(Random, options.seed)
    report_step("Starting three nodes")
    cluster = Cluster(folder / "nodes", default_cache(), options.heap, guard)
    exit_stack.callback(cluster.close)
    await asyncio.to_thread(cluster.start)
    targets = [TcpProxy(node.http_port, new_rng()) for node in cluster.nodes]
    proxies = [await exit_stack.enter_async_context(proxy.listening()) for proxy in targets]
    workspace = Workspace(folder, cluster.urls)
    await asyncio.to_thread(workspace.prepare_files, options.content)
    through_proxies = {**workspace.settings, "AKG_OPENSEARCH_URL": ",".join(proxy.url for proxy in proxies)}
    uncached = {"AKG_RESPONSE_CACHE_BYTES": "0"}  # so every request reaches OpenSearch
    services = [
        Service(name, {**through_proxies, **environment}, folder / f"{name}.log", guard)
        for name, environment in (("cached", clock_settings), ("uncached", uncached))
    ]
    for service in services:
        exit_stack.callback(service.kill)
    client = OpenSearch(hosts=list(cluster.urls), timeout=TIMEOUT_SECONDS, max_retries=3, retry_on_timeout=True)
    exit_stack.callback(client.close)
    baseline, versions = await asyncio.to_thread(_record_baselines, workspace, services, report_step)
    checker = Checker(baseline, {versions[BASE_RELEASE]})
    load = Load([service.url for service in services], checker, new_rng())
    return Testbed(cluster, proxies, services, workspace, checker, load, new_rng(), client, versions, options, guard)


def _record_baselines(
    workspace: Workspace, services: list[Service], report_step: Callable[[str], None]
) -> tuple[dict[Versions, dict[str, str]], dict[ReleaseKey, Versions]]:
    """Publish each release in turn and record its responses; BASE_RELEASE is live at the end."""
    baseline: dict[Versions, dict[str, str]] = {}
    versions: dict[ReleaseKey, Versions] = {}

    def record(key: ReleaseKey) -> None:
        time.sleep(CHECK_SECONDS)
        with httpx.Client(base_url=services[-1].url, timeout=TIMEOUT_SECONDS) as client:
            version, digests = record_baseline(client)
        if baseline.setdefault(version, digests) != digests or versions.setdefault(key, version) != version:
            raise BaselineError(f"the responses of release {key} differ between two recordings")

    def require_success(result: CommandResult) -> None:
        if result.code:
            raise BaselineError(result.output[-2000:])

    for tables in (0, 1):
        report_step(f"Building release {tables + 1} of 2")
        require_success(workspace.build(tables))
        if not tables:
            for service in services:
                service.start()
            for service in services:
                service.await_ready()
        record((tables, False))
        report_step("Adding a rule")
        require_success(workspace.apply())
        record((tables, True))
        require_success(workspace.run("synonyms", "undo"))
    record(BASE_RELEASE)
    if len(baseline) != 4:
        raise BaselineError(f"{len(baseline)} distinct releases, expected 4")
    return baseline, versions
