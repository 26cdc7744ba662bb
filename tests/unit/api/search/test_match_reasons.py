"""Why a hit matched: each kind with its exact sentence."""

import pytest

from api.search.match_reasons import explain_completion, explain_match
from api.search.name_match import parse_name
from api.search.query import ParsedQuery
from api.search.query_builder import TIERS
from api.search.results import alias_interpretations, rule_interpretations
from schema.synonyms import SynonymMatcher, SynonymRule
from tests.support.search_responses import TELEWORK, card

parse = ParsedQuery.parse


def rule(text: str) -> SynonymRule:
    left, arrow, right = text.partition(" => ")
    terms = tuple(left.split(", "))
    return SynonymRule("rules.txt", 1, terms, tuple(right.split(", ")) if arrow else terms)


WFH = rule("wfh => work from home, telework")
TTS = rule("tts, text to speech")
CHAIR = rule("wheelchair, wheel chair")

# query, tiers that matched, name, aliases, rules that fire → kind, text, field, why
MATCHES: dict[str, tuple[str, list[str], str, list[str], list[SynonymRule], tuple[str, str, str, str]]] = {
    "id": (
        " 15-1252.00 ", ["id"], "Software Developers", [], [],
        ("id", "15-1252.00", "id", "‘15-1252.00’ is the id of Software Developers."),
    ),
    "id before anything else": (
        "solution:telework", ["description", "words", "id"], "Telework", [], [],
        ("id", "solution:telework", "id", "‘solution:telework’ is the id of Telework."),
    ),
    "a slug that was typed as a name": (
        "telework", ["description", "words", "name", "id"], "Telework", [], [],
        ("name", "Telework", "name", "‘telework’ is the name of this entity."),
    ),
    "name": (
        "crohns disease", ["words", "phrase", "name"], "Crohn's Disease", ["Regional Enteritis"], [],
        ("name", "Crohn's Disease", "name", "‘crohns disease’ is the name of this entity."),
    ),
    "name but for an ending": (
        "memory losses", ["words", "phrase", "nameform"], "Memory Loss", ["Losses"], [],
        ("name", "Memory Loss", "name", "‘memory losses’ is a form of the name Memory Loss."),
    ),
    "alias": (
        "adhd", ["phrase", "alias", "words"], "Attention Deficit/Hyperactivity Disorder", ["ADD", "ADHD"], [],
        ("alias", "ADHD", "aliases", "‘ADHD’ is another name of Attention Deficit/Hyperactivity Disorder."),
    ),
    "alias as typed before one with punctuation": (
        "adhd", ["alias"], "Attention Deficit/Hyperactivity Disorder", ["AD/HD", "ADHD"], [],
        ("alias", "ADHD", "aliases", "‘ADHD’ is another name of Attention Deficit/Hyperactivity Disorder."),
    ),
    "name of a mainstream product, which counts as an alias": (
        "pager", ["aliasform"], "Pages", [], [],
        ("name", "Pages", "name", "‘pager’ is a form of the name Pages."),
    ),
    "alias but for punctuation": (
        "ad hd", ["alias"], "Attention Deficit/Hyperactivity Disorder", ["ADD", "AD/HD"], [],
        ("alias", "AD/HD", "aliases", "‘AD/HD’ is another name of Attention Deficit/Hyperactivity Disorder."),
    ),
    "alias but for an ending": (
        "noise cancelling headphone", ["aliasform"], "Noise Canceling Headsets", ["Noise-Cancelling Headphones"], [],
        ("alias", "Noise-Cancelling Headphones", "aliases",
         ("‘noise cancelling headphone’ is a form of ‘Noise-Cancelling Headphones’, "
         "which is another name of Noise Canceling Headsets.")),
    ),
    "synonym of the name": (
        "wfh", ["synonym"], "Telework", ["Working from Home"], [WFH],
        ("synonym", "Telework", "name", "By a synonym rule, ‘wfh’ also finds ‘telework’: its name contains it."),
    ),
    "synonym of an alias": (
        "tts", ["synonym"], "Reading Aloud", ["Text to Speech"], [TTS],
        ("synonym", "Text to Speech", "aliases",
         ("By a synonym rule, ‘tts’ also finds ‘text to speech’: "
         "‘Text to Speech’, another name of Reading Aloud, contains it.")),
    ),
    "synonym within a name": (
        "wheel chair", ["phrase"], "Wheelchair Ramps", [], [CHAIR],
        ("synonym", "Wheelchair Ramps", "name",
         "By a synonym rule, ‘wheel chair’ also finds ‘wheelchair’: its name contains it."),
    ),
    "synonym next to a word of the name": (
        "folding wheel chair", ["words", "phrase"], "Folding Wheelchair Ramps", [], [CHAIR],
        ("synonym", "Folding Wheelchair Ramps", "name",
         "By a synonym rule, ‘wheel chair’ also finds ‘wheelchair’: its name contains it."),
    ),
    "a rule that was not needed": (
        "tts", ["phrase"], "TTS Text to Speech Reader", [], [TTS],
        ("name", "TTS Text to Speech Reader", "name", "Its name contains the words you typed, in this order."),
    ),
    "phrase in the name": (
        "low vision", ["words", "phrase"], "Low Vision Aids", ["Aids for Low Vision"], [],
        ("name", "Low Vision Aids", "name", "Its name contains the words you typed, in this order."),
    ),
    "phrase in an alias": (
        "working from", ["phrase"], "Telework", ["Working from Some Other Place", "Working from Home"], [],
        ("alias", "Working from Home", "aliases",
         "‘Working from Home’, another name of Telework, contains the words you typed, in this order."),
    ),
    "a phrase that only a rule produces": (
        "left handed", ["phrase"], "One Hand", ["one-handed"], [rule("left handed => left handed, one handed")],
        ("synonym", "one-handed", "aliases",
         ("By a synonym rule, ‘left handed’ also finds ‘one handed’: ‘one-handed’, another name of One Hand, "
          "contains it.")),
    ),
    "words of several names, matched by a rule": (
        "fainting", ["words"], "Weak Speech", ["voice gives out"], [rule("fainting => fainting, dizziness")],
        ("synonym", "Weak Speech", "name",
         "The names of Weak Speech, taken together, contain all the words you typed, or words that mean the same."),
    ),
    "several names together": (
        "sclerosis fatigue", ["words"], "Multiple Sclerosis", ["MS", "MS fatigue"], [],
        ("name", "Multiple Sclerosis", "name",
         "The names of Multiple Sclerosis, taken together, contain all the words you typed."),
    ),
    "all words": (
        "vision low", ["words"], "Low Vision Aids", [], [],
        ("name", "Low Vision Aids", "name", "Its name contains all the words you typed."),
    ),
    "all words though a rule fired as well": (
        "wheelchair ramp", ["words"], "Wheelchair Ramps", [], [CHAIR],
        ("name", "Wheelchair Ramps", "name", "Its name contains all the words you typed."),
    ),
    "most words": (
        "flashing lights headache office", ["most"], "Flashing Lights in the Office", [], [],
        ("name", "Flashing Lights in the Office", "name", "Its name contains most of the words you typed."),
    ),
    "most words of an alias": (
        "trouble remembering names", ["most", "description"], "Memory Loss", ["trouble remembering"], [],
        ("alias", "trouble remembering", "aliases",
         "‘trouble remembering’, another name of Memory Loss, contains most of the words you typed."),
    ),
    "the shown name wins a tie": (
        "headsets", ["words"], "Noise Canceling Headsets", ["Headset"], [],
        ("name", "Noise Canceling Headsets", "name", "Its name contains all the words you typed."),
    ),
    "prefix": (
        "magnif", ["prefix"], "LargeView Magnifier", [], [],
        ("prefix", "LargeView Magnifier", "name", "Words in ‘LargeView Magnifier’ begin with ‘magnif’."),
    ),
    "description": (
        "gut", ["description"], "Crohn's Disease", ["Regional Enteritis"], [],
        ("description", "An inflammation of the gut.", "everything",
         "The description of Crohn's Disease, or a related entry, matches your query."),
    ),
    "everywhere": (
        "gut tired", ["description", "everywhere"], "Crohn's Disease", ["Regional Enteritis"], [],
        ("description", "An inflammation of the gut.", "everything",
         "The names and summary of Crohn's Disease, together with related entries, contain all the words you typed."),
    ),
    "mention of the name": (
        "what helps with memory loss at school", ["most", "mention"], "Memory Loss", ["Loss"], [],
        ("name", "Memory Loss", "name", "Your query names Memory Loss."),
    ),
    "mention of an alias": (
        "my student has adhd", ["mention"], "Attention Deficit/Hyperactivity Disorder", ["AD", "AD/HD"], [],
        ("alias", "AD/HD", "aliases",
         "Your query contains ‘AD/HD’, which is another name of Attention Deficit/Hyperactivity Disorder."),
    ),
    "type hint": (
        "apps for low vision", ["scoped", "words"], "Low Vision Reader", [], [],
        ("name", "Low Vision Reader", "name", "Your query asks for apps: ‘Low Vision Reader’ matches ‘low vision’."),
    ),
    "a rule's term with other words between": (
        "colour blind", ["phrase"], "Color Detector", ["color detector for blind people"],
        [rule("color blind, colour blind")],
        ("synonym", "color detector for blind people", "aliases",
         ("By a synonym rule, your words or words that mean the same appear in the names of Color Detector, such as "
         "‘color detector for blind people’.")),
    ),
    "a name as typed before a rule's spelling": (
        "wheelchair access", ["words"], "Site Access", ["wheel chair access", "wheelchair access route"], [CHAIR],
        ("alias", "wheelchair access route", "aliases",
         "‘wheelchair access route’, another name of Site Access, contains all the words you typed."),
    ),
    "fewer than most words of one name": (
        "lost tools and keys", ["most"], "Reminders", ["keys", "tools"], [],
        ("alias", "keys", "aliases", "The names of Reminders, taken together, contain most of the words you typed."),
    ),
    "endings that the stemmer removes": (
        "proofreader", ["phrase"], "Editing Software", ["proofreading software"], [],
        ("alias", "proofreading software", "aliases",
         ("‘proofreading software’, another name of Editing Software, "
         "contains the words you typed, in this order, apart from word endings.")),
    ),
    "beginnings in several names": (
        "speech recog", ["prefix"], "Speech Devices", ["sound recognition"], [],
        ("prefix", "Speech Devices", "name",
         "Words in the names of Speech Devices, taken together, begin with ‘speech recog’."),
    ),
    "a mention in the plural": (
        "flashing light when it rings", ["named"], "Strobe Lights", ["flashing lights"], [],
        ("alias", "flashing lights", "aliases",
         "Your query contains a form of ‘flashing lights’, which is another name of Strobe Lights."),
    ),
    "keywords of an alias": (
        "my hands go numb", ["named", "everywhere"], "Feeling and Sensing", ["numb feet", "numb hands", "tingling"], [],
        ("alias", "numb hands", "aliases",
         "Your query mentions ‘numb hands’, which is another name of Feeling and Sensing."),
    ),
    "alias but for endings that the stemmer removes": (
        "forgets instructions", ["aliasform"], "Memory Loss", ["forgets appointments", "forgetting instructions"], [],
        ("alias", "forgetting instructions", "aliases",
         "‘forgets instructions’ is a form of ‘forgetting instructions’, which is another name of Memory Loss."),
    ),
    "type hint in a sentence": (
        "where can I buy a Hearing Loop", ["scoped"], "Loops Ltd", [], [],
        ("name", "Loops Ltd", "name", "Your query asks for vendors: ‘Loops Ltd’ matches ‘hearing loop’."),
    ),
    "name of a mainstream product": (
        "alarm clock", ["alias", "phrase"], "Alarm Clock", [], [],
        ("name", "Alarm Clock", "name", "‘alarm clock’ is the name of this entity."),
    ),
    "form of the name of a mainstream product": (
        "alarm clocks", ["aliasform", "phrase"], "Alarm Clock", [], [],
        ("name", "Alarm Clock", "name", "‘alarm clocks’ is a form of the name Alarm Clock."),
    ),
    "an alias with the rule's replacement before one as typed": (
        "can't bend down", ["phrase"], "Bending", ["can't bend", "trouble bending down"],
        [rule("can't bend, cannot bend => can't bend, cannot bend, bending")],
        ("synonym", "trouble bending down", "aliases",
         ("By a synonym rule, ‘can't bend’ also finds ‘bending’: "
         "‘trouble bending down’, another name of Bending, contains it.")),
    ),
    "a rule's whole term is the name": (
        "wheel chair", ["synonym"], "Wheelchairs", ["chair with wheels"], [CHAIR],
        ("synonym", "Wheelchairs", "name",
         "By a synonym rule, ‘wheel chair’ also finds ‘wheelchair’: its name contains it."),
    ),
    "a typo that the stemmer takes for an ending": (
        "adjustible desk", ["phrase"], "Workstations", ["desk", "adjustable desk"], [],
        ("alias", "adjustable desk", "aliases",
         ("‘adjustable desk’, another name of Workstations, contains the words you typed, in this order, "
          "apart from word endings.")),
    ),
    "the remainder after a type phrase": (
        "ability to hear", ["most"], "Deaf", ["unable to hear speech"], [],
        ("alias", "unable to hear speech", "aliases",
         "‘unable to hear speech’, another name of Deaf, contains ‘hear’."),
    ),
    "type hint with a related entity": (
        "limitations of arthritis", ["scoped"], "Pain", ["aching"], [],
        ("description", "Pain", "everything", "Your query asks for limitations: Pain is related to ‘arthritis’."),
    ),
    "type hint and a rule": (
        "voice dictation software", ["scoped"], "Speech Recognition", [], [rule("dictation => speech recognition")],
        ("name", "Speech Recognition", "name",
         "Your query asks for software: ‘Speech Recognition’ matches ‘voice dictation’."),
    ),
    "type hint with an alias": (
        "magnifier devices", ["scoped"], "LargeView Pocket", ["Pocket Magnifier"], [],
        ("alias", "Pocket Magnifier", "aliases",
         "Your query asks for devices: LargeView Pocket, also known as ‘Pocket Magnifier’, matches ‘magnifier’."),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("query", "tiers", "name", "aliases", "rules", "expected"), MATCHES.values(), ids=MATCHES)
def test_a_hit_has_its_match_reason(
    query: str, tiers: list[str], name: str, aliases: list[str], rules: list[SynonymRule], expected: tuple[str, ...]
) -> None:
    parsed = parse(query).with_rules(SynonymMatcher(rules))
    match = explain_match(parsed, tiers, {**card("solution", name), "summary": "An inflammation of the gut."}, aliases)
    assert (match["kind"], match["text"], match["field"], match["why"]) == expected


OTHER_NAME = "‘{}’, another name of Telework,"


@pytest.mark.parametrize(
    ("typed", "aliases", "text", "shown"),
    [
        ("tele", ["Working from Home"], "Telework", "Telework"),
        (
            "working fr",
            ["Home Office", "Working from Home"],
            "Working from Home",
            OTHER_NAME.format("Working from Home"),
        ),
        ("home", ["Working from Home", "Home Office"], "Home Office", OTHER_NAME.format("Home Office")),
        ("tele", ["Teleworking"], "Telework", "Telework"),
    ],
)
def test_a_completion_explains_which_name_continues_the_query(
    typed: str, aliases: list[str], text: str, shown: str
) -> None:
    found = explain_completion(parse(typed), "Telework", aliases)
    field = "name" if text == "Telework" else "aliases"
    assert found == {"kind": "prefix", "text": text, "field": field, "why": f"{shown} begins with what you typed."}


def test_query_text_is_not_cached() -> None:
    parse_name.cache_clear()
    query = parse("wheel chair wfh").with_rules(SynonymMatcher([CHAIR, WFH]))
    matches = [explain_match(query, [tier], TELEWORK, ["Working from Home"]) for tier in TIERS]
    matches.append(explain_completion(query, "Telework", []))
    hits = [{**TELEWORK, "match": match} for match in matches]
    alias_interpretations(query, hits)
    rule_interpretations(query, hits)
    cached = parse_name.cache_info().hits
    parse_name("wheel chair wfh")
    assert parse_name.cache_info().hits == cached
