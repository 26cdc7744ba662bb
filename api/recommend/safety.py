"""Keeps recommendations safe: leaves out what is wrong for a seed, and adds the cautions that concern the seeds."""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from api.engine.release import Release
from api.graph.catalogue import Catalogue
from api.graph.guidance import SHOULD, Guidance, Subject, acute_caution, caution, entity_ids, left_out
from api.graph.listings import Solution
from api.recommend.ranking import SeedData
from api.recommend.seed_needs import SeedNeeds
from api.recommend.seeds import ResolvedSeed
from schema.entity_kinds import JOBS
from schema.json_types import JsonObject

EXCLUDED = "The request excludes it."


@dataclass(frozen=True, slots=True)
class SafeData:
    """The data of the seeds without wrong solutions, these with their reasons, and the guidance of the answer.

    `other_side` has a caution for each solution that serves the less usual side of a need.
    """

    data: Sequence[SeedData]
    left_out: Sequence[JsonObject]
    other_side: Mapping[str, str]
    guidance: Guidance
    seeds: Sequence[ResolvedSeed]
    solutions: Mapping[str, Solution]
    sources: list[str]  # of the entities that the answer names besides the results

    @staticmethod
    async def of(
        catalogue: Catalogue,
        seeds: Sequence[ResolvedSeed],
        data: Sequence[SeedData],
        release: Release,
        excluded: Mapping[str, JsonObject],
    ) -> "SafeData":
        """Read the solutions of the seeds; leave out those that are wrong for one of them or excluded (by id)."""
        subjects = [_subject(seed, of_seed) for seed, of_seed in zip(seeds, data, strict=True)]
        guidance = Guidance(subjects, release.sides)
        listed_for: defaultdict[str, list[Subject]] = defaultdict(list)
        for subject, seed in zip(subjects, data, strict=True):
            for row in seed.needs["solutions"]:
                listed_for[row["id"]].append(subject)
        solutions = await catalogue.solutions(listed_for, release)
        reasons = guidance.reasons_against(solutions, listed_for)
        filtered = _without(data, {*reasons, *excluded})
        wrong = {id_: reason for id_, reason in reasons.items() if id_ not in excluded}
        of_request = [{"entity": card, "reason": EXCLUDED} for id_, card in excluded.items() if id_ in solutions]
        absent = [*left_out(solutions, wrong), *of_request]
        absent.sort(key=lambda one: str(one["entity"]["name"]).casefold())
        sources = [source for id_ in reasons for source in solutions[id_].sources]
        other_side = {
            id_: text for id_, one in solutions.items() if id_ not in reasons and (text := guidance.other_side(one))
        }
        return SafeData(filtered, absent, other_side, guidance, seeds, solutions, sources)

    async def add_cautions(self, catalogue: Catalogue, results: Sequence[JsonObject], release: Release) -> None:
        """Add to each result the cautions that concern it and a seed."""
        rows = {result["id"]: self.guidance.cautions_of(self.solutions[result["id"]]) for result in results}
        cards = await self._cards(catalogue, [row for of_result in rows.values() for row in of_result], release)
        for result in results:
            result["cautions"] = [caution(row, cards) for row in rows[result["id"]]]
            if text := self.other_side.get(result["id"]):
                result["cautions"].append({"text": text, "severity": SHOULD, "about": [], "source": None})

    async def cautions(self, catalogue: Catalogue, release: Release) -> list[JsonObject]:
        """Return the cautions that concern the seeds, whatever the solution, without repetition."""
        rows = {
            row["text"]: row
            for seed in self.seeds
            for row in seed.hit.document.get("cautions", ())
            if not seed.card["id"].startswith(JOBS) or self._is_about_job(row)
        }
        cards = await self._cards(catalogue, list(rows.values()), release)
        return [
            *(acute_caution(seed.card) for seed in self.seeds if seed.is_acute),
            *(caution(row, cards) for row in rows.values()),
        ]

    def _is_about_job(self, row: JsonObject) -> bool:
        """Return whether a row of a job concerns it alone, or another seed too."""
        others = [one for one in row["concerns"] if not one.startswith(JOBS)]
        return not others or self.guidance.is_named(others)

    async def _cards(
        self, catalogue: Catalogue, rows: Sequence[JsonObject], release: Release
    ) -> Mapping[str, JsonObject]:
        """Return the cards of what rows concern; a job stands for the beginnings of its code."""
        found = await catalogue.cards(entity_ids(rows), release)
        cards = {id_: one.card for id_, one in found.items()}
        self.sources.extend(source for one in found.values() for source in one.sources)
        jobs = [seed.card for seed in self.seeds if seed.card["type"] == "occupation"]
        groups = {one for row in rows for one in row["concerns"] if one.startswith(JOBS)}
        cards |= {group: job for group in groups for job in jobs if job["id"].startswith(group)}
        return cards


def _without(data: Sequence[SeedData], excluded: Container[str]) -> list[SeedData]:
    """Return the data of the seeds without some solutions, by id."""

    def keep(needs: SeedNeeds) -> SeedNeeds:
        return {**needs, "solutions": [row for row in needs["solutions"] if row["id"] not in excluded]}

    return [
        replace(seed, needs=keep(seed.needs), parent_needs=[keep(needs) for needs in seed.parent_needs])
        for seed in data
    ]


def _subject(seed: ResolvedSeed, data: SeedData) -> Subject:
    needs = [need["entity"]["id"] for need in data.needs["needs"]]
    return Subject.parse(seed.card, seed.hit.document, needs, seed.side)
