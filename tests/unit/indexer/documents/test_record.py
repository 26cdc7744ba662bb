"""Records of entities: attributes, sources, ideas and groupings, and the pages of their edges."""

import pytest

from schema.entity_kinds import SETTINGS
from tests.support.written_documents import ADHD, LOW_VISION, RELAPSING, Written, of_kind, record_of


def test_an_edge_page_has_its_response_and_its_targets(written: Written) -> None:
    body = dict(written["vendor:brightline-access/sells/0"])
    page = body.pop("page")
    products = ["product:largeview-magnifier", "product:largeview-pocket"]
    assert body == {
        "doc": "edges",
        "owner": ["vendor:brightline-access"],
        "edge": "sells",
        "of": "vendor:brightline-access",
        "number": 0,
        "targets": products,
        "sources": ["fair"],
    }
    assert (page["entity"]["id"], page["total"]) == ("vendor:brightline-access", 2)
    assert [item["id"] for item in page["items"]] == products


def test_only_products_and_vendors_have_a_market_verification(written: Written) -> None:
    for record in (body["record"] for body in of_kind(written, "record").values()):
        assert ("market_verification" in record) == (record["type"] in {"product", "vendor"})


@pytest.mark.parametrize(
    ("node", "external"),
    [
        ("occupation:15-1252.00", {"onet_soc": "15-1252.00"}),
        ("ability:1.A.3.b.1", {"onet_element": "1.A.3.b.1"}),
        ("solution:telework", {"page": "https://atlas.example.org/solutions/telework"}),
        (RELAPSING, {}),
    ],
)
def test_a_record_has_external_ids(written: Written, node: str, external: dict[str, str]) -> None:
    assert record_of(written, node)["external_ids"] == external


def test_a_record_has_the_facts_of_its_type_and_all_summaries(written: Written) -> None:
    magnification = record_of(written, "solution:screen-magnification-software")
    assert magnification["attributes"] == {"kind": "product|service"}
    assert magnification["summaries"]["plain"].startswith("It follows the pointer")
    telework = record_of(written, "solution:telework")
    assert "plain" not in telework["summaries"]
    assert telework["aliases"] == [{"text": "Working from Home", "kind": "lay", "source": "atlas"}]
    assert record_of(written, "occupation:15-1252.00")["attributes"] == {"job_zone": "4"}


def test_a_record_names_the_sources_of_the_entity_and_of_its_edges(written: Written) -> None:
    record = record_of(written, LOW_VISION)
    assert [source["id"] for source in record["sources"]] == ["atlas", "editors", "fair"]
    assert record["sources"][1]["url"] is None


IDEAS = {
    # most usual first; a seat is for school
    ADHD: [
        (
            "Attentiveness/Concentration",
            dict.fromkeys(("Checklists", "Noise Canceling Headsets", "Preferential Seating", "Telework"), 1.0),
        ),
        ("Memory Loss", {"Written Instructions": 1.0, "Checklists": 0.5}),
        ("Communicate", {"Written Instructions": 1.0}),
    ],
    # those without a need are grouped under the condition
    "disability:crohns-disease": [
        ("Decreased Stamina/Fatigue", {"Periodic Rest Breaks": 1.0, "Flexible Schedule": 0.6667}),
        ("Commute to and from Work", {"Telework": 1.0, "Flexible Schedule": 0.5}),
        ("Crohn's Disease", {"Preferential Seating": 0.5}),
    ],
    # a broad limitation has the ideas of its descendants
    "limitation:vision-impairment": [("Vision Impairment", {"Screen Magnification Software": 1.0})],
    "limitation:decreased-stamina-fatigue": [
        ("Decreased Stamina/Fatigue", {"Periodic Rest Breaks": 1.0, "Flexible Schedule": 0.6667, "Telework": 0.3333})
    ],
    "limitation:blind": [],
    "solution:telework": [],
}


@pytest.mark.parametrize(("node", "ideas"), IDEAS.items(), ids=IDEAS)
def test_ideas_are_grouped_by_need(written: Written, node: str, ideas: list[tuple[str, dict[str, float]]]) -> None:
    found = record_of(written, node)["accommodation_ideas"]
    grouped = [(idea["heading"]["name"], [(row["name"], row["weight"]) for row in idea["solutions"]]) for idea in found]
    assert grouped == [(heading, list(weights.items())) for heading, weights in ideas]


def test_records_have_settings_and_groupings(written: Written) -> None:
    checklists = record_of(written, "solution:checklists")
    assert (written["solution:checklists"]["settings"], checklists["settings"]) == ([*SETTINGS], [*SETTINGS])
    assert checklists["attributes"] == {"kind": "strategy"}
    assert written["disability:crohns-disease"]["groupings"] == ["other-health-impairment"]
    assert record_of(written, "disability:crohns-disease")["groupings"] == [
        {
            "scheme": "IDEA",
            "name": "Other Health Impairment",
            "description": "A health condition that limits strength or alertness at school.",
            "basis": "editorial",
            "note": "in a flare",
            "sources": ["editors"],
            "url": "/disability?grouping=other-health-impairment",
        }
    ]
    assert "groupings" not in record_of(written, LOW_VISION)
