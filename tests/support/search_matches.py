"""A made-up hit for each way in which a search matches: how it ranks, and how it is explained."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from api.engine.release import Hit, NamedSide
from api.search.features import Feature
from api.search.query import ParsedQuery
from schema.exact_keys import name_form
from schema.synonyms import SynonymMatcher, SynonymRule
from schema.text import tokens
from tests.support.search_responses import card, search_hit

SIDE_WORDS = {
    "toohot": [NamedSide("workrelatedfunction:temperature", "heat")],
    name_form(tokens("can't use my left hand")): [NamedSide("limitation:use-of-one-hand", "left")],
}
BODY_PARTS = {
    "part:ankle": {"workrelatedfunction:walking": 0, "limitation:standing": 1},
    "part:hand": {"limitation:grasping": 0, "limitation:fine-motor": 2},
    "part:lamp": {"solution:lamp": 0},
    "sign:burn feet": {"limitation:standing": 0},
    "sign:check lock": {"disability:ocd": 2},
}
TITLED: Mapping[str, Sequence[str]] = {"titles": ["Doctor"]}


def rule(text: str) -> SynonymRule:
    """Return the rule of a line in Solr format."""
    left, arrow, right = text.partition(" => ")
    terms = tuple(left.split(", "))
    return SynonymRule("rules.txt", 1, terms, tuple(right.split(", ")) if arrow else terms)


def parse(text: str, *rules: str) -> ParsedQuery:
    """Return a query with the rules of these lines, the sides of SIDE_WORDS and the BODY_PARTS that it names."""
    query = ParsedQuery.parse(text).with_sides(SIDE_WORDS).with_body_parts(BODY_PARTS)
    return query.with_rules(SynonymMatcher(map(rule, rules)))


class MatchCase(NamedTuple):
    """A query, a hit, the name by which it matches, and what the response says about it.

    `beside` is the name of another hit, of the same type or `beside_type`, which the query contains; `narrower` has an
    alias that the query is, but for endings. `public` is the kind and the field of the response.
    """

    query: str
    features: int
    type: str
    name: str
    text: str
    public: tuple[str, str]
    why: str
    aliases: Sequence[str] = ()
    rules: Sequence[str] = ()
    payload: Mapping[str, Any] = {}
    named: Sequence[str] = ()
    beside: str = ""
    beside_type: str = ""
    narrower: str = ""

    @property
    def parsed(self) -> ParsedQuery:
        """The query with its rules."""
        return parse(self.query, *self.rules)

    @property
    def hits(self) -> list[Hit]:
        """The hit, then another one if its name is in the query."""
        members = {"aliases": list(self.aliases), **self.payload}
        hits = [search_hit(card(self.type, self.name), self.features, **members)]
        if self.narrower:
            alias = self.query.removesuffix("s")
            narrower = card(self.type, self.narrower)
            hits.append(search_hit(narrower, Feature.NAME, aliases=[alias], broader=[self.name]))
        type_name = self.beside_type or self.type
        return [*hits, search_hit(card(type_name, self.beside), Feature.MENTION)] if self.beside else hits


WFH, TTS, TV = "wfh => work from home, telework", "tts, text to speech", "tv => television"
ADHD = "Attention Deficit/Hyperactivity Disorder"
NAME = ("name", "name")
ALIAS = ("alias", "aliases")
RELATED = ("description", "related")

# By the kind of the match, the best first; a second case of a kind has a number.
CASES = {
    "pinned": MatchCase(
        "breaks", Feature.PINNED | Feature.ALL_WORDS, "solution", "Rest Breaks", "Rest Breaks", ("pinned", "name"),
        "The operator of this service pinned Rest Breaks to this query.",
    ),
    "id": MatchCase(
        " G35 ", Feature.ID, "disability", "Multiple Sclerosis", "G35", ("id", "id"),
        "‘G35’ is the id or a code of Multiple Sclerosis.",
    ),
    "name": MatchCase(
        "crohns disease", Feature.NAME | Feature.PHRASE, "disability", "Crohn's Disease", "Crohn's Disease", NAME,
        "‘crohns disease’ is the name of this entity.", aliases=["Regional Enteritis"],
    ),
    "name 2": MatchCase(  # a slug
        "crohns-disease", Feature.ID, "disability", "Crohn's Disease", "Crohn's Disease", NAME,
        "‘crohns-disease’ is the name of this entity.",
    ),
    "alias": MatchCase(
        "adhd", Feature.NAME, "disability", ADHD, "ADHD", ALIAS,
        f"‘ADHD’ is another name of {ADHD}.", aliases=["ADD", "AD/HD", "ADHD"],
    ),
    "alias 2": MatchCase(  # as typed, or else up to punctuation
        "ad hd", Feature.NAME, "disability", ADHD, "AD/HD", ALIAS,
        f"‘AD/HD’ is another name of {ADHD}.", aliases=["ADD", "AD/HD"],
    ),
    "alias 3": MatchCase(
        "eye cripple", Feature.NAME, "disability", "Blindness", "", ALIAS,
        "What you typed is another name of Blindness.",
    ),
    "product_name": MatchCase(
        "alarm clock", Feature.NAME, "product", "Alarm Clock", "Alarm Clock", NAME,
        "‘alarm clock’ is the name of this product.", payload={"mainstream": True},
    ),
    "title": MatchCase(
        "doctor", Feature.NAME, "occupation", "Physicians", "Doctor", ALIAS,
        "‘Doctor’ is a job title of Physicians.", payload=TITLED,
    ),
    "broader": MatchCase(
        "optic neuritis", Feature.NARROWER | Feature.RELATED, "disability", "Low Vision", "", RELATED,
        "‘optic neuritis’ is a kind of Low Vision, whose accommodations apply to it.",
    ),
    "broader_form": MatchCase(
        "panic attacks", Feature.NARROWER, "disability", "Anxiety Disorder", "", RELATED,
        "‘panic attacks’ is a kind of Anxiety Disorder, whose accommodations apply to it.", narrower="Panic Disorder",
    ),
    "name_form": MatchCase(
        "screen reader", Feature.NAME, "solution", "Screen Readers", "Screen Readers", NAME,
        "‘screen reader’ is a form of the name Screen Readers.",
    ),
    "name_form 2": MatchCase(
        "optic neuritides nerves", Feature.NAME, "disability", "Optic Neuritides Nerve", "Optic Neuritides Nerve", NAME,
        "‘optic neuritides nerves’ is a form of the name Optic Neuritides Nerve. It is a kind of Low Vision.",
        payload={"broader": ["Low Vision"]},
    ),
    "alias_form": MatchCase(
        "cart", Feature.NAME, "product", "Trolleys", "Carts", ALIAS,
        "‘cart’ is a form of ‘Carts’, which is another name of Trolleys.", aliases=["Carts"],
    ),
    "keyword_name": MatchCase(
        "struggles with maths", Feature.MENTION, "workrelatedfunction", "Mathematics", "Maths", ALIAS,
        "Your query contains ‘Maths’, another name of Mathematics.", aliases=["Maths"],
    ),
    "keyword_name 2": MatchCase(
        "need help with memory loss", Feature.MENTION, "limitation", "Memory Loss", "Memory Loss", NAME,
        "Your query names Memory Loss.", aliases=["Loss"],
    ),
    "phrase": MatchCase(
        "braille display", Feature.PHRASE | Feature.ALL_WORDS, "solution", "Computer Braille Displays",
        "Computer Braille Displays", NAME, "Its name contains the words you typed, in this order.",
    ),
    "phrase 2": MatchCase(
        "working from", Feature.PHRASE, "solution", "Telework", "Working from Home", ALIAS,
        "‘Working from Home’, another name of Telework, contains the words you typed, in this order.",
        aliases=["Home Working", "Working from Home"],
    ),
    "scoped": MatchCase(
        "where can I buy a Hearing Loop", Feature.SCOPED, "vendor", "Loops Ltd", "Loops Ltd", NAME,
        "Your query asks for vendors: Loops Ltd matches ‘hearing loop’ by its names or related entries.",
    ),
    "all_words": MatchCase(
        "talking blood pressure", Feature.ALL_WORDS, "solution", "Talking Monitors for Blood Pressure",
        "Talking Monitors for Blood Pressure", NAME, "Its name contains all the keywords you typed.",
    ),
    "synonym": MatchCase(
        "wfh", Feature.NAME, "solution", "Telework", "Telework", ("synonym", "name"),
        "By a synonym rule, ‘wfh’ also finds ‘telework’: ‘Telework’ is a name of Telework.", rules=[WFH],
    ),
    "synonym 2": MatchCase(
        "wfh", Feature.NAME, "solution", "Telework", "Work-from-Home", ("synonym", "aliases"),
        "By a synonym rule, ‘wfh’ also finds ‘work from home’: ‘Work-from-Home’ is a name of Telework.",
        aliases=["Work-from-Home"], rules=["wfh => work from home"],
    ),
    "mention": MatchCase(
        "epilepsy and driving", Feature.MENTION, "disability", "Epilepsy", "Epilepsy", NAME,
        "Your query names Epilepsy.",
    ),
    "mention 2": MatchCase(
        "my student with AD/HD can't sit still", Feature.MENTION, "disability", ADHD, "ADHD", ALIAS,
        f"Your query contains ‘ADHD’, another name of {ADHD}.", aliases=["AD", "ADHD"],
    ),
    "mention 4": MatchCase(  # as typed
        "ADHD medication leave", Feature.MENTION, "disability", ADHD, "ADHD", ALIAS,
        f"Your query contains ‘ADHD’, another name of {ADHD}.", aliases=["AD/HD", "ADHD"],
    ),
    "mention 3": MatchCase(
        "eye cripple at the till", Feature.MENTION, "disability", "Blindness", "", ALIAS,
        "Your query contains another name of Blindness.",
    ),
    "keywords": MatchCase(
        "my hands go numb", Feature.KEYWORDS, "limitation", "Feeling and Sensing", "numb hands", ALIAS,
        "Your query mentions ‘numb hands’, another name of Feeling and Sensing.", aliases=["numb feet", "numb hands"],
    ),
    "thing": MatchCase(
        "pens for shaky hands", Feature.NEED, "solution", "Weighted Pens", "Weighted Pens", NAME,
        "Its name contains ‘pens’, and it is listed for Tremor, which your query names.",
        payload={"needs": ["Tremor"]}, named=["Tremor"],
    ),
    "side": MatchCase(
        "too hot here", Feature.BODY_PART, "solution", "Fans", "", RELATED,
        "It is for this trouble, which your query names: heat.",
        payload={"sides": {"heat": "heat"}},
    ),
    "related": MatchCase(
        "noise headset", Feature.RELATED, "solution", "Headsets", "Headsets", RELATED,
        "The names of Headsets, together with what it is for, contain all the keywords you typed.",
    ),
    "words_by_rule": MatchCase(
        "tts readers", Feature.ALL_BY_RULE, "product", "Text to Speech Reader", "Text to Speech Reader",
        ("synonym", "name"),
        "By a synonym rule, ‘tts’ also finds ‘text to speech’: ‘Text to Speech Reader’, a name of Text to Speech "
        "Reader, contains it.",
        rules=[TTS],
    ),
    "body_part": MatchCase(
        "broken ankle", Feature.BODY_PART, "workrelatedfunction", "Walking", "", RELATED,
        "Walking can be affected by what your query names.",
    ),
    "rule_mention": MatchCase(
        "can't sleep at work", Feature.MENTION, "limitation", "Rest at Night", "sleeplessness", ("synonym", "aliases"),
        "By a synonym rule, ‘can't sleep’ also finds ‘sleeplessness’: ‘sleeplessness’ is a name of Rest at Night.",
        aliases=["sleeplessness"], rules=["can't sleep => sleeplessness"],
    ),
    "rule_part": MatchCase(
        "speech in noisy rooms", Feature.MENTION, "workrelatedfunction", "Noise", "Noise", ("synonym", "name"),
        "By a synonym rule, ‘noisy’ also finds ‘noise’: ‘Noise’ is a name of Noise.", rules=["noisy => noise"],
    ),
    "other_kind": MatchCase(
        "cannot lift heavy boxes", Feature.ALL_WORDS, "solution", "Lifting Techniques", "how to lift heavy boxes",
        ALIAS,
        "‘how to lift heavy boxes’, another name of Lifting Techniques, contains all the keywords you typed.",
        aliases=["how to lift heavy boxes"], beside="Lift", beside_type="limitation",
    ),
    "demoted": MatchCase(
        "alarm clock", Feature.DEMOTED_NAMES, "product", "Loud Alarm Clock", "Loud Alarm Clock", NAME,
        "Its name contains all the keywords you typed.",
    ),
    "first_choice": MatchCase(
        "dyslexia", Feature.FIRST_CHOICE, "solution", "Text Readers", "Text Readers", RELATED,
        "The editors put it first for Dyslexia, which your query names.",
        payload={"needs": ["Reading", "Dyslexia"]}, named=["Dyslexia"],
    ),
    "need": MatchCase(
        "shaky hands", Feature.NEED, "solution", "Weighted Pens", "Weighted Pens", RELATED,
        "It is listed for Tremors and Writing, which your query names.",
        payload={"needs": ["Writing", "Grasping", "Tremors"]}, named=["Tremors", "Typing", "Writing", "Tremors"],
    ),
    "part_of_need": MatchCase(
        "shaky hands in the kitchen", Feature.PART_OF_NEED, "solution", "Weighted Pens", "Weighted Pens", RELATED,
        "It is listed for what your query names.", payload={"needs": ["Tremors"]},
    ),
    "words_apart": MatchCase(
        "reading drops", Feature.ALL_WORDS, "limitation", "Reading", "", RELATED,
        "The names of Reading, taken together, contain all the keywords you typed.", aliases=["drops the line"],
    ),
    "common_word": MatchCase(
        "sad employee", Feature.ALL_WORDS, "disability", "Seasonal Affective Disorder", "SAD", ALIAS,
        "‘SAD’, an abbreviation of Seasonal Affective Disorder, is also a word that you typed.",
        aliases=["Seasonal Affective Disorder (SAD)", "SAD"], beside="Very Sad",
    ),
    "description": MatchCase(
        "barista", Feature.DESCRIPTION, "occupation", "Counter Attendants", "", ("description", "description"),
        "The description of Counter Attendants contains most of the keywords you typed.",
    ),
    "most_words": MatchCase(
        "flashing lights headache office", Feature.MOST_WORDS, "limitation", "Photosensitivity",
        "flashing lights in the office", ALIAS,
        "‘flashing lights in the office’, another name of Photosensitivity, contains most of the keywords you typed.",
        aliases=["lights", "flashing lights in the office"],
    ),
    "other_job": MatchCase(
        "stackers with pain", Feature.MENTION, "occupation", "Hand Stackers", "stacker", ALIAS,
        "‘stacker’ can also mean this job.",
        aliases=["stacker"], beside="Stackers",
    ),
    "part_of_name": MatchCase(
        "color blind painter", Feature.MENTION, "disability", "Blindness", "blind", ALIAS,
        "‘blind’, a name of Blindness, is a part of a longer name in your query.", aliases=["blind"],
        beside="Color Blind",
    ),
    "not_meant": MatchCase(
        "not deaf but dyslexic", Feature.MENTION, "disability", "Deafness", "deaf", ALIAS,
        "Your query has words of ‘deaf’, a name of Deafness, and does not seem to mean it.", aliases=["deaf"],
    ),
    "elsewhere": MatchCase(
        "worker with wheezing", Feature.FIRST_CHOICE, "solution", "Extra Time", "Extra Time",
        ("description", "related"),
        "Extra Time is listed for what your query names, but only for school or tests.",
        payload={"card": card("solution", "Extra Time") | {"settings": ["school"]}},
    ),
    "prefix": MatchCase(
        "wheelc", 0, "product", "Folding Wheelchair", "", ("prefix", "name"),
        "Words in the names of Folding Wheelchair begin with ‘wheelc’.",
    ),
    "most_related": MatchCase(
        "flashing light alarm", Feature.MOST_OF_RELATED, "solution", "Alarms", "Alarms", RELATED,
        "The names of Alarms, together with what it is for, contain most of the keywords you typed.",
    ),
}  # fmt: skip


def kind_of(case: str) -> str:
    """Return the kind of match of a case: its name without the number."""
    return case.partition(" ")[0]
