"""Every query body of the service, each with all of its options."""

from typing import Any

from api.graph import catalogue, edge_filters, edges, linked_lists, query_bodies
from api.graph.listings import SimilarLimitation
from api.graph.resolve import EntityReference, ResolvedEntity
from api.recommend import related, seeds
from api.search import query_builder, suggest
from api.search.fallback import spelling, wording
from api.search.guides import index as guide_index
from api.search.query import ParsedQuery, SearchRequest
from api.search.results import select
from schema.vocabulary import read_vocabulary
from tests.support.listings import need
from tests.support.project import MAPPINGS
from tests.support.search_responses import RELEASE, found

parse = ParsedQuery.parse

Body = dict[str, Any]

SEARCHES = [
    SearchRequest(parse("low vision")),
    SearchRequest(parse("vendors of mobility aids")),
    SearchRequest(parse("conditions that cause fatigue")),
    SearchRequest(parse("low vision"), ("disability",), 1, 1, synonyms=False, spelling=False, facets=False),
    SearchRequest(parse("low vision"), setting="school"),
    SearchRequest(parse("shaky hands wfh at work").with_rules(RELEASE.synonyms)),
]
NOTHING_FOUND = select(SEARCHES[4], found())
ENDS = ("vendor:c", "vendor:d")
LIMITATION = need(
    "limitation:l", similar_limitations=[SimilarLimitation("limitation:m", 0.9, "limitation:n")._asdict()]
)
CONDITION = related.ConditionLimitations("disability:a", ["limitation:l"], ["limitation:l"], ["disability:b"])
FILTERS = edge_filters.EdgeFilters("disability", 0.5, "source", "atlas", "low vision")
FIELDS_READ = (catalogue.CONDITION_FIELDS, catalogue.NEED_FIELDS, catalogue.SOLUTION_FIELDS, ())


def linked_list(type_name: str, edge: str, linked: str) -> Body:
    """Return the query for entities of a type with an edge to one that has few inverse edges."""
    inverses = read_vocabulary(MAPPINGS).inverses
    entity = ResolvedEntity(linked, {"id": linked}, "id", {inverses[edge]: [f"{type_name}:a"]}, (), ())
    link = linked_lists.Link("linked_to.0", entity, [edge], inverses)
    page = linked_lists.ListPage(inherited=False, limit=20, offset=0, filters={"settings": "work"}, params=())
    request = linked_lists.LinkedListRequest(type_name, [(EntityReference.parse(linked), edge)], page)
    return linked_lists.linked_list_body(request, [link])


QUERIES: dict[str, list[Body]] = {
    "search_body": [
        query_builder.search_body(request, first=first, good_only=bool(first))
        for request in SEARCHES
        for first in (0, query_builder.RANKED)
    ],
    "reading_body": [query_builder.reading_body(parse("nurse, low vision and can't sit"))],
    "guides_body": [guide_index.guides_body()],
    "prefix_body": [query_builder.prefix_body(SearchRequest(parse("low vis"))) or {}],
    "wording_body": [wording.wording_body(SEARCHES[4], NOTHING_FOUND) or {}],
    "suggest_body": [suggest.suggest_body(parse("low vis"), ("disability",))],
    "near_names_body": [spelling.near_names_body(parse("wheelchar")) or {}],
    "far_names_body": [spelling.far_names_body(parse("asma")) or {}],
    "word_count_body": [spelling.word_count_body("lpw")],
    "spelling_body": [spelling.spelling_body(parse("wheelchar"))],
    "list_body": [query_bodies.list_body("ability", 20, 0)],
    "filtered_list_body": [
        query_bodies.filtered_list_body("solution", 20, 0, {"settings": "school", "groupings": "a"})
    ],
    "batch_body": [query_bodies.batch_body(["ability:sight", "ability:touch"])],
    "named_body": [
        query_bodies.named_body(parse("low vision")),
        query_bodies.named_body(parse("low vision"), "disability"),
        EntityReference.parse("disability:low vision").named_body(),
    ],
    "shared_neighbors_body": [query_bodies.shared_neighbors_body(["ability:a"], ["solution:b"], ENDS, 10)],
    "bridging_entities_body": [query_bodies.bridging_entities_body(["ability:a"], ["solution:b"], ENDS, 10)],
    "moved_body": [query_bodies.moved_body("ability:sight")],
    "entity_body": [query_bodies.entity_body("ability", "vision")],
    "readings_body": [query_bodies.readings_body(parse("truck driver"), "occupation")],
    "nearest_body": [query_bodies.nearest_body(parse("vison")), query_bodies.nearest_body(parse("vison"), "ability")],
    "first_pages_body": [query_bodies.first_pages_body("solution:a")],
    "owner_pages_body": [query_bodies.owner_pages_body("solution:a", "recommended_for", 0, 1)],
    "end_pages_body": [query_bodies.end_pages_body(["solution:a", "vendor:b"])],
    "intermediate_pages_body": [query_bodies.intermediate_pages_body()],
    "inner_edges_body": [query_bodies.inner_edges_body([("solution:a", "vendor:b")])],
    "pages_body": [edges.pages_body(["solution:a"], ["recommended_for"], catalogue.NEED_MEMBERS)],
    "entities_body": [catalogue.entities_body(["solution:a"], fields) for fields in FIELDS_READ],
    "EdgeFilters.body": [
        filters.body("limitation:a", "recommended_for", 20, 0)
        for filters in (FILTERS, edge_filters.EdgeFilters(sort="name"))
    ],
    "words_body": [edge_filters.words_body(["disability:a"], "recommended_for", "low vision")],
    "linked_list_body": [
        linked_list(type_name, edge.name, f"{target}:x")
        for edge in read_vocabulary(MAPPINGS).edges.values()
        for type_name, target in edge.pairs
    ],
    "candidates_body": [related.candidates_body(CONDITION, {"limitation:l": LIMITATION})],
    "seed_body": [seeds.seed_body("disability", parse("adhd"))],
}
