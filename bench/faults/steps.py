"""Kill the indexer at each of its steps: just before a call reaches OpenSearch, and just after its response.

A step is a call to OpenSearch. A proxy counts the calls and, at the chosen one, ends the calling process by SIGKILL. An
undisturbed first run lists the steps.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp import web

from bench.load.operator_commands import find_faults, find_remains
from bench.processes import AKG, environment, run
from bench.proxies import http_proxy
from indexer.release.releases import Releases
from tests.support.fixture_graphs import CHECKOUT, MAPPINGS, WORLD
from tests.support.operator_session import RULES, OperatorSession

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bench.faults.testbed import Stage
    from bench.processes import Leash
    from bench.proxies import PassOn

ALIAS = "akg-steps"
BUILD = ("index", "build")
COMMANDS: tuple[tuple[str, ...], ...] = (BUILD, (*BUILD, "--from-scratch"), ("synonyms", "apply", "--accept"))
SUMMARY = "Doing the job from home"  # of a solution, as the tables have it
STAMP = re.compile(r"\d{8}t\d{6}z")
NAMED = re.compile(r"/_doc/.*|/_create/.*|/_search/scroll/.*")
WRITES = frozenset(("PUT", "POST", "DELETE"))
READ_BY_POST = re.compile(r"/_(search|msearch|mget|analyze|count)\b")
MOST_OF_ONE = 2  # calls of the same kind at which the indexer is killed: the first bulk and the next, not each


def shape(method: str, path: str) -> str:
    """A call without what differs from run to run."""
    return f"{method} {NAMED.sub('/_doc', STAMP.sub('…', path))}"


def steps_of(calls: Iterable[str]) -> list[str]:
    """The steps of a run, each call with its number among those of its kind: `PUT /akg-… 1`. Reads count once."""
    seen: Counter[str] = Counter()
    found = []
    for call in calls:
        seen[call] += 1
        method, _, path = call.partition(" ")
        writes = method in WRITES and not READ_BY_POST.search(path)
        if seen[call] <= (MOST_OF_ONE if writes else 1):
            found.append(f"{call} {seen[call]}")
    return found


@dataclass(slots=True)
class Tripwire:
    """Passes on the calls of a command, and ends `process` before or after the call `step`."""

    step: str
    after: bool
    process: asyncio.subprocess.Process | None = None
    calls: list[str] = field(default_factory=list)
    tripped: bool = False

    async def handle(self, request: web.Request, pass_on: PassOn) -> web.Response:
        """Pass one call on, or kill the process that makes it."""
        call = shape(request.method, request.path)
        self.calls.append(call)
        here = f"{call} {self.calls.count(call)}" == self.step
        if here and not self.after:
            return self._trip(request)
        response = await pass_on(request)
        return self._trip(request) if here else response

    def _trip(self, request: web.Request) -> web.Response:
        self.tripped = True
        if self.process is not None:
            self.process.kill()
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=502)


async def indexer_killed(stage: Stage) -> None:
    """Kill a build and an apply at each of their steps, at most so many of them; then look, clear up, look again.

    It is done behind an alias of its own over the small world of the tests, in the same cluster.
    """
    operator = await asyncio.to_thread(_session, stage)
    stage.breaks("the indexer works")
    stage.expect_success(await asyncio.to_thread(run, _environ(operator), *BUILD), "the first build")
    todo: list[tuple[tuple[str, ...], str, bool]] = []
    for words in COMMANDS:
        await asyncio.to_thread(_edit, operator, len(todo))
        wire = Tripwire("", after=False)
        code = await _run(operator, words, wire, stage.leash)
        stage.insist(not code, f"{' '.join(words)} ends with {code} where nobody disturbs it")
        todo += [(words, step, after) for step in steps_of(wire.calls) for after in (False, True)]
    most = min(stage.options.steps, len(todo))
    chosen = sorted(stage.chance.sample(todo, most), key=todo.index)
    killed = 0
    for number, (words, step, after) in enumerate(chosen):
        await asyncio.to_thread(_edit, operator, len(todo) + number)
        wire = Tripwire(step, after)
        await _run(operator, words, wire, stage.leash)
        killed += wire.tripped
        for wrong in await asyncio.to_thread(_wrong, operator):
            stage.failures.append(f"{' '.join(words)} killed {'after' if after else 'before'} {step}: {wrong}")
    stage.insist(bool(killed), "it was never killed")
    stage.notes.append(
        f"{len(chosen)} of {len(todo)} moments were tried, drawn by the seed; at {killed} it was at work"
    )
    await asyncio.to_thread(stage.client.indices.delete, index=f"{ALIAS}-*")


def _session(stage: Stage) -> OperatorSession:
    folder = stage.workspace.folder / "steps"
    operator = OperatorSession(folder, ",".join(stage.cluster.urls), Releases(stage.client, ALIAS))
    if not folder.exists():
        (folder / "mappings" / "synonyms").mkdir(parents=True)
        for name in ("entities.json", "vocabulary.json"):
            shutil.copy(MAPPINGS / name, folder / "mappings" / name)
        operator.rules.write_text(RULES)
        shutil.copytree(WORLD, folder / "content")
    return operator


def _environ(operator: OperatorSession) -> Mapping[str, str]:
    return {**operator.environ, "AKG_CONTENT": str(operator.folder / "content")}


def _edit(operator: OperatorSession, number: int) -> None:
    """Write another rule, and another summary, so that a build has something to send."""
    operator.rules.write_text(f"{RULES}zork{number} => zork{number}, telework\n", "utf-8")
    text = (WORLD / "solutions.csv").read_text("utf-8").replace(SUMMARY, f"{SUMMARY} {number}")
    (operator.folder / "content" / "solutions.csv").write_text(text, "utf-8")


async def _run(operator: OperatorSession, words: tuple[str, ...], wire: Tripwire, leash: Leash) -> int:
    """Run a command through a tripwire; return its exit code."""
    async with http_proxy(operator.url.partition(",")[0], wire.handle) as url:
        wire.process = await asyncio.create_subprocess_exec(
            *(*AKG, *words),
            cwd=CHECKOUT,
            env=environment({**_environ(operator), "AKG_OPENSEARCH_URL": url}),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        leash.hold(wire.process.pid)
        code = await wire.process.wait()
        leash.let_go(wire.process.pid)
        return code


def _wrong(operator: OperatorSession) -> list[str]:
    """What readers would see that is not whole, now and after the next command has cleared up."""
    found = find_faults(operator)
    cleared = run(operator.environ, "index", "prune")
    if cleared.code:
        found.append(f"the next command fails: {cleared.output[-300:]}")
    return [
        *found,
        *(f"{one} is left" for one in find_remains(operator)),
        *(f"cleared up, then {one}" for one in find_faults(operator)),
    ]
