"""Converts response bodies to template data: links, API calls, comparisons, paths, score bars, charts."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from api.result import OTHER_MATCHES
from schema.json_types import JsonObject

IMPLIED_PARAMS = ("limit",)  # fixed by the page
ENTITY_ID = re.compile(r"\b[a-z]+:[\w.-]*\w")
NEED_LABELS = {"limitation": "can bring", "workrelatedfunction": "can affect"}
# From a need to its relative with the lists, by the word for the relation in `basis_label`.
RELATIVE_LABELS = {"narrower": "includes", "broader": "is a kind of", "similar": "is similar to"}
SHOWN_RECOMMENDATIONS = (100, 500)  # the longer lists of the page; the API returns at most 500

WIDTH, HEIGHT = 720, 180  # SVG units; the page stretches the chart

Params = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link with its text."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class FacetLink:
    """A type among the hits; the link selects it, or clears the selection."""

    type: str
    count: int
    selected: bool
    url: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Cards in both lists, and in one of them only; in the order of the lists."""

    both: Sequence[JsonObject]
    first: Sequence[JsonObject]
    second: Sequence[JsonObject]


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """An invalid form field, with links that search for the nearest names instead."""

    field: str
    message: str
    nearest: Sequence[Link]


@dataclass(frozen=True, slots=True)
class PathStep:
    """An entity on a path, with the label of the edge that leads to it."""

    label: str
    card: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScoreSegment:
    """One part of a score as a segment of a bar; `x` and `width` are percentages of the best score."""

    name: str
    x: float
    width: float


def page_url(api_url: str | None) -> str | None:
    """Return the page that shows the response of this relative API URL."""
    if api_url is None:
        return None
    split = urlsplit(api_url)
    params = parse_qsl(split.query)
    path = split.path
    if path.endswith("/neighbors"):  # the edge is a part of the path of the page
        path = f"{path.removesuffix('neighbors')}{dict(params)['edge']}"
        params = [param for param in params if param[0] != "edge"]
    return f"/explore{path}?{urlencode([param for param in params if param[0] not in IMPLIED_PARAMS])}"


def facet_links(counts: Mapping[str, int], params: Iterable[tuple[str, str]], scope: Sequence[str]) -> list[FacetLink]:
    """Return a link for each type among the hits and each selected type; `params` are those of the search."""
    params = [(name, value) for name, value in params if name != "scope"]
    links = []
    for name in dict.fromkeys((*counts, *scope)):
        selected = name in scope
        url = f"/explore/search?{urlencode(params if selected else [*params, ('scope', name)])}"
        links.append(FacetLink(name, counts.get(name, 0), selected, url))
    return links


def filter_options(values: Sequence[str], selected: str | None) -> list[str]:
    """Return the values that a filter offers: always the selected one, and none if there is nothing to choose."""
    options = list(dict.fromkeys((*values, *([selected] if selected else []))))
    return options if selected or len(options) > 1 else []


def compare(first: Sequence[JsonObject], second: Sequence[JsonObject]) -> Comparison:
    """Compare two lists of cards by id."""
    first_ids = {card["id"] for card in first}
    second_ids = {card["id"] for card in second}
    return Comparison(
        both=[card for card in first if card["id"] in second_ids],
        first=[card for card in first if card["id"] not in second_ids],
        second=[card for card in second if card["id"] not in first_ids],
    )


def form_problems(problems: Sequence[Mapping[str, Any]], values: Mapping[str, str], path: str) -> list[FieldProblem]:
    """Return the problems of a form by field. The nearest entities of a problem become links that fill in the form."""
    field_problems = []
    for problem in problems:
        name = str(problem["loc"][-1])
        nearest = problem.get("ctx", {}).get("nearest") or []
        cards = [card for card in nearest if isinstance(card, dict)] if isinstance(nearest, list) else []
        links = [
            Link(card["name"], f"{path}?{urlencode({**values, name: card['slug']}, doseq=True)}") for card in cards
        ]
        field_problems.append(FieldProblem(name, str(problem["msg"]).partition("; nearest")[0], links))
    return field_problems


