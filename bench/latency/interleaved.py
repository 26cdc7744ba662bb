"""Races: contenders answer the same questions in turns, round after round, at each number of questions in flight."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from bench.latency.report import Against, Cell, Held
from bench.latency.stats import Turn, over, paired

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


WARM_SHARE = 0.2  # of a turn's time, in which answers do not count

Key = tuple[str, str, int]  # race, contender, in flight
Turns = dict[Key, list[Turn]]


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
    cells = [cell(name, level, turns[race.name, name, level]) for level in levels for name in taking_part(race, level)]
    against = [
        held_against(one, other, level, turns[race.name, one, level], turns[race.name, other, level])
        for level in levels
        for one, other in race.pairs
        if {one, other} <= set(taking_part(race, level))
    ]
    return Held(race.name, cells, against)


def cell(contender: str, level: int, turns: Sequence[Turn]) -> Cell:
    """One contender with so many in flight."""
    answers = sum(len(turn.micros) for turn in turns)
    return Cell(
        contender=contender,
        in_flight=level,
        answers=answers,
        failed=sum(turn.failed for turn in turns),
        bytes=round(sum(turn.size for turn in turns) / answers) if answers else 0,
        hits=round(sum(turn.hits for turn in turns) / answers, 3) if answers else 0.0,
        rate=over(turns, lambda turn: turn.rate),
        p50_ms=over(turns, lambda turn: turn.p50),
        p99_ms=over(turns, lambda turn: turn.p99),
        client_cpu=round(fmean(turn.cpu / turn.seconds for turn in turns), 3),
    )


def held_against(one: str, other: str, level: int, ones: Sequence[Turn], others: Sequence[Turn]) -> Against:
    """One contender against another, round by round."""
    return Against(
        contender=one,
        than=other,
        in_flight=level,
        rate=paired(ones, others, lambda turn: turn.rate, lambda mine, theirs: mine / theirs),
        more_ms=paired(ones, others, lambda turn: turn.p50, lambda mine, theirs: mine - theirs),
        times_ms=paired(ones, others, lambda turn: turn.p50, lambda mine, theirs: mine / theirs),
    )
