"""What a job alone leads to: common needs that make what it demands hard, and what helps first with each."""

from collections.abc import Mapping
from math import log1p
from typing import NamedTuple

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph.catalogue import Catalogue
from api.graph.listings import Need
from schema.edge_documents import edge_page_id

MAX_ABILITIES = 15  # the most demanding of a job
MAX_NEEDS = 6


class JobNeed(NamedTuple):
    """A limitation that makes a job hard, and the ability of the job that it limits most."""

    id: str
    ability: str


async def read_job_needs(
    engine: SearchEngine, catalogue: Catalogue, demands: Mapping[str, float], release: Release
) -> list[JobNeed]:
    """Return the limitations that are common and limit what a job demands most.

    `demands` has how strongly the job depends on each ability, from 0 to 1, by id.
    """
    abilities = sorted(demands, key=lambda ability: (-demands[ability], ability))[:MAX_ABILITIES]
    if not abilities:  # O*NET has not rated every occupation
        return []
    pages, _ = await engine.fetch([edge_page_id(ability, "limited_by", 0) for ability in abilities], release)
    limitations = dict.fromkeys(edge["target"] for page in pages if page for edge in page["edges"])
    needs = await catalogue.needs(limitations, release)
    return choose_needs(needs, {ability: demands[ability] for ability in abilities})


def choose_needs(needs: Mapping[str, Need], demands: Mapping[str, float]) -> list[JobNeed]:
    """Return common needs with the greatest impact on a job: one for each ability, none similar to one before."""

    def strongest(need: Need) -> tuple[float, str]:
        return max((demands[key] * strength, key) for key, (strength, _) in need.limits.items() if key in demands)

    impacts = {id_: strongest(need) for id_, need in needs.items() if need.rates}
    # What many conditions bring concerns more people: a driver with low vision is more likely than a blind one.
    order = sorted(impacts, key=lambda id_: (-impacts[id_][0] * log1p(needs[id_].conditions), id_))
    chosen: dict[str, JobNeed] = {}
    similar: set[str] = set()
    for id_ in order:
        ability = impacts[id_][1]
        if len(chosen) < MAX_NEEDS and ability not in chosen and id_ not in similar:
            chosen[ability] = JobNeed(id_, needs[id_].limits[ability][1])
            similar |= {other.id for other in needs[id_].similar}
    return list(chosen.values())
