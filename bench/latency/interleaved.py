"""Races: contenders answer the same questions in turns, round after round, at each number of questions in flight.

One load client asks all of them for a whole run. Figures are percentiles of one turn, then medians and spread over all.
"""

from __future__ import annotations

import base64
import json
import math
import subprocess
import sys
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter, sub, truediv
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from bench.figures import percentile
from bench.latency.report import Against, Cell, Held, Spread
from tests.support.fixture_graphs import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

DIGITS = 4  # of a figure: as many as a measurement is worth
WARM_SHARE = 0.2  # of a turn's time, in which responses do not count

Key = tuple[str, str, int]  # race, contender, in flight
Turns = dict[Key, list["Turn"]]


class ClientError(Exception):
    """The load client ended."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one contender did in one turn.

    `micros` are the microseconds that each answer took, sorted; `size` is the bytes of all bodies, `hits` how many came
    from a cache that says so, `failed` what was no whole 200. `cpu` is the load client's processor time, in seconds.
    """

    micros: Sequence[int]
    seconds: float
    size: int
    hits: int
    failed: int
    cpu: float

    @property
    def rate(self) -> float:
        """Answers per second."""
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
    """Median, least and most; values that are no numbers are left out, and None is said of nothing at all."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return None
    return Spread(*(float(f"{value:.{DIGITS}g}") for value in (median(known), min(known), max(known))))


def paired(
    ones: Sequence[Turn], others: Sequence[Turn], figure: Callable[[Turn], float], both: Callable[[float, float], float]
) -> Spread | None:
    """Compare two contenders round by round, so that a slow moment of the machine weighs on both."""
    pairs = [(figure(one), figure(other)) for one, other in zip(ones, others, strict=True)]
    return spread([both(one, other) for one, other in pairs if other])


@dataclass(frozen=True, slots=True)
class Pace:
    """How long and how often: rounds that count, seconds of a turn, and the numbers in flight."""

    rounds: int
    seconds: float
    levels: Sequence[int] = (1, 8, 32)


@dataclass(frozen=True, slots=True)
class Contender:
    """Who answers: `ask` takes how many are in flight, the seconds to warm up, and those that count."""

    ask: Callable[[int, float, float], Turn]
    alone: bool = False  # handles one request at a time


@dataclass(frozen=True, slots=True)
class Race:
    """Contenders by name, and which of them is held against which: (one, other), the other being the measure."""

    name: str
    contenders: Mapping[str, Contender]
    pairs: Sequence[tuple[str, str]]


def schedule(races: Sequence[Race], pace: Pace) -> Iterator[tuple[int, Race, int, str]]:
    """Every turn: round (0 only warms up), race, in flight, contender; contenders alternate."""
    for number in range(pace.rounds + 1):
        for race in races:
            for level in pace.levels:
                for name in taking_part(race, level):
                    yield number, race, level, name


def taking_part(race: Race, level: int) -> list[str]:
    """The contenders that can answer so many at once."""
    return [name for name, one in race.contenders.items() if level == 1 or not one.alone]


def run(races: Sequence[Race], pace: Pace, advance: Callable[[str], None]) -> Turns:
    """All turns that count, in the order of their rounds."""
    turns: Turns = defaultdict(list)
    for number, race, level, name in schedule(races, pace):
        advance(f"{race.name}, {level} in flight: {name}")
        turn = race.contenders[name].ask(level, pace.seconds * WARM_SHARE, pace.seconds)
        if number:
            turns[race.name, name, level].append(turn)
    return turns


def judged(race: Race, turns: Mapping[Key, Sequence[Turn]], levels: Sequence[int]) -> Held:
    """What a race showed."""
    cells = [_cell(name, level, turns[race.name, name, level]) for level in levels for name in taking_part(race, level)]
    against = [
        Against(
            contender=one,
            than=other,
            in_flight=level,
            rate=paired(turns[race.name, one, level], turns[race.name, other, level], attrgetter("rate"), truediv),
            more_ms=paired(turns[race.name, one, level], turns[race.name, other, level], attrgetter("p50"), sub),
        )
        for level in levels
        for one, other in race.pairs
        if {one, other} <= set(taking_part(race, level))
    ]
    return Held(race.name, cells, against)


def _cell(contender: str, level: int, turns: Sequence[Turn]) -> Cell:
    """One contender with so many in flight."""
    answers = sum(len(turn.micros) for turn in turns)
    return Cell(
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
    """A load client that waits for jobs."""

    process: subprocess.Popen[str]

    def asking(self, port: int, scripts: Sequence[Sequence[bytes]]) -> Contender:
        """A contender that listens on this port of this machine; each script is the requests of one question."""
        encoded = [[base64.b64encode(part).decode() for part in script] for script in scripts]
        return Contender(partial(self._ask, {"host": "127.0.0.1", "port": port, "scripts": encoded}))

    def _ask(self, target: Mapping[str, Any], in_flight: int, warm: float, seconds: float) -> Turn:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(
            json.dumps({**target, "in_flight": in_flight, "warm": warm, "seconds": seconds}),
            file=self.process.stdin,
            flush=True,
        )
        line = self.process.stdout.readline()
        if not line:
            raise ClientError("The load client ended without a word.")
        return Turn(**json.loads(line))


@contextmanager
def load_client() -> Iterator[Client]:
    """A load client; it ends with the block."""
    command = [sys.executable, "-m", "bench.latency.client"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=CHECKOUT, text=True, start_new_session=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield Client(process)
        finally:
            process.terminate()
