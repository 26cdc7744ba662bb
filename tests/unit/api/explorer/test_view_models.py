"""Template data, equivalent API calls and the usage chart."""

import pytest

from api.explorer import view_models
from api.explorer.view_models import (
    ApiCall,
    Comparison,
    FacetLink,
    FieldProblem,
    Link,
    ScoreSegment,
)
from schema.json_types import JsonObject


@pytest.mark.parametrize(
    ("api_url", "url"),
    [
        (None, None),
        ("/search?query=hands+shake&offset=20", "/explore/search?query=hands+shake&offset=20"),
        ("/disability?limit=50&kind=main&offset=50", "/explore/disability?kind=main&offset=50"),
        (
            "/limitation/low-vision/neighbors?edge=limitation_of&limit=50&offset=50",
            "/explore/limitation/low-vision/limitation_of?offset=50",
        ),
    ],
)
def test_api_urls_become_page_urls(api_url: str | None, url: str | None) -> None:
    assert view_models.page_url(api_url) == url


def card(id_: str, weight: float = 0.5) -> JsonObject:
    type_, _, slug = id_.partition(":")
    return {"id": id_, "type": type_, "slug": slug, "name": slug.title(), "weight": weight}


def test_compares_two_lists_by_id() -> None:
    first, second = [card("a:1", 0.9), card("a:2")], [card("a:3"), card("a:1", 0.2)]
    assert view_models.compare(first, second) == Comparison(both=[first[0]], first=[first[1]], second=[second[0]])


def test_a_facet_selects_its_type_or_clears_the_selection() -> None:
    params = [("query", "a b"), ("scope", "solution"), ("scope", "vendor"), ("setting", "work"), ("matching", "loose")]
    url = "/explore/search?query=a+b&setting=work&matching=loose"
    assert view_models.facet_links({"solution": 67, "product": 4}, params, ["solution", "vendor"]) == [
        FacetLink("solution", 67, selected=True, url=url),
        FacetLink("product", 4, selected=False, url=f"{url}&scope=product"),
        FacetLink("vendor", 0, selected=True, url=url),
    ]


@pytest.mark.parametrize(
    ("values", "selected", "options"),
    [
        (["solution"], None, []),
        (["solution"], "solution", ["solution"]),
        (["solution"], "vendor", ["solution", "vendor"]),
        (["disability", "limitation"], None, ["disability", "limitation"]),
        (["disability", "limitation"], "limitation", ["disability", "limitation"]),
    ],
)
def test_a_filter_always_offers_the_selected_value(values: list[str], selected: str | None, options: list[str]) -> None:
    assert view_models.filter_options(values, selected) == options


def test_a_recommendation_path_leads_from_the_seed_to_the_vendor() -> None:
    seed, need = card("disability:ms"), card("limitation:fatigue")
    product = {**card("product:p"), "vendor": card("vendor:v")}
    solution = {
        **card("solution:s"),
        "answers": [{"entity": need, "seed": "disability", "seed_id": seed["id"]}],
        "products": [product],
        "basis_label": "listed by a source for this condition",
    }
    path = view_models.recommendation_path(solution, [{"field": "disability", "entity": seed}])
    assert [(step.label, step.card["id"]) for step in path] == [
        ("", "disability:ms"),
        ("can bring", "limitation:fatigue"),
        ("is helped by", "solution:s"),
        ("can be done with", "product:p"),
        ("is made or sold by", "vendor:v"),
    ]


def test_a_recommendation_path_from_a_limitation_names_it_once() -> None:
    need = card("limitation:fatigue")
    solution = {
        **card("solution:s"),
        "answers": [{"entity": need, "seed": "limitation", "seed_id": need["id"]}],
        "products": [],
    }
    path = view_models.recommendation_path(solution, [{"field": "limitation", "entity": need}])
    assert [step.card["id"] for step in path] == ["limitation:fatigue", "solution:s"]


@pytest.mark.parametrize(
    ("basis_label", "label"),
    [
        ("listed for a narrower need", "includes"),
        ("listed for a broader need", "is a kind of"),
        ("listed for a similar need", "is similar to"),
        ("listed for a related need", "is related to"),
    ],
)
def test_a_recommendation_path_names_the_relation_to_a_relative(basis_label: str, label: str) -> None:
    seed, kind = card("limitation:hearing-loss"), card("limitation:deaf")
    answers = [{"entity": kind, "seed": "limitation", "seed_id": seed["id"]}]
    solution = {**card("solution:s"), "answers": answers, "products": [], "basis_label": basis_label}
    path = view_models.recommendation_path(solution, [{"field": "limitation", "entity": seed}])
    assert [step.label for step in path] == ["", label, "is helped by"]


