"""Kill the indexer at each of its steps: just before a call reaches OpenSearch, and just after its response.

A step is a call to OpenSearch. A proxy counts the calls and, at the chosen one, ends the calling process by SIGKILL. An
undisturbed first run lists the steps.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp import ClientSession, web

from bench.faults.services import environment, run
from bench.load.killed import faults, remains
from indexer.release.releases import Releases
from tests.support.fixture_graphs import CHECKOUT, MAPPINGS, WORLD
from tests.support.operator_session import RULES, OperatorSession
from tests.support.serving import SERVE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from bench.faults.services import Leash
    from bench.faults.testbed import Stage


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


ALIAS = "akg-steps"
BUILD = ("index", "build")
COMMANDS: tuple[tuple[str, ...], ...] = (BUILD, (*BUILD, "--from-scratch"), ("synonyms", "apply", "--accept"))
SUMMARY = "Doing the job from home"  # of a solution, as the tables have it


@dataclass(slots=True)
class Tripwire:
    """Stands between a command and the engine. At `step` it ends `process`, before or after it passed the call on."""

    target: str
    url: str = ""
    step: str = ""
    after: bool = False
    process: asyncio.subprocess.Process | None = None
    calls: list[str] = field(default_factory=list)
    tripped: bool = False

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Pass one call on, or kill the process that makes it."""
        call = shape(request.method, request.path)
        self.calls.append(call)
        here = f"{call} {self.calls.count(call)}" == self.step
        if here and not self.after:
            return self._trip(request)
        async with (
            ClientSession() as session,
            session.request(
                request.method, self.target + request.path_qs, data=await request.read(), headers=request.headers
            ) as answer,
        ):
            body = await answer.read()
        if here:
            return self._trip(request)
        return web.Response(status=answer.status, body=body, content_type=answer.content_type)

    def _trip(self, request: web.Request) -> web.Response:
        self.tripped = True
        if self.process is not None:
            self.process.kill()
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=502)


@asynccontextmanager
async def tripwire(target: str) -> AsyncIterator[Tripwire]:
    """A tripwire on a free port."""
    found = Tripwire(target)
    server = web.Application(client_max_size=64 * 1024**2)
    server.router.add_route("*", "/{path:.*}", found.handle)
    runner = web.AppRunner(server)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = "http://{}:{}".format(*runner.addresses[0][:2])
    try:
        yield found
    finally:
        await runner.cleanup()


async def indexer_killed(stage: Stage, most: int, leash: Leash) -> None:
    """Kill a build and an apply at each of their steps, at most so many of them; then look, clear up, look again.

    It is done behind an alias of its own over the small world of the tests, in the same cluster.
    """
    operator = await asyncio.to_thread(_session, stage)
    stage.breaks("the indexer works")
    ended = await asyncio.to_thread(run, _environ(operator), *BUILD)
    stage.insist(not ended.code, f"the first build fails: {ended.said[-300:]}")
    todo: list[tuple[tuple[str, ...], str, bool]] = []
    for words in COMMANDS:
        await asyncio.to_thread(_edit, operator, len(todo))
        calls, _, code = await _run(operator, words, "", leash, after=False)
        stage.insist(not code, f"{' '.join(words)} ends with {code} where nobody disturbs it")
        todo += [(words, step, after) for step in steps_of(calls) for after in (False, True)]
    chosen = todo if most >= len(todo) else sorted(stage.chance.sample(todo, most), key=todo.index)
    killed = 0
    for number, (words, step, after) in enumerate(chosen):
        await asyncio.to_thread(_edit, operator, len(todo) + number)
        _, tripped, _ = await _run(operator, words, step, leash, after=after)
        killed += tripped
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


async def _run(
    operator: OperatorSession, words: tuple[str, ...], step: str, leash: Leash, *, after: bool
) -> tuple[list[str], bool, int]:
    """Run a command through a tripwire; the calls it made, whether it was killed at its step, and how it ended."""
    async with tripwire(operator.url.partition(",")[0]) as wire:
        wire.step, wire.after = step, after
        settings = {**_environ(operator), "AKG_OPENSEARCH_URL": wire.url}
        wire.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SERVE, *words),
            cwd=CHECKOUT,
            env=environment(settings),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        leash.hold(wire.process.pid)
        code = await wire.process.wait()
        leash.let_go(wire.process.pid)
        return wire.calls, wire.tripped, code


def _wrong(operator: OperatorSession) -> list[str]:
    """What readers would see that is not whole, now and after the next command has cleared up."""
    found = faults(operator)
    cleared = run(operator.environ, "index", "prune")
    if cleared.code:
        found.append(f"the next command fails: {cleared.said[-300:]}")
    return [
        *found,
        *(f"{one} is left" for one in remains(operator)),
        *(f"cleared up, then {one}" for one in faults(operator)),
    ]
