"""The table by which hits are ranked: what is found, its points, and a query for which it decides."""

from typing import NamedTuple


class Weight(NamedTuple):
    """A row of the table: what is found, its points, and a query for which it decides."""

    name: str
    points: float
    meaning: str
    example: str


# The best match of a hit counts. No addition lifts a hit above one that has a whole name.
MATCHES = (
    Weight("pinned", 15000, "The operator pinned it to the query.", "no query of the shipped `mappings/pins.tsv`"),
    Weight("id", 14500, "The query is an id or a code.", "G35: Multiple Sclerosis before headset G35"),
    Weight("name", 14000, "The query is the name.", "asthma: Asthma before Respiratory Impairments"),
    Weight("alias", 13500, "The query is an alias.", "adhd: Attention Deficit/Hyperactivity Disorder"),
    Weight("product_name", 13500, "The query is the name of a mainstream product.", "alarm clock: the solution first"),
    Weight("title", 13250, "The query is a title that people report for the job.", "doctor: Dermatologists"),
    Weight(
        "broader",
        13000,
        "A narrower condition has the query as its name or alias.",
        "optic neuritis: Low Vision is the second hit",
    ),
    Weight("name_form", 12500, "The query is the name except for plural endings.", "reacher: Reachers"),
    Weight("alias_form", 12000, "The query is an alias except for plural endings.", "blackout: Seizure Activity"),
    Weight("broader_form", 11700, "The same, except for plural endings.", "panic attacks: Anxiety Disorder"),
    Weight("keyword_name", 9000, "All keywords of the query are a name.", "someone with asthma: Asthma"),
    Weight(
        "phrase",
        6500,
        "A name contains the query, of two words or more, as a phrase.",
        "braille display: Computer Braille Display",
    ),
    Weight(
        "scoped",
        6000,
        "It has the type that the query asks for, and it or a neighbor has the rest in a name.",
        "vendors of hearing loops",
    ),
    Weight("all_words", 5500, "One name contains all keywords.", "keyboards: Alternative Keyboards"),
    Weight("synonym", 5000, "By a synonym rule, the query is a name.", "afraid of heights: Phobias"),
    Weight(
        "thing",
        4000,
        'Its name has the words before "for", and it is usual for a need behind "for".',
        "mouse for shaky hands",
    ),
    Weight("mention", 3000, "A part of the query is a name of it.", "epilepsy and driving: Epilepsy"),
    Weight(
        "keywords",
        2900,
        "The query has the content words of an alias, in any order.",
        "brain fog after covid: Long COVID",
    ),
    Weight(
        "side", 2850, "It serves a side of a need that the query names, or is that need.", "office is too hot: Fans"
    ),
    Weight(
        "related",
        2800,
        "Its names and those of its needs have all keywords together.",
        "pumping breaks: Lactation Space",
    ),
    Weight("words_by_rule", 2700, "By rules, a name contains all keywords.", "hoh phone: Telephone Amplification"),
    Weight("body_part", 2650, "The query names a body part, event or sign that can bring it.", "broken ankle: Walking"),
    Weight(
        "rule_mention",
        2600,
        "By a rule, at least half of the query is a name of it.",
        "stutters when nervous: Anxiety Disorder",
    ),
    Weight(
        "other_kind",
        2600,
        "A thing or job with all keywords where a need is meant, or a need where a thing is.",
        "can't lift heavy boxes: Proper Lifting Techniques behind Lifting",
    ),
    Weight(
        "demoted",
        2400,
        "All keywords are in a name of a narrower condition or of a mainstream product.",
        "epilepsy: Absence Epilepsy behind Epilepsy",
    ),
    Weight(
        "first_choice",
        2300,
        "Editors put it first for a need or condition that has most keywords.",
        "dyslexia: Text Readers",
    ),
    Weight("need", 2000, "It is usual for a need that has most keywords.", "shaky hands: One-Handed Keyboards"),
    Weight(
        "common_word", 1450, "An abbreviation of it is a common word, not in capitals.", "bed: Bed Shaker Alarms first"
    ),
    Weight(
        "words_apart",
        1500,
        "All keywords are in its names, but not in one of them.",
        "freezes during exams: Test Anxiety",
    ),
    Weight(
        "part_of_need",
        900,
        "It is usual, or a first choice, for a need with at most half of the keywords.",
        "light when phone rings",
    ),
    Weight(
        "part_of_name",
        900,
        "Its name is a part of a longer name that the query mentions.",
        "standing desk office: Standing",
    ),
    Weight("other_job", 900, "Another job has the title and comes first.", "driver with a bad foot"),
    Weight("rule_part", 900, "By a rule, less than half of the query is a name of it.", "speech in noisy rooms"),
    Weight("description", 800, "The description has three of four keywords.", "tells the time by touch: Timepieces"),
    Weight("most_words", 500, "The names have two of three keywords.", "staff member smells bad: Body Odor"),
    Weight("prefix", 200, "Words of the names begin with those of the query.", "parkin: Parkinson's Disease"),
    Weight("most_related", 300, "Its names and those of its needs have three of four keywords.", "big button phone"),
    Weight(
        "wording",
        200,
        "Times BM25 (3.5 to 20): texts of content share words with the query.",
        "son bolts out of the classroom",
    ),
    Weight("elsewhere", 60, "It is only for school, and the query names a job.", "welder who is color blind"),
    Weight("not_meant", 50, "The query has words of its name and does not mean it.", "not deaf but hard of hearing"),
)
ADDED = (
    Weight(
        "word",
        300,
        "For each keyword in the name that matched, up to six; see below. Not for whole names.",
        "mouse for shaky hands",
    ),
    Weight("prior", 232, "Of the entity, see below.", "noise: Noise"),
    Weight(
        "whole_rest", 200, "Beside a type word, the rest of the query is a name of it.", "be my eyes app: Be My Eyes"
    ),
    Weight(
        "sentence", 120, "A condition, limitation or function, if the query is a sentence.", "needs the toilet a lot"
    ),
    Weight("inability", 80, "The same, if the query says what somebody cannot do.", "cannot stand for a long time"),
    Weight("type_word", 60, "Beside a type word, its display name has that word.", "software for note taking"),
    Weight(
        "no_thing",
        -150,
        'Beside a word for things ("device"), it is a service or strategy.',
        "devices for blind people: no animal",
    ),
    Weight(
        "order",
        -60,
        "Times its place, from 0, in the row of the body part, event or sign.",
        "broken ankle: Walking before Standing",
    ),
    Weight(
        "as_typed",
        30,
        "A keyword is in the name that matched just as it was typed.",
        "devices for blind people: not blinds",
    ),
    Weight("put_first", 100, "It is also a first choice, beside a better match.", "devices for blind people"),
    Weight("in_name", 48, "The name that matched is the display name, not an alias.", "anxiety: Apps for Anxiety"),
    Weight(
        "coverage",
        40,
        "Times the share of the words of the name that matched, stop words too, that the query has.",
        "keyboard trays",
    ),
    Weight("fit", 20, "At most: BM25, and the prior again, as OpenSearch adds them to order equal features.", "lamp"),
)
POINTS = {weight.name: weight.points for weight in (*MATCHES, *ADDED)}
WHOLE_NAMES = frozenset(
    ("id", "name", "alias", "product_name", "title", "broader", "name_form", "alias_form", "broader_form", "synonym")
)
BY_NAME = WHOLE_NAMES | {"keyword_name", "mention"}  # "see far away" has only words of a name
# The query, or a part of it, is a name.
NAMED = BY_NAME | {"rule_mention", "keywords", "body_part", "side"}
STRONG = frozenset(
    ("pinned", *WHOLE_NAMES, "keyword_name", "phrase", "scoped", "all_words")
)  # the query needs no correction
BY_RULE = frozenset(("synonym", "words_by_rule", "rule_mention", "rule_part"))
MAX_WORDS = 6
