"""A service and the operator's commands over one release of a node: how long answers and a new rule take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.faults.services import Service, run
from bench.scale.asking import measure_routes
from tests.support.fixture_graphs import MAPPINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bench.faults.process_guard import Leash
    from bench.scale.synthetic_graph import World


def settings(url: str, folder: Path, alias: str) -> dict[str, str]:
    """Settings of the service and the commands: nothing is limited, counted or answered from a cache."""
    return {
        "AKG_OPENSEARCH_URL": url,
        "AKG_ALIAS": alias,
        "AKG_DATA": str(folder / "data"),
        "AKG_RATE_LIMIT": "0",
        "AKG_USAGE_MONTHS": "0",
        "AKG_RESPONSE_CACHE_BYTES": "0",
        "AKG_DEADLINE_SECONDS": "30",
    }


def answered(
    worlds: Sequence[tuple[World, Mapping[str, str]]], folder: Path, times: int, warm: int, held: Leash
) -> list[dict[str, dict[str, float]]]:
    """Start a service for each world with its settings, ask each route so many times about it in turns, and end all."""
    services = [
        Service(f"service {place}", dict(environ), folder / f"service-{place}.log", held)
        for place, (_, environ) in enumerate(worlds)
    ]
    try:
        for service in services:
            service.start()
        for service in services:
            service.await_ready()
        asking = [(service.url, world) for service, (world, _) in zip(services, worlds, strict=True)]
        return measure_routes(asking, times, warm, worlds[0][0].seed)
    finally:
        for service in services:
            service.kill()


def applied(environ: Mapping[str, str], folder: Path, rule: str) -> float:
    """Seconds that one more synonym rule takes until all readers have it."""
    mappings = folder / "mappings"
    (mappings / "synonyms").mkdir(parents=True, exist_ok=True)
    for path in (*MAPPINGS.glob("*.json"), *(MAPPINGS / "synonyms").glob("*.txt")):
        (mappings / path.relative_to(MAPPINGS)).write_bytes(path.read_bytes())
    with (mappings / "synonyms" / "spelling.txt").open("a", encoding="utf-8") as rules:
        rules.write(rule)
    ended = run({**environ, "AKG_MAPPINGS": str(mappings)}, "synonyms", "apply", "--accept")
    if ended.code:
        raise SystemExit(ended.said[-2000:])
    return round(ended.seconds, 1)
