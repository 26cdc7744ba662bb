"""Requests that run all the time, with the expected response of each release.

Only questions whose answer is the same whenever the same tables and rules are live.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.faults.response_check import OK, REFUSALS, parse_body

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import httpx

    from bench.faults.response_check import Versions

PATIENT = 10  # attempts per request until it succeeds: a machine that has just started is slow
RULE = "zork => zork, flexible schedule\n"  # the only rule that tells the two sets of rules apart


@dataclass(frozen=True, slots=True)
class Question:
    """One request."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.method} {self.path} {dict(self.body)}" if self.body else f"{self.method} {self.path}"


def _get(*paths: str) -> tuple[Question, ...]:
    return tuple(Question("GET", path) for path in paths)


# Every entity that is named here is in the shipped tables and in the small world of the tests.
QUESTIONS: tuple[Question, ...] = (
    *_get(
        "/search?query=flexible%20schedule",  # its summary tells the tables apart
        "/search?query=zork&spelling=off",  # empty but for the rule
        "/search?query=zork",
        "/search?query=low%20visoin",  # several requests to the engine in one answer
        "/search?query=qqzzqq",  # none of the hits says which release it was
        "/search?query=crohns%20disease&limit=50",
        "/search?query=screen%20magnification&scope=solution",
        "/suggest?query=flex",
        "/solution?limit=100",
        "/disability?limit=5&offset=2",
        "/occupation?ids=15-1252.00,43-4051.00",
        "/disability/low-vision",
        "/solution/flexible-schedule",
        "/occupation/15-1252.00",
        "/limitation/low-vision/neighbors?edge=recommends&limit=50",
        "/limitation/low-vision/neighbors?edge=limitation_of",
        "/occupation/15-1252.00/neighbors?edge=requires&offset=1",
        "/related_conditions/low-vision",
        "/connections?from=disability:low-vision&to=solution:flexible-schedule",
        "/graph",
    ),
    Question("POST", "/recommend", {"disability": "low-vision"}),
    Question("POST", "/recommend", {"disability": "low-vision", "occupation": "15-1252.00", "limit": 50}),
    Question("POST", "/recommend", {"limitation": "low-vision"}),
)
BY_NAME = {question.name: question for question in QUESTIONS}


class UntrueError(Exception):
    """Already without any fault the service does not answer as it must."""


def take_truth(service: httpx.Client, questions: Sequence[Question] = QUESTIONS) -> tuple[Versions, dict[str, str]]:
    """Send every request twice; return the versions that answered and the digest of each answer. Retry rejections."""
    versions: set[Versions] = set()
    found: dict[str, str] = {}
    for question in (*questions, *questions):
        for _ in range(PATIENT):
            answer = service.request(question.method, question.path, json=question.body)
            if answer.status_code not in REFUSALS:
                break
            time.sleep(1)
        if answer.status_code != OK:
            raise UntrueError(f"{question.name}: {answer.status_code} {answer.text[:300]}")
        parsed = parse_body(answer.content)
        versions.add(parsed.versions)
        if found.setdefault(question.name, parsed.content) != parsed.content:
            raise UntrueError(f"{question.name} has two answers")
    if len(versions) != 1:
        raise UntrueError(f"{len(versions)} releases answer at once: {sorted(versions)}")
    return versions.pop(), found
