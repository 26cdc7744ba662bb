"""Draw how response times grow with the graph: `python -m bench.latency.peers.growth REPORT PICTURE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib import pyplot as plt

from bench.latency.peers import plots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MARKS = ("o", "s", "^", "D", "v", "P", "X")
TWICE = 2.0


def curves(sizes: Sequence[Mapping[str, Any]]) -> Any:  # noqa: ANN401 - the package's own
    """A line for each route: its p50 at each size, as a multiple of that at the smallest."""
    sizes = sorted(sizes, key=lambda size: size["entities"])
    counts = [size["entities"] for size in sizes]
    figure, axes = plt.subplots(figsize=(plots.WIDTH, 4.8))
    shared = [route for route in sizes[0]["routes"] if all(route in size["routes"] for size in sizes)]
    for place, route in enumerate(shared):
        p50 = [size["routes"][route]["p50_ms"] for size in sizes]
        mark = MARKS[place // 10 % len(MARKS)]
        axes.plot(counts, [one / p50[0] for one in p50], marker=mark, markersize=4, linewidth=1.2, label=route)
    axes.axhline(TWICE, color=plots.INK, linewidth=1, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(counts, [f"{count:,}" for count in counts])
    axes.minorticks_off()
    steps = (0.5, 1, 2, 4, 8)
    axes.set_yticks(steps, [f"{step:g} ×" for step in steps])
    axes.set_xlabel("entities (logarithmic); dashed: twice the time")
    drawn = plots.finished(figure, axes, legend=False)
    axes.grid(axis="y", color=plots.RULE, alpha=0.35, linewidth=0.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, labelcolor=plots.INK, fontsize=8)
    drawn.tight_layout()
    return drawn


def main() -> None:
    """Draw it."""
    report, picture = map(Path, sys.argv[1:])
    plots.plain()
    plots.save(curves(json.loads(report.read_text("utf-8"))["sizes"]), picture)


if __name__ == "__main__":
    main()
