"""Kill the indexer at each step: immediately before a call reaches OpenSearch, and immediately after its response.

A step is a call to OpenSearch. A proxy counts the calls and sends SIGKILL to the calling process at the selected one.
A first run without a kill lists the steps.
"""

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aiohttp import web

from bench.faults.testbed import Testbed
from bench.load.operator_commands import find_leftovers, find_problems
from bench.processes import ProcessGuard, run
from indexer.release.releases import Releases
from tests.support.fixture_graphs import CHECKOUT, MAPPINGS, WORLD
from tests.support.http_servers import Forward, http_proxy
from tests.support.operator_session import RULES, OperatorSession
from tests.support.serving import AKG, environment

ALIAS = "akg-steps"
BUILD = ("index", "build", "--force")
COMMANDS: tuple[tuple[str, ...], ...] = (BUILD, (*BUILD, "--from-scratch"), ("synonyms", "apply", "--accept"))
SUMMARY = "Doing the job from home"  # of a solution in the tables
STAMP = re.compile(r"\d{8}t\d{6}z")
VARIABLE_PATH = re.compile(r"/_doc/.*|/_create/.*|/_search/scroll/.*")
WRITES = frozenset(("PUT", "POST", "DELETE"))
READ_BY_POST = re.compile(r"/_(search|msearch|mget|analyze|count)\b")
MAX_CALLS_PER_KIND = 2  # at which the indexer is killed: the first two bulk requests, not each


def normalize_call(method: str, path: str) -> str:
    """Return a call without the parts that differ between runs."""
    return f"{method} {VARIABLE_PATH.sub('/_doc', STAMP.sub('…', path))}"


def list_steps(calls: Iterable[str]) -> list[str]:
    """Return the steps of a run: each call with its number among equal calls, `PUT /akg-… 1`. Reads count once."""
    counts: Counter[str] = Counter()
    steps = []
    for call in calls:
        counts[call] += 1
        method, _, path = call.partition(" ")
        writes = method in WRITES and not READ_BY_POST.search(path)
        if counts[call] <= (MAX_CALLS_PER_KIND if writes else 1):
            steps.append(f"{call} {counts[call]}")
    return steps


@dataclass(slots=True)
class KillPoint:
    """Forwards the calls of a command, and kills `process` before or after the call `step`."""

    step: str
    after: bool
    process: asyncio.subprocess.Process | None = None
    calls: list[str] = field(default_factory=list)
    triggered: bool = False

    async def handle(self, request: web.Request, forward: Forward) -> web.Response:
        """Forward a call, or kill the process that sent it."""
        call = normalize_call(request.method, request.path)
        self.calls.append(call)
        is_step = f"{call} {self.calls.count(call)}" == self.step
        if is_step and not self.after:
            return self._kill(request)
        response = await forward(request)
        return self._kill(request) if is_step else response

    def _kill(self, request: web.Request) -> web.Response:
        self.triggered = True
        if self.process is not None:
            self.process.kill()
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=502)


async def indexer_killed(testbed: Testbed) -> None:
    """Kill builds and `synonyms apply` at their steps, at most `--steps` of them; check, prune and check again.

    The commands use the small test graph behind a separate alias of the same cluster.
    """
    operator = await asyncio.to_thread(_session, testbed)
    testbed.begin_fault("the indexer runs")
    testbed.expect_success(await asyncio.to_thread(run, _environ(operator), *BUILD), "the first build")
    planned: list[tuple[tuple[str, ...], str, bool]] = []
    for arguments in COMMANDS:
        await asyncio.to_thread(_edit, operator, len(planned))
        kill_point = KillPoint("", after=False)
        code = await _run(operator, arguments, kill_point, testbed.guard)
        testbed.check(not code, f"{' '.join(arguments)} exits with {code} without a kill")
        planned += [(arguments, step, after) for step in list_steps(kill_point.calls) for after in (False, True)]
    count = min(testbed.options.steps, len(planned))
    selected = sorted(testbed.rng.sample(planned, count), key=planned.index)
    killed = 0
    for number, (arguments, step, after) in enumerate(selected):
        await asyncio.to_thread(_edit, operator, len(planned) + number)
        kill_point = KillPoint(step, after)
        await _run(operator, arguments, kill_point, testbed.guard)
        killed += kill_point.triggered
        for problem in await asyncio.to_thread(_find_problems, operator):
            testbed.failures.append(f"{' '.join(arguments)} killed {'after' if after else 'before'} {step}: {problem}")
    testbed.check(bool(killed), "no process was killed")
    testbed.notes.append(
        f"{len(selected)} of {len(planned)} moments, sampled with the seed; the process was still running at {killed}"
    )
    await asyncio.to_thread(testbed.client.indices.delete, index=f"{ALIAS}-*")


def _session(testbed: Testbed) -> OperatorSession:
    folder = testbed.workspace.folder / "steps"
    operator = OperatorSession(folder, ",".join(testbed.cluster.urls), Releases(testbed.client, ALIAS))
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
    """Write a new rule and a new summary, so that a build has documents to send."""
    operator.rules.write_text(f"{RULES}zork{number} => zork{number}, telework\n", "utf-8")
    text = (WORLD / "solutions.csv").read_text("utf-8").replace(SUMMARY, f"{SUMMARY} {number}")
    (operator.folder / "content" / "solutions.csv").write_text(text, "utf-8")


async def _run(
    operator: OperatorSession, arguments: tuple[str, ...], kill_point: KillPoint, guard: ProcessGuard
) -> int:
    async with http_proxy(operator.url.partition(",")[0], kill_point.handle) as url:
        kill_point.process = await asyncio.create_subprocess_exec(
            *(*AKG, *arguments),
            cwd=CHECKOUT,
            env=environment({**_environ(operator), "AKG_OPENSEARCH_URL": url}),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        guard.add(kill_point.process.pid)
        code = await kill_point.process.wait()
        guard.remove(kill_point.process.pid)
        return code


def _find_problems(operator: OperatorSession) -> list[str]:
    """Return all problems that readers would see, now and after `akg index prune`."""
    problems = find_problems(operator)
    cleared = run(operator.environ, "index", "prune")
    if cleared.code:
        problems.append(f"`akg index prune` fails: {cleared.output[-300:]}")
    return [
        *problems,
        *(f"{index} is left over" for index in find_leftovers(operator)),
        *(f"after prune: {problem}" for problem in find_problems(operator)),
    ]
