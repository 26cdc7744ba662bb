"""A release built from the content and an O*NET import."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import orjson
import pytest

from indexer.onet.merge import attribution
from tests.support.fixture_graphs import CHECKOUT, serving
from tests.support.operator_session import OperatorSession

NEWER = CHECKOUT / "tests" / "data" / "onet" / "db_31_0_csv"


@pytest.fixture(scope="module")
async def newer(operator: OperatorSession) -> AsyncIterator[httpx.AsyncClient]:
    operator.run("import", "onet", str(NEWER), "--allow-loss")
    operator.run("index", "build", "--allow-loss")  # the newer O*NET lacks an occupation of the small world
    async with serving(operator.url, operator.releases.alias) as service:
        yield service


async def get_json(service: httpx.AsyncClient, path: str) -> Any:  # noqa: ANN401 - a JSON body
    response = await service.get(path)
    assert response.status_code == 200, response.text
    return orjson.loads(response.content)


async def test_a_record_has_the_official_description_and_attribution(newer: httpx.AsyncClient) -> None:
    record = await get_json(newer, "/occupation/kite-menders")
    assert record["summaries"] == {
        "short": "An occupation in job zone 2 that relies most on near vision, hearing sensitivity and stamina.",
        "long": "Mend kites, lines and tails, and try them in the wind.",
    }
    assert record["aliases"] == [
        {"text": "Kite Doctor", "kind": "title", "source": "onet-31.0"},
        {"text": "Tail Splicer", "kind": "title", "source": "onet-31.0"},
    ]
    (source,) = record["sources"]
    assert (source["id"], source["attribution"]) == ("onet-31.0", attribution("31.0"))
    assert source in record["provenance"]["sources"]


async def test_the_graph_has_the_imported_occupations_and_the_editors_conditions(newer: httpx.AsyncClient) -> None:
    assert (await newer.get("/occupation/53-3032.00")).status_code == 404
    assert (await get_json(newer, "/occupation"))["total"] == 3
    neighbors = await get_json(newer, "/ability/hearing-sensitivity/neighbors?edge=required_by")
    assert [neighbor["id"] for neighbor in neighbors["results"]] == ["occupation:43-4051.00"]
    assert (await get_json(newer, "/search?query=tail splicer"))["results"][0]["id"] == "occupation:51-9197.00"
    assert (await get_json(newer, "/disability"))["total"] == 8
