"""The shape of a report, the names of its contenders, and the only place that writes and reads its file.

What could not be measured is left out by name, with the reason; a figure that no turn gave is null.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson
from pydantic import TypeAdapter

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = "engine"
UNCACHED, CACHED = "service", "service, from its cache"
PLAIN, PLAIN_CACHED = "plain route", "plain route with a dict"
STAC = "stac-fastapi-opensearch"
SQL_ROUTE, TABLE_ROUTE = "datasette, SQL route", "datasette, table route"
FLOOR = "tantivy, in process"
PEER_SEARCH, PEER_RECORD = "Search", "One record"


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of some turns, the least and the most."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Machine:
    """Where and when it was measured. `load` is the load of the minute before, at the beginning and at the end."""

    began: str
    seconds: float
    processor: str
    cores: int
    memory_gb: float
    system: str
    python: str
    load: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Graph:
    """What the questions were about."""

    data_version: str
    entities: int
    edges: int
    documents: int
    index_mb: float


@dataclass(frozen=True, slots=True)
class Cell:
    """One contender with so many questions in flight. `bytes` is the mean body; `hits` the share that a cache gave."""

    contender: str
    in_flight: int
    answers: int
    failed: int
    bytes: int
    hits: float
    rate: Spread | None
    p50_ms: Spread | None
    p99_ms: Spread | None
    client_cpu: float


@dataclass(frozen=True, slots=True)
class Against:
    """One contender held against another: its rate as a multiple, its p50 as a difference."""

    contender: str
    than: str
    in_flight: int
    rate: Spread | None
    more_ms: Spread | None


@dataclass(frozen=True, slots=True)
class Held:
    """What a race showed."""

    name: str
    cells: list[Cell]
    against: list[Against]

    def cell(self, contender: str, in_flight: int) -> Cell | None:
        """One of the cells."""
        return next((one for one in self.cells if (one.contender, one.in_flight) == (contender, in_flight)), None)

    def pair(self, contender: str, than: str, in_flight: int) -> Against | None:
        """One of the pairs."""
        wanted = (contender, than, in_flight)
        return next((one for one in self.against if (one.contender, one.than, one.in_flight) == wanted), None)

    def multiple(self, contender: str, than: str, in_flight: int) -> Spread | None:
        """The rate of a contender as a multiple of another's."""
        pair = self.pair(contender, than, in_flight)
        return pair.rate if pair else None


@dataclass(frozen=True, slots=True)
class Route:
    """A route beside the engine: an example, how many questions, and the engine's requests for one, first and again."""

    example: str
    questions: int
    requests: float
    again: float
    held: Held


@dataclass(frozen=True, slots=True)
class Does:
    """What a contender of a race among peers does for one answer."""

    contender: str
    version: str
    says: str


@dataclass(frozen=True, slots=True)
class Peers:
    """A race with what somebody would take instead; `queries` is how many questions."""

    queries: int
    does: list[Does]
    held: Held


@dataclass(frozen=True, slots=True)
class Footprint:
    """Memory of a program in megabytes, resident and its own alone, after or while doing what `when` says."""

    program: str
    when: str
    rss: float
    uss: float


@dataclass(frozen=True, slots=True)
class Costs:
    """What is paid once. Seconds; `build_share` is the bare bulk's time as a share of the build's.

    `build` sends every document, `rebuild` takes over those that the live release has.
    """

    start_serve: Spread | None
    start_up: Spread | None
    build: Spread | None
    bulk: Spread | None
    build_share: Spread | None
    documents: int
    bulk_mb: float
    index_mb: float
    rebuild: Spread | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was not measured, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Measured:
    """What one part of a run measured."""

    routes: list[Route] = field(default_factory=list)
    peers: list[Peers] = field(default_factory=list)
    costs: Costs | None = None
    memory: list[Footprint] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Report:
    """One run."""

    machine: Machine
    graph: Graph
    rounds: int
    turn_seconds: float
    in_flight: list[int]
    routes: list[Route] = field(default_factory=list)
    peers: list[Peers] = field(default_factory=list)
    costs: Costs | None = None
    memory: list[Footprint] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


READER = TypeAdapter(Report)


def write(report: Report, path: Path) -> None:
    """Write the file, in place of an older one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(report, option=orjson.OPT_APPEND_NEWLINE))


def read(path: Path) -> Report:
    return READER.validate_json(path.read_bytes())
