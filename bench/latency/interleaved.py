"""Races: contenders receive the same requests in turns, in several rounds, at each level of concurrency.

One load client serves a whole run. Figures are percentiles of one turn, then the median and spread over all rounds.
"""

import base64
import json
import math
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter, sub, truediv
from statistics import fmean, median
from typing import Any

from bench.figures import percentile
from bench.latency.report import Comparison, Measurement, RaceResult, Spread
from tests.support.fixture_graphs import CHECKOUT

DIGITS = 4  # significant digits of a figure
WARM_SHARE = 0.2  # of the duration of a turn; responses do not count

Key = tuple[str, str, int]  # race, contender, in flight
Turns = dict[Key, list["Turn"]]
StartStage = Callable[[str, int], Callable[..., None]]  # name and length of a stage → a call for each step


@dataclass(frozen=True, slots=True)
class Turn:
    """The results of one contender in one turn.

    `micros` are the sorted response times in microseconds, `size` the bytes of all bodies, `hits` the number of cache
    hits, `failed` the number of responses that were incomplete or not 200, `cpu` the CPU seconds of the load client.
    """

    micros: Sequence[int]
    seconds: float
    size: int
    hits: int
    failed: int
    cpu: float

    @property
    def rate(self) -> float:
        """Responses per second."""
        return len(self.micros) / self.seconds

    @property
    def p50(self) -> float:
        """Milliseconds."""
        return percentile(self.micros, 0.5) / 1000

    @property
    def p99(self) -> float:
        """Milliseconds."""
        return percentile(self.micros, 0.99) / 1000


def spread(values: Sequence[float]) -> Spread | None:
    """Return median, minimum and maximum without NaN values; None if there are no values."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return None
    return Spread(*(float(f"{value:.{DIGITS}g}") for value in (median(known), min(known), max(known))))


def paired(
    left: Sequence[Turn],
    right: Sequence[Turn],
    figure: Callable[[Turn], float],
    combine: Callable[[float, float], float],
) -> Spread | None:
    """Compare two contenders round by round, so that other load on the machine affects both."""
    pairs = [(figure(contender), figure(baseline)) for contender, baseline in zip(left, right, strict=True)]
    return spread([combine(contender, baseline) for contender, baseline in pairs if baseline])


@dataclass(frozen=True, slots=True)
class Pace:
    """Measured rounds, seconds of a turn, and numbers of requests in flight."""

    rounds: int
    seconds: float
    levels: Sequence[int] = (1, 8, 32)


@dataclass(frozen=True, slots=True)
class Contender:
    """A program under test: `send` takes the requests in flight, the warm-up seconds and the measured seconds."""

    send: Callable[[int, float, float], Turn]
    is_sequential: bool = False  # handles one request at a time


@dataclass(frozen=True, slots=True)
class Race:
    """Contenders by name, and the pairs to compare as (contender, baseline)."""

    name: str
    contenders: Mapping[str, Contender]
    pairs: Sequence[tuple[str, str]]


def schedule(races: Sequence[Race], pace: Pace) -> Iterator[tuple[int, Race, int, str]]:
    """Yield every turn: round (0 is the warm-up), race, requests in flight, contender; contenders alternate."""
    for number in range(pace.rounds + 1):
        for race in races:
            for level in pace.levels:
                for name in contenders_at(race, level):
                    yield number, race, level, name


def contenders_at(race: Race, level: int) -> list[str]:
    return [name for name, contender in race.contenders.items() if level == 1 or not contender.is_sequential]


def run(races: Sequence[Race], pace: Pace, advance: Callable[[str], None]) -> Turns:
    turns: Turns = defaultdict(list)
    for number, race, level, name in schedule(races, pace):
        advance(f"{race.name}, {level} in flight: {name}")
        turn = race.contenders[name].send(level, pace.seconds * WARM_SHARE, pace.seconds)
        if number:
            turns[race.name, name, level].append(turn)
    return turns


def race_result(race: Race, turns: Mapping[Key, Sequence[Turn]], levels: Sequence[int]) -> RaceResult:
    measurements = [
        _measurement(name, level, turns[race.name, name, level])
        for level in levels
        for name in contenders_at(race, level)
    ]
    comparisons = [
        Comparison(
            contender=contender,
            baseline=baseline,
            in_flight=level,
            rate=paired(
                turns[race.name, contender, level], turns[race.name, baseline, level], attrgetter("rate"), truediv
            ),
            added_ms=paired(
                turns[race.name, contender, level], turns[race.name, baseline, level], attrgetter("p50"), sub
            ),
        )
        for level in levels
        for contender, baseline in race.pairs
        if {contender, baseline} <= set(contenders_at(race, level))
    ]
    return RaceResult(race.name, measurements, comparisons)


def _measurement(contender: str, level: int, turns: Sequence[Turn]) -> Measurement:
    """Return the measurement of one contender with `level` requests in flight."""
    answers = sum(len(turn.micros) for turn in turns)
    return Measurement(
        contender=contender,
        in_flight=level,
        answers=answers,
        failed=sum(turn.failed for turn in turns),
        bytes=round(sum(turn.size for turn in turns) / answers) if answers else 0,
        hits=round(sum(turn.hits for turn in turns) / answers, 3) if answers else 0.0,
        rate=spread([turn.rate for turn in turns]),
        p50_ms=spread([turn.p50 for turn in turns]),
        p99_ms=spread([turn.p99 for turn in turns]),
        client_cpu=round(fmean(turn.cpu / turn.seconds for turn in turns), 3),
    )


@dataclass(frozen=True, slots=True)
class Client:
    """A running load client."""

    process: subprocess.Popen[str]

    def contender(self, port: int, scripts: Sequence[Sequence[bytes]]) -> Contender:
        """Return a contender on a local port; a script is the sequence of requests for one response."""
        encoded = [[base64.b64encode(part).decode() for part in script] for script in scripts]
        return Contender(partial(self._send, {"port": port, "scripts": encoded}))

    def _send(self, target: Mapping[str, Any], in_flight: int, warm: float, seconds: float) -> Turn:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(
            json.dumps({**target, "in_flight": in_flight, "warm": warm, "seconds": seconds}),
            file=self.process.stdin,
            flush=True,
        )
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("The load client ended without a result.")
        return Turn(**json.loads(line))


@contextmanager
def load_client() -> Iterator[Client]:
    command = [sys.executable, "-m", "bench.latency.load_client"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=CHECKOUT, text=True, start_new_session=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield Client(process)
        finally:
            process.terminate()
