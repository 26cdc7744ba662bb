"""Asks the service every question once before anything is measured, and keeps what it asked the engine for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from api.quality import read_judgments
from speed.questions import MOST, ONE_REQUEST, Question, Sample, evenly, questions
from speed.recording import recording
from speed.services import CHECKOUT, service

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from speed.recording import Call, Recorder

JUDGMENTS = CHECKOUT / "tests" / "search" / "judgments.tsv"
NO_CACHE = {"AKG_ANSWERS_BYTES": "0"}
PARTS = 4  # of a list, from each of which some entities are taken
OK = 200


class QuestionError(Exception):
    """The service does not answer a question that it should."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, how often the engine was asked for it the first time, and what for when it is asked again."""

    question: Question
    first: int
    calls: Sequence[Call]
    size: int


@dataclass(frozen=True, slots=True)
class Asking:
    """The service under the recorder."""

    client: httpx.AsyncClient
    recorder: Recorder

    async def get(self, path: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a query takes
        """An answer, while nothing is kept."""
        answer = await self.client.get(path, params=params)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    async def ask(self, question: Question) -> Asked:
        """Ask twice: what the first answer taught the service may spare requests for the second."""
        self.recorder.take()
        answer = await self._answer(question)
        first = len(self.recorder.take())
        await self._answer(question)
        return Asked(question, first, self.recorder.take(), len(answer.content))

    async def _answer(self, question: Question) -> httpx.Response:
        headers = {**question.headers, "Content-Type": "application/json"}
        answer = await self.client.request(question.method, question.path, content=question.body, headers=headers)
        if answer.status_code != OK:
            raise QuestionError(f"{question.shown}: {answer.status_code} {answer.text[:300]}")
        return answer

    async def sample(self) -> Sample:
        """Entities from all parts of each type's list; of conditions, those with lists of their own."""
        keys: dict[str, list[str]] = {}
        names: list[str] = []
        edges = {}
        for kind in [one["name"] for one in (await self.get("/graph"))["types"] if one["total"]]:
            cards = await self._cards(kind, **({"kind": "main"} if kind == "disability" else {}))
            keys[kind] = [_key(card) for card in cards]
            names += [card["name"] for card in evenly(cards, PARTS)]
            for key in evenly(keys[kind], PARTS):
                told = (await self.get(f"/{kind}/{key}"))["edges"]
                if told:
                    edges[kind, key] = max(told, key=lambda one: int(one["total"]))["name"]
        narrower = await self._cards("disability", kind="narrower")
        return Sample(keys, [_key(card) for card in narrower], names, edges)

    async def _cards(self, type_name: str, /, **narrowed: str) -> list[dict[str, Any]]:
        total = (await self.get(f"/{type_name}", limit=1, **narrowed))["total"]
        starts = dict.fromkeys(total * part // PARTS for part in range(PARTS))
        pages = [await self.get(f"/{type_name}", limit=MOST // PARTS, offset=start, **narrowed) for start in starts]
        return list({card["id"]: card for page in pages for card in page["results"]}.values())


def _key(card: dict[str, Any]) -> str:
    key: str = card["url"].rpartition("/")[2]
    return key


async def prepare(
    engine_url: str, alias: str, routes: Sequence[str], advance: Callable[[], None]
) -> Mapping[str, Sequence[Asked]]:
    """The questions of these routes with what the engine is asked for each."""
    async with recording(engine_url) as recorder:
        with service(recorder.address, alias, NO_CACHE) as running:
            address = f"http://127.0.0.1:{running.port}"
            async with httpx.AsyncClient(base_url=address, timeout=30) as client:
                asking = Asking(client, recorder)
                wanted = questions(await asking.sample(), read_judgments(JUDGMENTS))
                found = {}
                for route in routes:
                    asked = [await asking.ask(question) for question in wanted[route]]
                    found[route] = fitting(route, asked)
                    advance()
                return found


def fitting(route: str, asked: Sequence[Asked]) -> list[Asked]:
    """Those that are of the route's kind, as many as are needed."""
    one = ONE_REQUEST.get(route)
    return evenly([each for each in asked if one is None or (each.first == 1) is one], MOST)
