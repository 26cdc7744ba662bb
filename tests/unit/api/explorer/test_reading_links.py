"""Links of the parts of a question, and of the fields of a form."""

import pytest

from api.explorer.reading_links import field_parts, leave_out_url, recommend_parts, search_parts
from schema.json_types import JsonObject

ARTHRITIS = {"id": "disability:arthritis", "type": "disability", "name": "Arthritis", "url": "/disability/arthritis"}
CASHIERS = {"id": "occupation:41", "type": "occupation", "name": "Cashiers", "url": "/occupation/41"}


def part(query: str, text: str, entity: JsonObject) -> JsonObject:
    start = query.index(text)
    found = {"text": text, "start": start, "end": start + len(text), "role": entity["type"], "entity": entity}
    return {**found, "side": None, "setting": None, "alternatives": []}


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("what helps a cashier with arthritis", "what helps with arthritis"),
        ("I am a cashier with arthritis", "with arthritis"),
        ("desk for a cashier with arthritis", "desk with arthritis"),
        ("cashier arthritis", "arthritis"),
        ("vitamin a and cashier arthritis", "vitamin a and arthritis"),
    ],
)
def test_a_part_is_removed_with_its_article(query: str, rest: str) -> None:
    (shown,) = search_parts({"parts": [part(query, "cashier", CASHIERS)]}, query)
    assert shown.remove_url == f"/explore/search?query={rest.replace(' ', '+')}"


def test_removing_a_part_of_a_question_keeps_the_other_fields() -> None:
    query = "cashier with arthritis"
    reading = {"parts": [part(query, "cashier", CASHIERS), part(query, "arthritis", ARTHRITIS)]}
    shown = recommend_parts(reading, {"question": query, "exclude": "mats", "limit": 100})
    assert shown[0].remove_url == "/explore/recommend?exclude=mats&limit=100&disability=disability%3Aarthritis"


def test_the_words_of_a_guide_stay_in_the_question() -> None:
    query = "suicidal cashier with arthritis"
    guide = {**part(query, "suicidal", CASHIERS), "role": "guide", "entity": None}
    reading = {"parts": [guide, part(query, "cashier", CASHIERS), part(query, "arthritis", ARTHRITIS)]}
    without_guide, without_job, _ = recommend_parts(reading, {"question": query})
    assert without_guide.remove_url.startswith("/explore/recommend?occupation=")
    assert without_job.remove_url == "/explore/recommend?question=suicidal&disability=disability%3Aarthritis"


def test_fields_of_a_form_can_be_removed_by_name() -> None:
    seeds = [
        {"field": "disability", "given": "disability:arthritis", "entity": ARTHRITIS},
        {"field": "occupation", "given": "occupation:41", "entity": CASHIERS},
        {"field": "limitation", "given": "of the question", "entity": CASHIERS},
    ]
    values = {"disability": ["disability:arthritis", "low vision"], "occupation": "occupation:41"}
    shown = field_parts(seeds, values)
    assert [(field.text, field.name, field.remove_url) for field in shown] == [
        ("", "Arthritis", "/explore/recommend?disability=low+vision&occupation=occupation%3A41"),
        ("", "Cashiers", "/explore/recommend?disability=disability%3Aarthritis&disability=low+vision"),
    ]


def test_what_is_left_out_can_be_removed_and_more_be_left_out() -> None:
    values = {"disability": "arthritis", "exclude": ["solution:standing-desks", "mats"]}
    shown = field_parts([], values)
    assert [(part.role, part.name, part.remove_url) for part in shown] == [
        ("left out", "standing desks", "/explore/recommend?disability=arthritis&exclude=mats"),
        ("left out", "mats", "/explore/recommend?disability=arthritis&exclude=solution%3Astanding-desks"),
    ]
    assert leave_out_url({"disability": "arthritis", "exclude": "mats"}, "solution:lamps") == (
        "/explore/recommend?disability=arthritis&exclude=mats&exclude=solution%3Alamps"
    )
    assert leave_out_url({"question": "arthritis"}, "solution:lamps") == (
        "/explore/recommend?question=arthritis&exclude=solution%3Alamps"
    )


def test_without_the_last_field_the_form_is_blank() -> None:
    seed = {"field": "disability", "given": "arthritis", "entity": ARTHRITIS}
    assert [field.remove_url for field in field_parts([seed], {"disability": "arthritis"})] == ["/explore/recommend"]
