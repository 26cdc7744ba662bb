"""Measure builds, requests and synonym updates at 12,000, 120,000 and 1.2 million entities.

    python -m bench.scale --entities 12000 --entities 120000

It starts a temporary node and services on this machine. All three sizes take 45 minutes and 30 GB of disk.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

from akg.console import MEGABYTE, stderr
from bench.figures import table
from bench.processes import draw_plots, process_guard, scratch_node
from bench.scale.route_times import apply_rule, measure_worlds, settings
from bench.scale.stream import all_rows, write_tables
from bench.scale.synthetic_graph import World
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import CHECKOUT, MAPPINGS
from tests.support.serving import environment

SIZES = (12_000, 120_000, 1_200_000)
MAX_BUILD_ENTITIES = 120_000  # entities of a build from tables, which the indexer holds in memory
# Rounds with the number of warm-up requests per route. The JVM of OpenSearch compiles frequent code only after some
# thousands of searches; until then a search for a common word takes three times as long.
ROUNDS = {"routes_first_time": 20, "routes": 1_000}
RULE = "zork => zork, reader\n"


def main(
    entities: Annotated[list[int] | None, typer.Option(help="Sizes; default: 12000, 120000 and 1200000.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the graph and the requests.")] = 1,
    times: Annotated[int, typer.Option(min=1, help="Measured requests per route.")] = 200,
    heap: Annotated[str, typer.Option(help="Heap of the node.")] = "2g",
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = CHECKOUT / "build" / "scale",
) -> None:
    """Load all sizes into one node, then query them in turns, so that OpenSearch is in the same state for each."""
    worlds = [World.from_size(size, seed) for size in entities or SIZES]
    sizes: list[dict[str, Any]] = [{"entities": world.entities} for world in worlds]
    report = {"seed": seed, "heap": heap, "processors": os.cpu_count(), "sizes": sizes}
    out.mkdir(parents=True, exist_ok=True)

    def save() -> None:  # after each stage, for runs that end early
        (out / "report.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")

    with process_guard() as guard, scratch_node(stderr, heap) as (folder, node):
        guard.add(node.pid)
        environs = [settings(node.url, folder, _alias(world)) for world in worlds]
        _load_in_process("bare", node.url, worlds[0])  # warms OpenSearch
        for world, found in zip(worlds, sizes, strict=True):
            _load(world, node.url, folder, found)
            save()
        report["node_mb"] = round(psutil.Process(node.pid).memory_info().rss / MEGABYTE)
        for which, warm in ROUNDS.items():
            stderr.print(f"requests, {which}")
            targets = list(zip(worlds, environs, strict=True))
            for found, measured in zip(sizes, measure_worlds(targets, folder, times, warm, guard), strict=True):
                found[which] = measured
            save()
        for environ, found in zip(environs, sizes, strict=True):
            found["apply_seconds"] = apply_rule(environ, folder / "rules", RULE)
    save()
    (out / "report.md").write_text(markdown(report), "utf-8")
    draw_plots(out / "report.json", out)
    print(markdown(report))


def _alias(world: World) -> str:
    return f"akg-scale-of-{world.blocks}"


def _load(world: World, url: str, folder: Path, found: dict[str, Any]) -> None:
    for what in ("bare", "stream"):
        stderr.print(f"{world.entities:,} entities: {what}")
        found[what] = _load_in_process(what, url, world)
    if world.entities <= MAX_BUILD_ENTITIES:
        stderr.print(f"{world.entities:,} entities: akg index build")
        found["whole"] = _build_from_tables(world, url, folder / str(world.blocks))


def _load_in_process(what: str, url: str, world: World) -> dict[str, Any]:
    arguments = ["-m", "bench.scale.loading", what, url, _alias(world), str(world.entities), str(world.seed)]
    completed = subprocess.run([sys.executable, *arguments], env=environment({}), stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(completed.stdout)
    return found


def _build_from_tables(world: World, url: str, folder: Path) -> dict[str, Any]:
    """Run `akg index build` on the tables of a world; return its seconds and its peak memory."""
    folder.mkdir()
    write_tables(all_rows(world), read_vocabulary(MAPPINGS), folder / "content")
    code = "import atexit; from bench.scale.loading import peak; from akg.cli import app; "
    code += "atexit.register(lambda: print('PEAK', peak())); app()"
    command = [sys.executable, "-c", code, "index", "build", "--content", str(folder / "content")]
    environ = environment(settings(url, folder, f"akg-whole-of-{world.blocks}"))
    began = time.perf_counter()
    completed = subprocess.run(command, env=environ, stdout=subprocess.PIPE, check=True, cwd=folder)
    peak_mb = float(completed.stdout.decode().rpartition("PEAK ")[2])
    return {"seconds": round(time.perf_counter() - began, 1), "peak_mb": round(peak_mb)}


def markdown(report: Mapping[str, Any]) -> str:
    """Return the tables of a report, with a column per size."""
    sizes = report["sizes"]
    head = ("", *(f"{size['entities']:,} entities" for size in sizes))
    about = f"One node with {report['heap']} heap, {report['processors']} processors, seed {report['seed']}; "
    about += f"its resident memory was {report['node_mb']:,} MB."
    parts = [about, table(head, _building(sizes))]
    routes = dict.fromkeys(route for size in sizes for route in size["routes"])
    times = [(route, *(_times(size["routes"].get(route)) for size in sizes)) for route in routes]
    parts.append(table(("p50 / p99, ms, sequential requests", *head[1:]), times))
    if len(sizes) > 1:
        parts.append(f"p50 at {head[-1]} relative to {head[1]}: {_growth(sizes[0]['routes'], sizes[-1]['routes'])}.")
    return "\n\n".join(parts) + "\n"


def _building(sizes: Sequence[Mapping[str, Any]]) -> list[Sequence[str]]:
    def row(name: str, *path: str, unit: str = "") -> tuple[str, ...]:
        return (name, *(_value(size, path, unit) for size in sizes))

    while_sent = (size["stream"]["documents_per_second"] / size["bare"]["documents_per_second"] for size in sizes)
    in_all = (size["bare"]["seconds"] / size["stream"]["seconds"] for size in sizes)
    beyond = (size["bare"]["sent_seconds"] / size["stream"]["seconds"] for size in sizes)
    return [
        row("documents", "stream", "documents"),
        row("edges, in both directions", "stream", "edges"),
        row("documents per second, streamed", "stream", "documents_per_second"),
        row("documents per second, plain `_bulk`", "bare", "documents_per_second"),
        ("streamed / plain rate while documents are sent", *(f"{share:.2f}" for share in while_sent)),
        row("whole build, merged, verified and published", "stream", "seconds", unit=" s"),
        row("plain `_bulk`, merged", "bare", "seconds", unit=" s"),
        ("ratio of the two", *(f"{share:.2f}" for share in in_all)),
        ("whole build / plain `_bulk` without merge", *(f"{share:.2f}" for share in beyond)),
        row("documents per second, generated only", "bare", "made_per_second"),
        row("memory of the streaming indexer", "stream", "peak_mb", unit=" MB"),
        row("`akg synonyms apply`", "apply_seconds", unit=" s"),
        row("`akg index build` from tables", "whole", "seconds", unit=" s"),
        row("memory of this build", "whole", "peak_mb", unit=" MB"),
    ]


def _value(size: Mapping[str, Any], path: Sequence[str], unit: str) -> str:
    found: Any = size
    for name in path:
        found = found.get(name, {})
    return f"{found:,}{unit}" if found != {} else "not measured"


def _times(route: Mapping[str, float] | None) -> str:
    if route is None:
        return "–"
    text = f"{route['p50_ms']:g} / {route['p99_ms']:g}"
    return f"{text}, {route['not_200']:g} not 200" if route["not_200"] else text


def _growth(first: Mapping[str, Any], last: Mapping[str, Any]) -> str:
    shared = [route for route in first if route in last]
    return ", ".join(f"{route} {last[route]['p50_ms'] / first[route]['p50_ms']:.2f} ×" for route in shared)


if __name__ == "__main__":
    typer.run(main)