@pytest.mark.parametrize(
    ("total", "shown", "name", "limit"),
    [(315, 20, "Show the first 100", 100), (315, 100, "Show all 315", 500), (45, 20, "Show all 45", 100)],
)
def test_more_recommendations_are_a_link(total: int, shown: int, name: str, limit: int) -> None:
    body = {"total": total, "results": [{}] * shown}
    link = view_models.more_link({"disability": "ms"}, body, "/explore/recommend")
    assert link == view_models.Link(name, f"/explore/recommend?disability=ms&limit={limit}")


@pytest.mark.parametrize(("total", "shown"), [(12, 12), (600, 500)])
def test_a_complete_list_of_recommendations_has_no_link(total: int, shown: int) -> None:
    assert view_models.more_link({}, {"total": total, "results": [{}] * shown}, "/explore/recommend") is None


def test_score_segments_are_side_by_side() -> None:
    assert view_models.score_bar({"coverage": 0.25, "evidence": 0.5}, 1.0) == [
        ScoreSegment("coverage", 0.0, 25.0),
        ScoreSegment("evidence", 25.0, 50.0),
    ]


def test_limitations_of_the_most_abilities_come_first() -> None:
    rare, frequent = card("limitation:rare"), card("limitation:frequent")
    abilities = [{"limitations": [rare, frequent]}, {"limitations": [frequent]}]
    assert view_models.limitations_by_frequency(abilities) == [frequent, rare]


def test_a_form_problem_links_the_nearest_entities() -> None:
    nearest = {"id": "disability:low-vision", "slug": "low-vision", "name": "Low Vision"}
    message = "unknown disability 'low vison'; nearest: disability:low-vision"
    problem = {"loc": ["body", "disability"], "msg": message, "ctx": {"nearest": [nearest]}}
    link = Link("Low Vision", "/explore/recommend?disability=low-vision&setting=work")
    values = {"disability": "low vison", "setting": "work"}
    problems = view_models.form_problems([problem], values, "/explore/recommend")
    assert problems == [FieldProblem("disability", "unknown disability 'low vison'", [link])]


def test_parses_ambiguous_ids_from_warnings() -> None:
    others = "other matches: occupation:53-3032.00, disability:x. An id."
    message = f"'a: b' was interpreted as occupation:53-7051.00; {others}"
    warnings = [
        {"parameter": "occupation", "message": message, "nearest": "occupation:53-3032.00"},
        {"parameter": "limt", "message": "there is no 'limt'", "nearest": "limit"},
    ]
    assert view_models.ambiguous_ids(warnings) == {"occupation": ["occupation:53-3032.00", "disability:x"]}


def test_a_call_can_be_pasted_into_a_shell() -> None:
    params = view_models.query_params((("query", "it's"), ("setting", None)))
    call = ApiCall("/search", params, tool="search_accommodations")
    assert call.curl("http://here") == "curl 'http://here/search?query=it%27s'"
    post = ApiCall("/recommend", body={"disability": "crohn's"}, link="/explore/recommend.json?disability=x")
    assert post.json_url == "/explore/recommend.json?disability=x"
    assert post.curl("http://here").endswith("""-d '{"disability": "crohn'"'"'s"}'""")
    assert post.mcp == ""
    assert '"name": "search_accommodations"' in call.mcp


@pytest.mark.parametrize(("value", "top"), [(0, 10), (10, 10), (11, 20), (51, 100), (2_001, 5_000)])
def test_the_top_of_a_chart_is_a_round_number(value: int, top: int) -> None:
    assert view_models.round_up(value) == top


def test_days_without_data_have_no_bar() -> None:
    days: list[JsonObject] = [{"date": "2026-11-20", "requests": 100}, {"date": "2026-11-18", "requests": None}]
    bars = view_models.usage_chart(days, 3, "2026-11-20").bars
    assert [(bar.date, bar.requests, bar.known, bar.height) for bar in bars] == [
        ("2026-11-18", None, True, 0.0),
        ("2026-11-19", None, False, 0.0),
        ("2026-11-20", 100, True, 180.0),
    ]
