"""Answers arranged for the eye: links to other pages, what two lists share, chains, bars, a neighborhood. Pure."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from api.naming import ALSO_CALLED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Body = dict[str, Any]
HIDDEN = ("limit", "edge")  # in the path of a page, or fixed by it
ENTITY = re.compile(r"\b[a-z]+:[\w.-]*\w")
TO_NEED = {"limitation": "can bring", "workrelatedfunction": "can affect"}


def page_link(link: str | None) -> str | None:
    """The page that shows what this relative link of the API gives."""
    if link is None:
        return None
    split = urlsplit(link)
    query = parse_qsl(split.query)
    path = split.path
    if path.endswith("/neighbors"):
        path = f"{path.removesuffix('neighbors')}{dict(query)['edge']}"
    kept = [one for one in query if one[0] not in HIDDEN]
    return f"/explore{path}?{urlencode(kept)}"


def facets(body: Mapping[str, Any], query: str, scope: Sequence[str], setting: str | None) -> list[Body]:
    """The types that were hit, each with a link that shows it alone, or all again."""
    kept = [("query", query), *([("setting", setting)] if setting else [])]
    found = body["facets"]["type"]
    names = [*found, *(one for one in scope if one not in found)]
    lines = []
    for name in names:
        chosen = name in scope
        params = kept if chosen else [*kept, ("scope", name)]
        lines.append(
            {
                "type": name,
                "count": found.get(name, 0),
                "chosen": chosen,
                "link": f"/explore/search?{urlencode(params)}",
            }
        )
    return lines


def shared(first: Sequence[Body], second: Sequence[Body]) -> Body:
    """What both lists have, with both weights, and what only one has; in the order of the lists."""
    theirs = {one["id"]: one for one in second}
    mine = {one["id"] for one in first}
    return {
        "both": [
            {"card": one, "weights": (one["weight"], theirs[one["id"]]["weight"])}
            for one in first
            if one["id"] in theirs
        ],
        "first": [one for one in first if one["id"] not in theirs],
        "second": [one for one in second if one["id"] not in mine],
    }


def mending(problems: Sequence[Mapping[str, Any]], asked: Mapping[str, str], path: str) -> list[Body]:
    """Problems of a form, each with its field, a short sentence, and links that ask for the nearest instead."""
    lines = []
    for problem in problems:
        name = str(problem["loc"][-1])
        near = problem.get("ctx", {}).get("nearest") or []
        cards = [one for one in near if isinstance(one, dict)] if isinstance(near, list) else []
        links = [{"name": one["name"], "link": f"{path}?{urlencode({**asked, name: one['slug']})}"} for one in cards]
        lines.append({"field": name, "message": str(problem["msg"]).partition("; nearest")[0], "nearest": links})
    return lines


def namesakes(warnings: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """By field, the ids of what else is called as was typed there, from the warnings that say so."""
    found = {}
    for line in warnings:
        _, is_other, others = line["message"].rpartition(ALSO_CALLED)
        if is_other:
            found[line["parameter"]] = ENTITY.findall(others)
    return found


def picture(record: Mapping[str, Any], most: int) -> list[Body]:
    """The neighbors to draw, by relation: label, how many there are, and the first of them."""
    return [
        {"name": one["name"], "label": one["label"], "total": one["total"], "items": one["items"][:most]}
        for one in record["edges"]
        if one["items"]
    ]


def most_touching(rows: Sequence[Mapping[str, Any]]) -> list[Body]:
    """The limitations of a job's abilities, those that touch most abilities first."""
    counts = Counter(one["id"] for row in rows for one in row["limitations"])
    cards = {one["id"]: one for row in rows for one in row["limitations"]}
    return [cards[name] for name, _ in counts.most_common()]


def changed(changes: Mapping[str, Any], most: int) -> list[Body]:
    """Each type with entities that are other: its counts, the first that are named, and how many more."""
    lines = []
    for one in changes["types"]:
        items = [entity for entity in changes["entities"] if entity["type"] == one["name"]][:most]
        lines.append({**one, "items": items, "more": one["added"] + one["changed"] + one["removed"] - len(items)})
    return lines


def chain(result: Mapping[str, Any], seeds: Sequence[Mapping[str, Any]]) -> list[Body]:
    """From a seed through the need that weighs most to the accommodation, a product and its vendor, with labels."""
    needs = result["answers"]
    steps: list[Body] = []
    if needs:
        need = needs[0]
        seed = next((one["entity"] for one in seeds if one["field"] == need["seed"]), None)
        if seed and seed["id"] != need["entity"]["id"]:
            steps.append({"label": "", "card": seed})
            steps.append({"label": TO_NEED.get(need["entity"]["type"], "needs"), "card": need["entity"]})
        else:
            steps.append({"label": "", "card": need["entity"]})
    steps.append({"label": "is helped by" if steps else "", "card": result})
    if result["products"]:
        product = result["products"][0]
        steps.append({"label": "can be done with", "card": product})
        if product["vendor"]:
            steps.append({"label": "is made or sold by", "card": product["vendor"]})
    return steps


def walk(steps: Sequence[Mapping[str, Any]]) -> list[Body]:
    """A connection as cards with the label of the edge that leads to each."""
    return [{"label": "", "card": steps[0]["from"]}, *({"label": one["label"], "card": one["to"]} for one in steps)]


def bar(parts: Mapping[str, float], most: float) -> list[Body]:
    """The parts of a score as pieces of a bar that is 100 long for the best score."""
    pieces, at = [], 0.0
    for name, points in parts.items():
        width = round(max(points, 0) / most * 100, 2)
        pieces.append({"name": name, "points": points, "x": round(at, 2), "width": width})
        at += width
    return pieces
