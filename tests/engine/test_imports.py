"""A release built from tables and an import: official words and their sentence beside all that editors gave."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from worlds import CHECKOUT, MAPPINGS, WORLD, index_body, serving

from indexer.imports import Manifest, replace
from indexer.joining import joined
from indexer.onet.files import opened
from indexer.onet.layout import attribution
from indexer.onet.reading import read_release
from indexer.onet.tables import KIND, source_of, to_tables
from indexer.plan import make_plan
from indexer.release import Releases
from indexer.sources import package_of, read
from indexer.synonyms import read_rules
from indexer.vocabulary import read_vocabulary

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
    """The service over the small world with a newer O*NET."""
    folder: Path = tmp_path_factory.mktemp("imports")
    with opened(NEWER) as files:
        release = read_release(files, lambda _: None)
    source = source_of(release, "2026-11-21")
    manifest = Manifest(name="onet", kind=KIND, title="O*NET 31.0", made="2026-11-21", origin="here", source=source)
    replace(folder, manifest, to_tables(release))
    vocabulary = read_vocabulary(MAPPINGS)
    content = joined(read(WORLD, vocabulary), folder, package_of(WORLD), vocabulary).content
    plan, _ = make_plan(content, vocabulary, index_body(), read_rules(MAPPINGS / "synonyms"))
    Releases(client, "akg-newer").build(plan, datetime.now(UTC), lambda _: None)
    async with serving(node_url, "akg-newer") as opened_service:
        yield opened_service


async def got(service: httpx.AsyncClient, path: str) -> Any:  # noqa: ANN401 - a JSON body
    answer = await service.get(path)
    assert answer.status_code == 200, answer.text
    return orjson.loads(answer.content)


async def test_a_record_has_the_official_words_with_their_sentence(newer: httpx.AsyncClient) -> None:
    record = await got(newer, "/occupation/kite-menders")
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


async def test_the_graph_has_the_release_s_occupations_and_the_editors_conditions(newer: httpx.AsyncClient) -> None:
    assert (await newer.get("/occupation/53-3032.00")).status_code == 404
    assert (await got(newer, "/occupation"))["total"] == 3
    asked = await got(newer, "/ability/hearing-sensitivity/neighbors?edge=required_by")
    assert [one["id"] for one in asked["results"]] == ["occupation:43-4051.00"]
    assert (await got(newer, "/search?query=tail splicer"))["results"][0]["id"] == "occupation:51-9197.00"
    assert (await got(newer, "/disability"))["total"] == 8
