"""Draw the plots of a report of `bench.latency` or `bench.scale`: `python plots.py REPORT FOLDER` prints their paths.

Each plot has an opaque background, so it is legible on light and dark pages, and text as text, so files are small and
searchable.
"""

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt

PLATE, INK, RULE = "#f7f7f5", "#22252a", "#8a8f98"
COLORS = {"service": "#0b6e99", "service, cached": "#2f8f4e", "plain route": "#b5651d"}
PEERS = ("benchmarks-search.svg", "benchmarks-record.svg")
AT = 8  # in flight
MARKS = ("o", "s", "^", "D", "v", "P", "X")
TWICE = 2.0
WIDTH = 9.0  # inches
Report = dict[str, Any]


def pairs(report: Report, contender: str) -> dict[str, dict[str, float]]:
    """Return the rate of each route as a multiple of the rate of OpenSearch."""
    return {
        route["result"]["name"]: pair["rate"]
        for route in report["routes"]
        for pair in route["result"]["comparisons"]
        if (pair["contender"], pair["baseline"], pair["in_flight"]) == (contender, "OpenSearch", AT) and pair["rate"]
    }


def rates(report: Report) -> Any:  # noqa: ANN401 - matplotlib types
    names = [route["result"]["name"] for route in report["routes"]]
    figure, axes = plt.subplots(figsize=(WIDTH, 0.55 * len(names) + 1.4))
    for place, (contender, color) in enumerate(COLORS.items()):
        found = pairs(report, contender)
        rows = [row for row, name in enumerate(names) if name in found]
        spreads = [found[names[row]] for row in rows]
        bars(axes, [row + 0.27 * (place - 1) for row in rows], spreads, color, contender)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.axvline(1, color=INK, linewidth=1)
    axes.set_xscale("log")  # linear, routes at a tenth of the rate of OpenSearch are invisible
    axes.set_xlabel(f"multiple of the rate of OpenSearch, {AT} in flight (logarithmic); whiskers: all rounds")
    return finished(figure, axes)


def bars(axes: Any, places: list[float], spreads: list[dict[str, float]], color: str, label: str) -> None:  # noqa: ANN401
    middle = [one["median"] for one in spreads]
    spread = [[one["median"] - one["low"] for one in spreads], [one["high"] - one["median"] for one in spreads]]
    axes.barh(places, middle, 0.25, xerr=spread, color=color, ecolor=INK, error_kw={"linewidth": 0.8}, label=label)


def peers(report: Report, number: int) -> Any:  # noqa: ANN401 - matplotlib types
    """Plot a race with other programs at AT in flight, or at 1 for sequential programs."""
    race = report["peers"][number]
    cells: dict[str, dict[str, Any]] = {}
    for cell in sorted(race["result"]["measurements"], key=lambda one: one["in_flight"] != AT):
        if cell["in_flight"] in {1, AT} and cell["rate"]:
            cells.setdefault(cell["contender"], cell)
    ranked = sorted(cells.values(), key=lambda one: -one["rate"]["median"])
    figure, axes = plt.subplots(figsize=(WIDTH, 0.42 * len(ranked) + 1.2))
    names = [one["contender"] + ("" if one["in_flight"] == AT else " (one at a time)") for one in ranked]
    for place, one in enumerate(ranked):
        bars(axes, [place], [one["rate"]], COLORS.get(one["contender"], RULE), one["contender"])
        axes.text(one["rate"]["high"] * 1.05, place, f"{one['rate']['median']:,.0f}", va="center", color=INK)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel(f"{race['result']['name']}: responses per second, {AT} in flight (logarithmic)")
    return finished(figure, axes, legend=False)


def finished(figure: Any, axes: Any, *, legend: bool = True) -> Any:  # noqa: ANN401 - matplotlib types
    figure.patch.set_facecolor(PLATE)
    axes.set_facecolor(PLATE)
    axes.grid(axis="x", color=RULE, alpha=0.35, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK)
    axes.xaxis.label.set_color(INK)
    for side in axes.spines.values():
        side.set_visible(False)
    if legend:
        axes.legend(loc="lower right", frameon=False, labelcolor=INK)
    figure.tight_layout()
    return figure


def curves(report: Report) -> Any:  # noqa: ANN401 - matplotlib types
    """Plot the p50 of each route at each size as a multiple of the p50 at the smallest size."""
    sizes = sorted(report["sizes"], key=lambda size: size["entities"])
    counts = [size["entities"] for size in sizes]
    figure, axes = plt.subplots(figsize=(WIDTH, 4.8))
    shared = [route for route in sizes[0]["routes"] if all(route in size["routes"] for size in sizes)]
    for place, route in enumerate(shared):
        p50 = [size["routes"][route]["p50_ms"] for size in sizes]
        mark = MARKS[place // 10 % len(MARKS)]
        axes.plot(counts, [one / p50[0] for one in p50], marker=mark, markersize=4, linewidth=1.2, label=route)
    axes.axhline(TWICE, color=INK, linewidth=1, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(counts, [f"{count:,}" for count in counts])
    axes.minorticks_off()
    steps = (0.5, 1, 2, 4, 8)
    axes.set_yticks(steps, [f"{step:g} ×" for step in steps])
    axes.set_xlabel("entities (logarithmic); dashed: twice the time")
    finished(figure, axes, legend=False)
    axes.grid(axis="y", color=RULE, alpha=0.35, linewidth=0.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, labelcolor=INK, fontsize=8)
    figure.tight_layout()
    return figure


def main() -> None:
    report = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    # Text stays text, and equal figures give equal files.
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "akg", "font.family": "sans-serif", "font.size": 10})
    drawn = {"growth.svg": curves(report)} if "sizes" in report else {}
    if report.get("routes"):
        drawn["benchmarks-routes.svg"] = rates(report)
    for number, name in zip(range(len(report.get("peers", ()))), PEERS, strict=False):
        drawn[name] = peers(report, number)
    for name, figure in drawn.items():
        path = Path(sys.argv[2]) / name
        figure.savefig(path, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
        path.write_text("\n".join(line.rstrip() for line in path.read_text("utf-8").splitlines()) + "\n", "utf-8")
        print(path)


if __name__ == "__main__":
    main()
