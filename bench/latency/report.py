"""The schema of a report, the names of its contenders, and the only functions that read and write its file.

Parts that could not be measured are listed in `skipped` with the reason; a figure without values is null.
"""

from dataclasses import dataclass, field
from pathlib import Path

import orjson
from pydantic import TypeAdapter

ENGINE = "OpenSearch"
UNCACHED, CACHED = "service", "service, cached"
PLAIN, PLAIN_CACHED = "plain route", "plain route with a dict"
STAC = "stac-fastapi-opensearch"
SQL_ROUTE, TABLE_ROUTE = "datasette, SQL route", "datasette, table route"
FLOOR = "tantivy, in process"
PEER_SEARCH, PEER_RECORD = "Search", "One record"


@dataclass(frozen=True, slots=True)
class Spread:
    """The median, minimum and maximum over several rounds."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Machine:
    """Time and machine of the run. `load` is the one-minute load average at the start and at the end."""

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
    """The release that was queried."""

    data_version: str
    entities: int
    edges: int
    documents: int
    index_mb: float


@dataclass(frozen=True, slots=True)
class Measurement:
    """One contender at one concurrency. `bytes` is the mean size of a body, `hits` the share of cache hits."""

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
class Comparison:
    """One contender compared with a baseline: its rate as a multiple, its p50 as a difference."""

    contender: str
    baseline: str
    in_flight: int
    rate: Spread | None
    added_ms: Spread | None


@dataclass(frozen=True, slots=True)
class RaceResult:
    """The result of a race."""

    name: str
    measurements: list[Measurement]
    comparisons: list[Comparison]

    def measurement(self, contender: str, in_flight: int) -> Measurement | None:
        return next(
            (item for item in self.measurements if (item.contender, item.in_flight) == (contender, in_flight)), None
        )

    def comparison(self, contender: str, baseline: str, in_flight: int) -> Comparison | None:
        key = (contender, baseline, in_flight)
        return next((item for item in self.comparisons if (item.contender, item.baseline, item.in_flight) == key), None)

    def multiple(self, contender: str, baseline: str, in_flight: int) -> Spread | None:
        """Return the rate of a contender as a multiple of the baseline's."""
        comparison = self.comparison(contender, baseline, in_flight)
        return comparison.rate if comparison else None


@dataclass(frozen=True, slots=True)
class Route:
    """A route: an example, the number of samples, and the OpenSearch requests of a new and a repeated request."""

    example: str
    samples: int
    requests: float
    repeat_requests: float
    result: RaceResult


@dataclass(frozen=True, slots=True)
class ContenderInfo:
    """The version of a contender, and what it does for one response."""

    contender: str
    version: str
    description: str


@dataclass(frozen=True, slots=True)
class Peers:
    """A race with alternative programs; `queries` is the number of distinct requests."""

    queries: int
    contenders: list[ContenderInfo]
    result: RaceResult


@dataclass(frozen=True, slots=True)
class Footprint:
    """Memory of a program in megabytes, resident and unshared; `when` is the moment of the measurement."""

    program: str
    when: str
    rss: float
    uss: float


@dataclass(frozen=True, slots=True)
class Costs:
    """One-time costs in seconds; `build_share` is the time of plain bulk requests as a share of the build.

    `build` sends every document, `rebuild` copies unchanged documents from the live release.
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
class Skipped:
    """A part that was not measured, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartResult:
    """The results of one part of a run."""

    routes: list[Route] = field(default_factory=list)
    peers: list[Peers] = field(default_factory=list)
    costs: Costs | None = None
    memory: list[Footprint] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(PartResult):
    """The results of a run."""

    machine: Machine
    graph: Graph
    rounds: int
    turn_seconds: float
    in_flight: list[int]


READER = TypeAdapter(Report)


def write(report: Report, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(report, option=orjson.OPT_APPEND_NEWLINE))


def read(path: Path) -> Report:
    return READER.validate_json(path.read_bytes())
