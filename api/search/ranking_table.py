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
    Weight("broader", 13000, "A narrower condition has the name.", "optic neuritis: Low Vision is the second hit"),
    Weight("name_form", 12500, "The query is the name but for plural endings.", "reacher: Reachers"),
    Weight("alias_form", 12000, "The query is an alias but for plural endings.", "blackout: Seizure Activity"),
    Weight("broader_form", 11700, "A narrower condition has the name but for endings.", "panic attacks: Anxiety"),
    Weight("keyword_name", 9000, "All keywords of the query are a name.", "someone with asthma: Asthma"),
    Weight("phrase", 6500, "A name contains the query as a phrase.", "braille display: Computer Braille Display"),
    Weight("scoped", 6000, "It is of the type that the query asks for and has the rest.", "vendors of hearing loops"),
    Weight("all_words", 5500, "One name contains all keywords.", "keyboards: Alternative Keyboards"),
    Weight("synonym", 5000, "By a synonym rule, the query is a name.", "afraid of heights: Phobias"),
    Weight("thing", 4000, 'It is named before "for", and usual for a need behind it.', "mouse for shaky hands"),
    Weight("mention", 3000, "The query contains a name of it.", "epilepsy and driving: Epilepsy"),
    Weight("keywords", 2900, "The query has the content words of an alias.", "brain fog after covid: Long COVID"),
    Weight("side", 2850, "It serves a side of a need that the query names, or is the need.", "office is too hot: Fans"),
    Weight("related", 2800, "Its names and its needs' contain all keywords.", "pumping breaks: Lactation Space"),
    Weight("words_by_rule", 2700, "By rules, a name contains all keywords.", "hoh phone: Telephone Amplification"),
    Weight("body_part", 2650, "The query names a body part, event or sign that can bring it.", "broken ankle: Walking"),
    Weight("rule_mention", 2600, "By a rule, the query has a name of it.", "stutters when nervous: Anxiety Disorder"),
    Weight("other_kind", 2600, "All keywords, but another kind is meant.", "can't lift heavy boxes: Lifting first"),
    Weight("demoted", 2400, "A narrower condition's or mainstream product's name has all keywords.", "epilepsy"),
    Weight("first_choice", 2300, "Editors put it first for what the query names.", "dyslexia: Text Readers"),
    Weight("need", 2000, "It is usual for a need that the query names.", "shaky hands: One-Handed Keyboards"),
    Weight(
        "common_word", 1450, "An abbreviation of it is a common word, not in capitals.", "bed: Bed Shaker Alarms first"
    ),
    Weight("words_apart", 1500, "All keywords, but in several names.", "freezes during exams: Test Anxiety"),
    Weight("part_of_need", 900, "It is usual for a need that a part of the query names.", "light when phone rings"),
    Weight("part_of_name", 900, "Its name is only a part of another in the query.", "standing desk office: Standing"),
    Weight("other_job", 900, "Another job with the name for a job in the query.", "driver with a bad foot"),
    Weight("rule_part", 900, "By a synonym rule, a small part of the query is a name of it.", "speech in noisy rooms"),
    Weight("description", 800, "The description contains most keywords.", "tells the time by touch: Timepieces"),
    Weight("most_words", 500, "The names contain most keywords.", "staff member smells bad: Body Odor"),
    Weight("prefix", 200, "Words of the names begin with those of the query.", "parkin: Parkinson's Disease"),
    Weight("most_related", 300, "Its names and its needs' contain most keywords.", "big button phone"),
    Weight("wording", 200, "Times BM25: content says it in words of the query.", "son bolts out of the classroom"),
    Weight("elsewhere", 60, "It is only for school, and the query names a job.", "welder who is color blind"),
    Weight("not_meant", 50, "The query has words of its name and does not mean it.", "not deaf but hard of hearing"),
)  # fmt: skip
ADDED = (
    Weight(
        "word", 300, "For each keyword that the match has, up to six; not for whole names.", "mouse for shaky hands"
    ),
    Weight("prior", 232, "At most: needs 96, solutions 64, not a mainstream product 128, edges 8.", "noise: Noise"),
    Weight("whole_rest", 200, "Beside a type, the rest is a name of it.", "be my eyes app: Be My Eyes"),
    Weight(
        "sentence", 120, "A condition, limitation or function, if the query is a sentence.", "needs the toilet a lot"
    ),
    Weight("inability", 80, "The same, if the query says what somebody cannot do.", "cannot stand for a long time"),
    Weight("type_word", 60, "Beside a type, its name has the word for it.", "software for note taking"),
    Weight(
        "no_thing", -150, "Beside a word for things, a service or a strategy.", "devices for blind people: no animal"
    ),
    Weight("order", -60, "Times its place among what a body part can bring.", "broken ankle: Walking before Standing"),
    Weight("as_typed", 30, "A keyword is in the name just as it was typed.", "devices for blind people: not blinds"),
    Weight(
        "put_first", 100, "It is also a first choice of editors for what the query names.", "devices for blind people"
    ),
    Weight("in_name", 48, "It is the display name, not an alias, that matches.", "anxiety: Apps for Anxiety"),
    Weight("coverage", 40, "Times the share of the name's words that the query has.", "keyboard trays"),
    Weight("fit", 20, "At most: BM25 in OpenSearch and the prior.", "lamp"),
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