def ambiguous_ids(warnings: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Parse from the warnings, by field, the ids of the other entities with the name that was typed."""
    ids = {}
    for warning in warnings:
        _, is_ambiguous, others = warning["message"].rpartition(OTHER_MATCHES)
        if is_ambiguous:
            ids[warning["parameter"]] = ENTITY_ID.findall(others)
    return ids


def limitations_by_frequency(rows: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
    """Return the limitations of all rows, those that affect the most abilities first."""
    limitations = [limitation for row in rows for limitation in row["limitations"]]
    cards = {card["id"]: card for card in limitations}
    return [cards[id_] for id_, _ in Counter(card["id"] for card in limitations).most_common()]


def recommendation_path(recommendation: Mapping[str, Any], seeds: Sequence[Mapping[str, Any]]) -> list[PathStep]:
    """Return the path from a seed through its heaviest need to the accommodation, a product and its vendor."""
    needs = recommendation["answers"]
    steps: list[PathStep] = []
    if needs:
        need = needs[0]["entity"]
        seed = next((seed["entity"] for seed in seeds if seed["entity"]["id"] == needs[0]["seed_id"]), None)
        if seed and seed["id"] != need["id"]:
            steps += [PathStep("", seed), PathStep(_need_label(seed, need, recommendation["basis_label"]), need)]
        else:
            steps.append(PathStep("", need))
    steps.append(PathStep("is helped by" if steps else "", recommendation))
    if recommendation["products"]:
        product = recommendation["products"][0]
        steps.append(PathStep("can be done with", product))
        if product["vendor"]:
            steps.append(PathStep("is made or sold by", product["vendor"]))
    return steps


def _need_label(seed: Mapping[str, Any], need: Mapping[str, Any], basis_label: str) -> str:
    if seed["type"] != need["type"]:
        return NEED_LABELS.get(need["type"], "needs")
    return next((label for word, label in RELATIVE_LABELS.items() if f" {word} " in basis_label), "is related to")


def more_link(values: Mapping[str, Any], body: Mapping[str, Any], path: str) -> Link | None:
    """Return the page with the next longer list of recommendations; None if all are shown, or no list is longer."""
    total, shown = body["total"], len(body["results"])
    limit = next((limit for limit in SHOWN_RECOMMENDATIONS if shown < min(limit, total)), None)
    if limit is None:
        return None
    name = f"Show all {total:,}" if total <= limit else f"Show the first {limit}"
    return Link(name, f"{path}?{urlencode({**values, 'limit': limit}, doseq=True)}")


def connection_path(steps: Sequence[Mapping[str, Any]]) -> list[PathStep]:
    """Return a connection as entities, each with the label of the edge that leads to it."""
    return [PathStep("", steps[0]["from"]), *(PathStep(step["label"], step["to"]) for step in steps)]


def score_bar(parts: Mapping[str, float], best: float) -> list[ScoreSegment]:
    """Return the parts of a score as segments of a bar; the best score fills it."""
    segments, x = [], 0.0
    for name, score in parts.items():
        width = round(max(score, 0) / best * 100, 2)
        segments.append(ScoreSegment(name, round(x, 2), width))
        x += width
    return segments


@dataclass(frozen=True, slots=True)
class Bar:
    """One day. `known` is false for days without data; suppressed counts are known, but have no height."""

    date: str
    requests: int | None
    known: bool
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars from the oldest day to the newest, scaled to a round maximum."""

    bars: list[Bar]
    top: int
    width: int = WIDTH
    height: int = HEIGHT


def usage_chart(days: Sequence[Mapping[str, Any]], count: int, newest: str) -> Chart:
    """Return the chart of the last `count` days up to `newest` (ISO date)."""
    requests_by_day = {day["date"]: day["requests"] for day in days}
    last = date.fromisoformat(newest)
    dates = [str(last - timedelta(days=back)) for back in reversed(range(count))]
    top = round_up(max((requests_by_day.get(day) or 0 for day in dates), default=0))
    step = WIDTH / count
    bars = []
    for position, day in enumerate(dates):
        requests = requests_by_day.get(day)
        height = round((requests or 0) / top * HEIGHT, 1)
        x, width = round(position * step + step * 0.1, 1), round(step * 0.8, 1)
        bars.append(Bar(day, requests, day in requests_by_day, x, round(HEIGHT - height, 1), width, height))
    return Chart(bars, top)


def round_up(value: int) -> int:
    """Return the next of 10, 20, 50, 100, 200 and so on."""
    size = 10
    while 5 * size < value:
        size *= 10
    return next(step * size for step in (1, 2, 5) if step * size >= value)


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One API call: GET `path` with `params`, or POST `path` with a JSON `body`; and the equivalent MCP tool call.

    `link` replaces the URL of the JSON where a browser cannot follow the call itself (POST, content negotiation).
    """

    path: str
    params: Params = ()
    body: Mapping[str, Any] | None = None
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    link: str = ""

    @property
    def url(self) -> str:
        """Path and query string."""
        return f"{self.path}?{urlencode(self.params)}" if self.params else self.path

    @property
    def json_url(self) -> str:
        """The URL at which a browser gets the JSON."""
        return self.link or self.url

    def curl(self, base_url: str) -> str:
        """Return the curl command for this call."""
        command = f"curl {shlex.quote(base_url + self.url)}"
        if self.body is None:
            return command if self.path != "/" else f"{command} -H 'Accept: application/json'"
        return f"{command} -H 'Content-Type: application/json' -d {shlex.quote(_dumps(self.body))}"

    @property
    def mcp(self) -> str:
        """The equivalent MCP `tools/call` request, or an empty string if no tool matches."""
        if not self.tool:
            return ""
        params = {"name": self.tool, "arguments": dict(self.arguments)}
        return _dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def _dumps(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def query_params(params: Sequence[tuple[str, object]]) -> Params:
    """Return the parameters as strings, without the empty ones."""
    return tuple((name, str(value)) for name, value in params if value not in (None, "", ()))
