"""Profile the service without HTTP: searches, recommendations and connections, each by module.

    python -m bench.service_profile --engine http://127.0.0.1:9200

Searches are 2,000 distinct names, aliases and judged queries. Each kind runs twice: once for wall time, processor time,
requests and what OpenSearch took, once with cProfile, which slows calls of Python down, for the share of each module.
"""

import argparse
import asyncio
import cProfile
import pstats
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import orjson
from rich.console import Console

from akg.evaluation import metrics, search_eval
from api.engine.search_engine import SearchEngine
from api.graph.connections import ConnectionsRequest
from api.graph.query_bodies import list_body
from api.models.recommend import RecommendRequest
from api.recommend.seeds import RecommendQuery
from api.search.query import ParsedQuery, SearchRequest
from api.service import GraphService
from api.settings import Settings
from bench.figures import percentile
from schema.english_words import english_words
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import CHECKOUT, MAPPINGS

SEARCHES, OTHERS, SEED, SHOWN = 2000, 200, 7, 20
out = Console(highlight=False, soft_wrap=True)
Run = Callable[[], Awaitable[object]]


class MeasuredEngine(SearchEngine):
    """Counts the requests of searches, the bytes of their bodies, and the milliseconds that they took."""

    requests = took = 0
    waited = 0.0

    def __init__(self, *options: Any) -> None:  # noqa: ANN401 - those of SearchEngine
        super().__init__(*options)
        self.sizes: list[int] = []

    async def _search(self, index: str, body: Any, params: Any) -> Any:  # noqa: ANN401 - JSON
        start = time.perf_counter()
        response = await super()._search(index, body, params)
        self._add([body], [response], start)
        return response

    async def _msearch(self, release: Any, bodies: Any, params: Any) -> Any:  # noqa: ANN401 - JSON
        start = time.perf_counter()
        responses = await super()._msearch(release, bodies, params)
        self._add(bodies, responses, start)
        return responses

    def _add(self, bodies: Sequence[Any], responses: Sequence[Mapping[str, Any]], start: float) -> None:
        self.waited += (time.perf_counter() - start) * 1e3
        self.requests += 1
        self.took += sum(response["took"] for response in responses)
        self.sizes.append(sum(len(orjson.dumps(body)) for body in bodies))


async def profile(kind: str, engine: MeasuredEngine, runs: Sequence[Run]) -> None:
    """Print the times of these runs, and the modules that take most of the processor time."""
    for run in runs[: len(runs) // 10]:
        await run()
    engine.requests, engine.took, engine.waited = 0, 0, 0.0
    first_bodies, wall = [], []
    processor = time.process_time()
    for run in runs:
        engine.sizes.clear()
        start = time.perf_counter()
        await run()
        wall.append((time.perf_counter() - start) * 1e3)
        first_bodies += engine.sizes[:1]
    processor = (time.process_time() - processor) * 1e3
    count = len(runs)
    out.print(f"{kind}: p50 {percentile(wall, 0.5):.1f} ms, p95 {percentile(wall, 0.95):.1f}; ", end="")
    out.print(f"processor {processor / count:.1f} ms, waiting {engine.waited / count:.1f} in ", end="")
    out.print(f"{engine.requests / count:.2f} requests, took {engine.took / count:.1f}")
    out.print(f"  first body: mean {sum(first_bodies) / count:,.0f} bytes, p95 {percentile(first_bodies, 0.95):,.0f}")
    profiler = cProfile.Profile(time.process_time)
    profiler.enable()
    for run in runs:
        await run()
    profiler.disable()
    shares = _shares(pstats.Stats(profiler))
    for module, share in shares.most_common(SHOWN):
        out.print(f"  {share:6.1%} {module}")


def _shares(stats: pstats.Stats) -> Counter[str]:
    times: Counter[str] = Counter()
    rows: Mapping[tuple[str, int, str], tuple[Any, ...]] = stats.stats  # type: ignore[attr-defined]  # not in typeshed
    for (file, _, name), (_, _, seconds, *_) in rows.items():
        _, is_installed, package = file.partition("site-packages/")
        if is_installed:
            times[package.partition("/")[0]] += seconds
        else:
            inside = file.removeprefix(f"{CHECKOUT}/")
            times[inside if inside != file else f"Python: {name if file == '~' else file.rpartition('/')[2]}"] += (
                seconds
            )
    return Counter({module: seconds / times.total() for module, seconds in times.items()})


async def main(engine_url: str) -> None:
    engine = MeasuredEngine(Settings(deadline_seconds=30), [engine_url])
    service = GraphService(engine, read_vocabulary(MAPPINGS), english_words())
    release = await engine.refresh_live_release()
    rng = random.Random(SEED)  # noqa: S311 - a sample, not a secret
    judged = [judgment.query for judgment in metrics.read_judgments(MAPPINGS / "relevance" / "judgments.tsv")]
    names = [name.text async for name in search_eval.entity_names(engine) if name.kind in ("name", "alias")]
    queries = list(dict.fromkeys([*judged, *rng.sample(names, SEARCHES)]))[:SEARCHES]
    rng.shuffle(queries)
    ids = {
        kind: [card["id"] for card in (await engine.search_index(list_body(kind, OTHERS, 0), release)).cards]
        for kind in ("disability", "limitation", "solution", "occupation")
    }

    def search(text: str) -> Run:
        return lambda: service.search(SearchRequest(ParsedQuery.parse(text)), [])

    def recommend() -> Run:
        seeds = {"disability": rng.sample(ids["disability"], 1), "limitation": rng.sample(ids["limitation"], 2)}
        request = RecommendRequest(**seeds, occupation=rng.sample(ids["occupation"], 1), setting="work")
        return lambda: service.recommend(RecommendQuery.parse(request))

    def connect() -> Run:
        ends = rng.choice(ids["disability"]), rng.choice(ids[rng.choice(("solution", "occupation"))])
        return lambda: service.connections(ConnectionsRequest.parse(*ends, 5))

    await profile("search", engine, list(map(search, queries)))
    await profile("recommend, three seeds, job and setting", engine, [recommend() for _ in range(OTHERS)])
    await profile("connections", engine, [connect() for _ in range(OTHERS)])
    await engine.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="http://127.0.0.1:9200")
    asyncio.run(main(parser.parse_args().engine))
