"""How each number grows with the number of entities, as tables that a page can take in. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def markdown(report: Mapping[str, Any]) -> str:
    """The tables of a report: one column for each size."""
    sizes = report["sizes"]
    head = ("", *(f"{size['entities']:,} entities" for size in sizes))
    about = f"One node with {report['heap']} heap, {report['processors']} processors, seed {report['seed']}; "
    about += f"it held {report['node_mb']:,} MB."
    parts = [about, _table(head, _building(sizes))]
    routes = dict.fromkeys(route for size in sizes for route in size["routes"])
    times = [(route, *(_times(size["routes"].get(route)) for size in sizes)) for route in routes]
    parts.append(_table(("p50 / p99, ms, one after the other", *head[1:]), times))
    if len(sizes) > 1:
        parts.append(f"p50 at {head[-1]} beside that at {head[1]}: {_growth(sizes[0]['routes'], sizes[-1]['routes'])}.")
    return "\n\n".join(parts) + "\n"


def _building(sizes: Sequence[Mapping[str, Any]]) -> list[Sequence[str]]:
    def row(name: str, *path: str, unit: str = "") -> tuple[str, ...]:
        return (name, *(_value(size, path, unit) for size in sizes))

    while_sent = (size["stream"]["documents_per_second"] / size["bare"]["documents_per_second"] for size in sizes)
    in_all = (size["bare"]["seconds"] / size["stream"]["seconds"] for size in sizes)
    beyond = (size["bare"]["sent_seconds"] / size["stream"]["seconds"] for size in sizes)
    return [
        row("documents", "stream", "documents"),
        row("edges, from both ends", "stream", "edges"),
        row("documents a second, streamed", "stream", "documents_per_second"),
        row("documents a second, bare `_bulk`", "bare", "documents_per_second"),
        ("streamed beside bare, while documents are sent", *(f"{share:.2f}" for share in while_sent)),
        row("whole build, merged, verified and published", "stream", "seconds", unit=" s"),
        row("bare `_bulk`, merged", "bare", "seconds", unit=" s"),
        ("the two beside each other", *(f"{share:.2f}" for share in in_all)),
        ("whole build beside a bare `_bulk` that is not merged", *(f"{share:.2f}" for share in beyond)),
        row("documents a second, only made", "bare", "made_per_second"),
        row("memory of the streaming indexer", "stream", "peak_mb", unit=" MB"),
        row("`akg synonyms apply`", "apply_seconds", unit=" s"),
        row("`akg index build` from tables", "whole", "seconds", unit=" s"),
        row("its memory", "whole", "peak_mb", unit=" MB"),
    ]


def _value(size: Mapping[str, Any], path: Sequence[str], unit: str) -> str:
    found: Any = size
    for name in path:
        found = found.get(name, {})
    return f"{found:,}{unit}" if found != {} else "not tried"


def _times(route: Mapping[str, float] | None) -> str:
    if route is None:
        return "–"
    text = f"{route['p50_ms']:g} / {route['p99_ms']:g}"
    return f"{text}, {route['not_200']:g} not 200" if route["not_200"] else text


def _growth(first: Mapping[str, Any], last: Mapping[str, Any]) -> str:
    shared = [route for route in first if route in last]
    return ", ".join(f"{route} {last[route]['p50_ms'] / first[route]['p50_ms']:.2f} ×" for route in shared)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
