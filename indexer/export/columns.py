"""Columns of the files of an export."""

from typing import NamedTuple

from indexer.content.datapackage_schema import SEPARATOR
from indexer.graph.model import ONET_IDS


class Column(NamedTuple):
    """`type` is one of the Table Schema standard."""

    name: str
    type: str
    description: str


SEPARATED = f"several with {SEPARATOR} between them"

IDENTITY = (
    Column("id", "string", "type:key"),
    Column("type", "string", "Type of the entity."),
    Column("slug", "string", "Slug, unique within the type."),
    Column("name", "string", "Name."),
)
ENTITY_FIELDS = (  # of entities.ndjson.gz
    *IDENTITY,
    Column(
        "summaries",
        "object",
        "`short`, one sentence; where available, `plain`, two or three sentences, and `long`, the text of a source.",
    ),
    Column("aliases", "array", "Other names: `text`, `kind` and `sources` of each."),
    Column("attributes", "object", "Facts specific to its type."),
    Column(
        "made_for",
        "array",
        "The only groups that a solution is for, as the editors judge: ids, or the beginnings of codes.",
    ),
    Column("external_ids", "object", "`onet_soc` or `onet_element`."),
    Column("url", "string", "The page that its facts are from, where there is one."),
    Column("sources", "array", "Ids of its sources."),
)
EDGE_FACTS = (  # beside the weight
    Column("via", "string", f"Ids of limitations and functions under which a source lists a solution; {SEPARATED}."),
    Column("editorial_via", "string", f"Those under which only the editors list it; {SEPARATED}."),
    Column("pages", "integer", "Condition pages that list a solution under a limitation or function."),
    Column("importance", "number", "O*NET importance, 1 to 5."),
    Column("level", "number", "O*NET level, 0 to 7."),
    Column("tier", "string", "O*NET tier of a related occupation."),
    Column("rank", "integer", "O*NET rank of a related occupation, 1 is the closest."),
    Column("school_basis", "string", "source or editorial, where a solution is named for school or testing."),
    Column("school_sources", "string", f"Ids of the sources that name it for school or testing; {SEPARATED}."),
    Column("read_at", "string", f"Addresses of the pages that name it; {SEPARATED}."),
    Column("reason", "string", "The reason for the relation."),
    Column("main", "boolean", "Whether this is a main need of the condition, as the editors judge."),
    Column("first_choice", "number", "1 for a first choice of the editors for a need, 0.5 for a second choice."),
)
SOURCES = Column("sources", "string", f"Ids of its sources; {SEPARATED}.")
MADE_FOR = Column("made_for", "string", f"The only groups that a solution is for, as the editors judge; {SEPARATED}.")
ENTITY_COLUMNS = (
    *IDENTITY,
    Column("short", "string", "One sentence."),
    Column("plain", "string", "Two or three more."),
    Column("long", "string", "The text of a source."),
    Column("url", "string", "The page that its facts are from."),
    SOURCES,
    MADE_FOR,
    *(Column(name, "string", "O*NET's code.") for name in ONET_IDS.values()),
)
EDGE_ENDS = (
    Column("from", "string", "Id of the entity that the edge leaves."),
    Column("edge", "string", "Name of the edge, never of an inverse."),
    Column("to", "string", "Id of the entity that it leads to."),
    Column("weight", "number", "How strong it is, above 0 and up to 1."),
    Column("basis", "string", "source, derived, inherited or editorial."),
)
EDGE_COLUMNS = (*EDGE_ENDS, SOURCES, *EDGE_FACTS)
LIST_FACTS = ("via", "editorial_via", "school_sources", "read_at")  # facts with several values
EDGE_FIELDS = (
    *EDGE_ENDS,
    Column("sources", "array", "Ids of its sources."),
    *(
        Column(name, "array" if name in LIST_FACTS else type_name, description)
        for name, type_name, description in EDGE_FACTS
    ),
)
ALIAS_COLUMNS = (
    Column("entity", "string", "Id."),
    Column("text", "string", "The name."),
    Column("kind", "string", "Its kind."),
    SOURCES,
)
SOURCE_COLUMNS = (
    Column("id", "string", "Short id."),
    Column("title", "string", "Name of the list or database."),
    Column("publisher", "string", "Who publishes it."),
    Column("url", "string", "Its address, where known."),
    Column("licence", "string", "Its licence."),
    Column("licence_url", "string", "Where the licence can be read, if one is stated."),
    Column("attribution", "string", "The sentence to show with its facts."),
    Column("retrieved", "date", "Date of the copy, where known."),
    Column("core", "boolean", "Whether every response names it."),
)
REDIRECT_COLUMNS = (Column("old", "string", "The retired id."), Column("new", "string", "The id that replaces it."))
GROUPING_COLUMNS = (
    Column("slug", "string", "Short id."),
    Column("scheme", "string", "The scheme that defines it."),
    Column("name", "string", "Name."),
    Column("aliases", "string", f"Other names; {SEPARATED}."),
    Column("short", "string", "One sentence."),
    SOURCES,
)
MEMBER_COLUMNS = (
    Column("grouping", "string", "Slug of the grouping."),
    Column("entity", "string", "Id of the entity in the grouping."),
    Column("basis", "string", "source or editorial."),
    Column("note", "string", "When it applies, where that is restricted."),
    SOURCES,
)
MAIN_NEED_COLUMNS = (
    Column("disability", "string", "Slug of a condition."),
    Column("need", "string", "Id of a limitation or function that it is best known for."),
    SOURCES,
)
CHOICE_COLUMNS = (
    Column("need", "string", "Id of a condition, limitation or function."),
    Column("solution", "string", "Slug of a solution that a source lists for it, or for what it inherits from."),
    Column("strength", "number", "1 for a first choice, 0.5 for a second choice."),
    SOURCES,
    Column("settings", "string", f"The only settings in which it is one; {SEPARATED}."),
)
BODY_PART_COLUMNS = (
    Column("words", "string", f"Words for a part of the body or an event such as surgery; {SEPARATED}."),
    Column("kind", "string", "part or event."),
    Column("entities", "string", f"Ids of what they usually make hard, most fitting first; {SEPARATED}."),
    Column("basis", "string", "source or editorial."),
    SOURCES,
)
WORDING_COLUMNS = (
    Column("entity", "string", "Id of a condition, limitation, function or solution."),
    Column("words", "string", f"How people describe it without its name; {SEPARATED}."),
    SOURCES,
)
CO_OCCURRENCE_COLUMNS = (
    Column("condition", "string", "Slug of a condition."),
    Column("other", "string", "Slug of another condition that often occurs together with it."),
    Column("source_title", "string", "Title of the publication that states it."),
    Column("source_url", "string", "Its address."),
    Column("as_of", "string", "Date of the publication: an ISO date, month or year, or unknown."),
    Column("read", "string", "Date on which it was read, or unknown."),
)
NEED = Column("need", "string", "Id of a limitation or function.")
BASIS = Column("basis", "string", "source or editorial.")
PAGE = Column("page", "string", "Address of the page that states it; empty if editorial.")
CONCERNS = Column(
    "concerns", "string", f"Ids of conditions, limitations, functions, or beginnings of the ids of jobs; {SEPARATED}."
)
CITATION = (
    Column("source_title", "string", "Title of the page that states it."),
    Column("source_url", "string", "Its address."),
    Column("as_of", "string", "Date printed on the copy that was read: an ISO date, month or year, or unknown."),
    Column("read", "string", "Date on which it was read, or unknown."),
)
NEED_SIDE_COLUMNS = (
    NEED,
    Column("side", "string", "Short name of a side of the need."),
    Column("opposites", "string", f"The sides that exclude it; {SEPARATED}."),
    Column("label", "string", 'Completes "troubled by …".'),
    Column("words", "string", f"What people type for this side; {SEPARATED}."),
    BASIS,
    SOURCES,
)
SOLUTION_SIDE_COLUMNS = (
    Column("solution", "string", "Slug of a solution."),
    NEED,
    Column("serves", "string", f"Sides that it helps with; {SEPARATED}."),
    Column("worsens", "string", f"Sides that it makes worse; {SEPARATED}."),
    BASIS,
    SOURCES,
)
CONDITION_SIDE_COLUMNS = (
    Column("disability", "string", "Slug of a condition."),
    NEED,
    Column("side", "string", "The side that troubles people with it."),
    Column("occurs", "string", "one: only this side. both: its opposite occurs too, this side is more usual."),
    BASIS,
    PAGE,
    SOURCES,
)
EXCLUSION_COLUMNS = (
    Column("solution", "string", "Slug of a solution."),
    CONCERNS,
    Column("effect", "string", "harmful or useless."),
    Column("reason", "string", "Why it must not be suggested."),
    BASIS,
    PAGE,
    SOURCES,
)
CAUTION_COLUMNS = (
    Column("solution", "string", "Slug of a solution; empty: whatever the solution."),
    CONCERNS,
    Column("severity", "string", "must or should."),
    Column("text", "string", "What to do."),
    *CITATION,
)
JOB_RULE_COLUMNS = (
    Column("occupations", "string", f"First figures of O*NET-SOC codes; {SEPARATED}."),
    Column("concerns", "string", f"Ids of conditions, limitations and functions; {SEPARATED}."),
    Column("text", "string", "Which standard may apply, and whom to ask."),
    *CITATION,
)
GUIDE_COLUMNS = (
    Column("id", "string", "Id of the guide."),
    Column("title", "string", "Its title."),
    Column("kind", "string", "process, rights, school, support, pointer or crisis."),
    Column("country", "string", "The country that it speaks of."),
    Column("text", "string", "Three to six sentences."),
    Column("checked", "date", "Date on which its pages were read."),
)
OF_GUIDE = Column("guide", "string", "Id of the guide.")
GUIDE_NAME_COLUMNS = (OF_GUIDE, Column("name", "string", "What people type for it."))
GUIDE_WORDING_COLUMNS = (OF_GUIDE, Column("words", "string", f"How people describe its topic; {SEPARATED}."))
GUIDE_LINK_COLUMNS = (
    OF_GUIDE,
    Column("title", "string", "Title of an official page."),
    Column("publisher", "string", "Who publishes it."),
    Column("url", "string", "Its address."),
)
GUIDE_ENTITY_COLUMNS = (OF_GUIDE, Column("entity", "string", "Id of an entity that it is about."))
FINDING_COLUMNS = (
    Column("entity", "string", "Id of the product or vendor."),
    Column("status", "string", "verified, unverified, unavailable or discontinued."),
    Column("checked", "date", "Date of the request for its page."),
    Column("rule", "string", "The rule that decided."),
    Column("address", "string", "The address of the request."),
    Column("evidence", "string", "The address of the response, after redirects."),
)
