"""Records, lists and neighbors over a small graph on OpenSearch: forms of ids, inheritance, filters and pages."""

import httpx


async def test_lists_filter_by_setting_and_grouping(service: httpx.AsyncClient) -> None:
    listed = (await service.get("/solution?setting=school")).json()
    assert listed["total"] == len(listed["results"])
    assert all("school" in item["settings"] for item in listed["results"])
    grouped = (await service.get("/disability?grouping=other-health-impairment&limit=1")).json()
    assert (grouped["total"], grouped["next"]) == (
        2,
        "/disability?grouping=other-health-impairment&limit=1&offset=1",
    )
    for linked in ("", "&linked_to=limitation:decreased-stamina-fatigue"):
        unknown = await service.get(f"/disability?grouping=other-health-impairmen{linked}")
        assert unknown.status_code == 422
        assert "other-health-impairment" in str(unknown.json()["detail"])
    without_settings = (await service.get("/vendor?setting=school")).json()
    assert [item["parameter"] for item in without_settings["warnings"]] == ["setting"]


async def test_a_narrower_condition_inherits_the_edges_and_ideas_of_its_ancestors(service: httpx.AsyncClient) -> None:
    record = (await service.get("/disability/optic-neuritis")).json()
    assert [item["name"] for item in record["inherits"]] == ["Low Vision", "Multiple Sclerosis"]
    groups = {group["name"]: group for group in record["edges"]}
    assert {item["basis"] for item in groups["recommends"]["items"]} == {"inherited"}
    assert len(groups["recommends"]["items"]) == groups["recommends"]["total"] == 5
    assert {tuple(idea["inherited_from"]) for idea in record["accommodation_ideas"]} >= {
        ("disability:multiple-sclerosis",)
    }
    first = (await service.get("/disability/optic-neuritis/neighbors?edge=recommends&limit=3")).json()
    rest = (await service.get(first["next"])).json()
    ids = [item["id"] for page in (first, rest) for item in page["results"]]
    assert (first["total"], len(set(ids))) == (5, 5)
    assert ids == [item["id"] for item in groups["recommends"]["items"]]


async def test_main_conditions_rank_before_narrower_ones_in_lists_and_search(service: httpx.AsyncClient) -> None:
    listed = [item["slug"] for item in (await service.get("/disability")).json()["results"]]
    assert listed[-2:] == ["chronic-optic-neuritis", "optic-neuritis"]
    narrower = (await service.get("/disability?kind=narrower&limit=1")).json()
    assert (narrower["total"], narrower["next"]) == (2, "/disability?kind=narrower&limit=1&offset=1")
    assert (await service.get("/disability?kind=broad")).status_code == 422
    found = (await service.get("/search?query=MS")).json()["results"]
    assert [item["slug"] for item in found[:2]] == ["multiple-sclerosis", "optic-neuritis"]


async def test_every_form_of_an_id_gets_the_same_record(service: httpx.AsyncClient) -> None:
    listed = (await service.get("/occupation")).json()["results"][0]
    key = listed["id"].partition(":")[2]
    group = key.partition(".")[0]
    forms = [key, listed["slug"], listed["id"], listed["slug"].upper(), f"Occupation:{key}", group]
    records = [(await service.get(f"/occupation/{form}")).json() for form in forms]
    assert all(record == records[0] for record in records)
    neighbors = [(await service.get(f"/occupation/{form}/neighbors?edge=requires")).json() for form in forms]
    assert [page["results"] for page in neighbors] == [neighbors[0]["results"]] * len(forms)
    assert neighbors[0]["results"]


async def test_every_form_of_an_id_has_the_same_related_conditions(service: httpx.AsyncClient) -> None:
    forms = ["optic-neuritis", "DOID:1210", "doid:1210", "Disability:Optic-Neuritis"]
    responses = [await service.get(f"/related_conditions/{form}") for form in forms]
    assert [response.status_code for response in responses] == [200] * len(forms)
    assert [response.json()["results"] for response in responses] == [responses[0].json()["results"]] * len(forms)


async def test_pages_have_no_gaps_or_repetitions(service: httpx.AsyncClient) -> None:
    complete = (await service.get("/solution?limit=100")).json()["results"]
    link: str | None = "/solution?limit=3"
    collected = []
    while link:
        page = (await service.get(link)).json()
        collected += page["results"]
        link = page["next"]
    assert collected == complete
