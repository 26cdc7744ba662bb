"""Measure requests and synonym updates with and without a million more searchable entities, in 15 minutes.

    python -m bench.scale.large_graph --entities 1000000

One release has a complete graph of 12,000 entities. The other also has copies of these entities with numbered names as
search documents, but without edges. Both are on one node, and their services are measured in turns.
"""

import json
import os
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from opensearchpy import OpenSearch

from akg.console import stderr
from api.engine.client import FastSerializer
from bench.figures import table
from bench.processes import ProcessGuard, process_guard, scratch_node
from bench.scale.loading import TIMEOUT_SECONDS, plan_of
from bench.scale.route_times import apply_rule, measure_worlds, settings
from bench.scale.synthetic_graph import World
from indexer.release.plan import ReleasePlan
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from schema.document_ids import ENTITY
from schema.entity_kinds import EdgeName
from tests.support.fixture_graphs import CHECKOUT

GRAPH_ENTITIES = 12_000  # in the complete graph
NAME_FIELDS = ("names", "demoted_names", "spelling")
# Of an entity that copies do not have: its edges, and the names by which seeds are found.
NOT_COPIED = frozenset((*get_args(EdgeName), "linked", "inherited", "inherits_from"))
WARM_UP_REQUESTS = 100  # per route and round
ALIASES = {"narrow": "akg-narrow", "wide": "akg-wide"}
Document = dict[str, Any]


@dataclass
class CopiedEntities:
    """The documents of a plan, followed by `times` copies of its entities."""

    plan: ReleasePlan
    types: Counter[str]
    times: int
    entities: list[tuple[str, Document]] = field(default_factory=list)
    sent: int = 0

    def documents(self) -> Iterator[tuple[str, Document]]:
        """Yield all documents; afterwards `types` includes the copies."""
        for key, body in self.plan.documents:
            if body["doc"] == ENTITY:
                self.entities.append((key, {name: value for name, value in body.items() if name not in NOT_COPIED}))
            yield key, body
        originals = Counter(self.types)
        for name in originals:
            self.types[name] *= self.times + 1
        for number in range(1, self.times + 1):
            for key, body in self.entities:
                copied = {name: [f"{one}-{number}" for one in body[name]] for name in ("ids", "owner", "keys")}
                copied |= {name: [f"{one} {number}" for one in body[name]] for name in NAME_FIELDS if name in body}
                position = body["position"] + number * originals[body["type"]]  # lists are ranges of positions
                yield (
                    f"{key}-{number}",
                    {**body, **copied, "position": position},
                )

    def on_sent(self, documents: int) -> None:
        """Print the progress every 100,000 documents."""
        if (self.sent + documents) // 100_000 > self.sent // 100_000:
            stderr.print(f"{self.sent + documents:,} documents")
        self.sent += documents


def main(
    entities: Annotated[int, typer.Option(help="Approximate number of copied entities.")] = 1_000_000,
    rounds: Annotated[int, typer.Option(min=1, help="Measured rounds.")] = 3,
    times: Annotated[int, typer.Option(min=1, help="Requests per route and round.")] = 100,
    heap: Annotated[str, typer.Option(help="Heap of the node.")] = "2g",
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = CHECKOUT / "build" / "scale",
) -> None:
    """Build both releases, measure requests in turns, and apply new rules to both."""
    out.mkdir(parents=True, exist_ok=True)
    with process_guard() as guard, scratch_node(stderr, heap) as (folder, node):
        guard.add(node.pid)
        report = _measured(node.url, folder, entities // GRAPH_ENTITIES, rounds, times, guard)
    report |= {"heap": heap, "processors": os.cpu_count()}
    (out / "wide.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(markdown(report))


def _measured(url: str, folder: Path, copies: int, rounds: int, times: int, guard: ProcessGuard) -> dict[str, Any]:
    world, found = World.from_size(GRAPH_ENTITIES, 1), {}
    for name, alias in ALIASES.items():
        plan, counted = plan_of(world)
        wide = CopiedEntities(plan, counted.types, copies if name == "wide" else 0)
        began = time.perf_counter()
        with OpenSearch(hosts=[url], timeout=TIMEOUT_SECONDS, serializer=FastSerializer()) as client:
            index = publish_release(
                Releases(client, alias), replace(plan, documents=wide.documents()), datetime.now(UTC), wide.on_sent
            )
            stored = client.indices.stats(index=index, metric="store")["_all"]["primaries"]["store"]["size_in_bytes"]
        seconds = round(time.perf_counter() - began)
        found[name] = {"documents": wide.sent, "seconds": seconds, "megabytes": round(stored / 1e6), "rounds": []}
    for number in range(rounds):
        stderr.print(f"requests, round {number + 1} of {rounds}")
        both = [(world, settings(url, folder, alias)) for alias in ALIASES.values()]
        for name, measured in zip(ALIASES, measure_worlds(both, folder, times, WARM_UP_REQUESTS, guard), strict=True):
            found[name]["rounds"].append(measured)
    rules = [f"zork{number} => zork{number}, reader\n" for number in range(rounds)]
    for name, alias in ALIASES.items():
        found[name]["apply_seconds"] = [apply_rule(settings(url, folder, alias), folder, rule) for rule in rules]
    return found


def markdown(report: dict[str, Any]) -> str:
    narrow, wide = report["narrow"], report["wide"]
    head = ("p50, ms", f"{narrow['documents']:,} documents", f"{wide['documents']:,} documents", "multiple")
    rows = []
    for route in narrow["rounds"][0]:
        if any(one[route]["not_200"] for half in (narrow, wide) for one in half["rounds"]):
            continue  # copies share aliases, so an alias is ambiguous
        pairs = [
            (a[route]["p50_ms"], b[route]["p50_ms"]) for a, b in zip(narrow["rounds"], wide["rounds"], strict=True)
        ]
        few, many = (statistics.median(side) for side in zip(*pairs, strict=True))
        growth = statistics.median(b / a for a, b in pairs)
        rows.append((route, f"{few:.1f}", f"{many:.1f}", f"{growth:.2f}"))
    few, many = (statistics.median(half["apply_seconds"]) for half in (narrow, wide))
    rows.append(("`akg synonyms apply`", f"{few * 1000:,.0f}", f"{many * 1000:,.0f}", f"{many / few:.2f}"))
    about = f"On disk {narrow['megabytes']:,} and {wide['megabytes']:,} MB; {report['heap']} heap."
    return f"{table(head, rows)}\n\n{about}\n"


if __name__ == "__main__":
    typer.run(main)
