"""A release built from the content and an O*NET import."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from indexer.content.loader import load_content, read_package
from indexer.imports.merge import merge_imports
from indexer.imports.store import Manifest, store_tables
from indexer.onet.archive import open_release
from indexer.onet.layout import attribution
from indexer.onet.merge import KIND, source_row, to_tables
from indexer.onet.reader import read_release
from indexer.release.plan import make_plan
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.synonyms.rules import read_rules
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import CHECKOUT, MAPPINGS, WORLD, index_body, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import httpx
    from opensearchpy import OpenSearch

NEWER = CHECKOUT / "tests" / "data" / "onet" / "db_31_0_csv"


@pytest.fixture(scope="module")
async def newer(
    node_url: str, client: OpenSearch, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[httpx.AsyncClient]:
    """The service for the small world with a newer O*NET release."""
    folder: Path = tmp_path_factory.mktemp("imports")
    with open_release(NEWER) as files:
        release = read_release(files, lambda _: None)
    source = source_row(release, "2026-11-21")
    manifest = Manifest(name="onet", kind=KIND, title="O*NET 31.0", made="2026-11-21", origin="here", source=source)
    store_tables(folder, manifest, to_tables(release))
    vocabulary = read_vocabulary(MAPPINGS)
    content = merge_imports(load_content(WORLD, vocabulary), folder, read_package(WORLD), vocabulary).content
    plan, _ = make_plan(content, vocabulary, index_body(), read_rules(MAPPINGS / "synonyms"))
    publish_release(Releases(client, "akg-newer"), plan, datetime.now(UTC), lambda _: None)
    async with serving(node_url, "akg-newer") as service:
        yield service


async def get_json(service: httpx.AsyncClient, path: str) -> Any:  # noqa: ANN401 - a JSON body
    response = await service.get(path)
    assert response.status_code == 200, response.text
    return orjson.loads(response.content)


async def test_a_record_has_the_official_description_and_attribution(newer: httpx.AsyncClient) -> None:
    record = await get_json(newer, "/occupation/kite-menders")
    assert record["summaries"] == {
        "short": "An occupation in job zone 2 that leans most on near vision, hearing sensitivity and stamina.",
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
