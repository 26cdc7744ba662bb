"""British spellings become American ones, and nothing else changes."""

import re
from itertools import pairwise

import pytest

from schema.spelling_variants import SPELLING_VARIANTS, american, british, variants


@pytest.mark.parametrize(
    ("british", "expected"),
    [
        ("hypoglycaemia", "hypoglycemia"),
        ("leukaemia", "leukemia"),
        ("leucocytes", "leukocytes"),
        ("anaemic", "anemic"),
        ("ischaemic", "ischemic"),
        ("haemorrhages", "hemorrhages"),
        ("haemarthrosis", "hemarthrosis"),
        ("methaemoglobinaemia", "methemoglobinemia"),  # two in one word
        ("oedemas", "edemas"),
        ("lymphoedema", "lymphedema"),
        ("angiooedema", "angioedema"),
        ("oesophagus", "esophagus"),
        ("gastrooesophageal", "gastroesophageal"),
        ("oestrogen", "estrogen"),
        ("antioestrogens", "antiestrogens"),
        ("anaesthetist", "anesthetist"),
        ("paraesthesia", "paresthesia"),
        ("synaesthetic", "synesthetic"),
        ("gynaecologist", "gynecologist"),
        ("paediatrician", "pediatrician"),
        ("orthopaedist", "orthopedist"),
        ("diarrhoea", "diarrhea"),
        ("apnoea", "apnea"),
        ("foetuses", "fetuses"),
        ("coeliac", "celiac"),
        ("caecum", "cecum"),
        ("caesarean", "cesarean"),
        ("meningocoele", "meningocele"),
        ("phaeochromocytoma", "pheochromocytoma"),
        ("homoeopathy", "homeopathy"),
        ("sulphasalazine", "sulfasalazine"),
        ("tumours", "tumors"),
        ("pseudotumour", "pseudotumor"),
        ("neurobehavioural", "neurobehavioral"),
        ("colourblindness", "colorblindness"),
        ("centre", "center"),
        ("microfibres", "microfibers"),
        ("millimetre", "millimeter"),
        ("organise", "organize"),
        ("randomised", "randomized"),
        ("somatisation", "somatization"),
        ("paralysed", "paralyzed"),
        ("haemolysing", "hemolyzing"),
        ("travelled", "traveled"),
        ("labelling", "labeling"),
        ("manoeuvring", "maneuvering"),
        ("skilful", "skillful"),
        ("enrolment", "enrollment"),
        ("ageing", "aging"),
        ("licence", "license"),
        ("defence", "defense"),
        ("practise", "practice"),
        ("programme", "program"),
        ("cheque", "check"),
        ("tyre", "tire"),
        ("kerb", "curb"),
        ("storeys", "stories"),
        ("draught", "draft"),
        ("maths", "math"),
        ("archaeologist", "archeologist"),  # O*NET has "Archeologists"
        ("amoebic", "amebic"),
    ],
)
def test_british_words_get_american_spellings(british: str, expected: str) -> None:
    assert american(british) == expected


@pytest.mark.parametrize(
    ("word", "spellings"),
    [
        ("hemophilia", ("haemophilia",)),
        ("hypoglycemia", ("hypoglycaemia",)),
        ("organizers", ("organisers",)),
        ("pediatrics", ("paediatrics",)),
        ("wheelchair", ()),
        ("chemistry", ()),
    ],
)
def test_american_words_have_british_spellings(word: str, spellings: tuple[str, ...]) -> None:
    assert british(word) == spellings


@pytest.mark.parametrize(
    "words",
    [
        "hypoglycemia edema tumor center organize",
        "aerobic aerosol algae israel maestro michael vertebrae praecox academia",
        "canoe coenzyme does goes heroes phoenix poem shoe toe whoever",
        "angioedema gastroesophageal phytoestrogen neuroendocrine photoelectric",  # compounds after an o
        "aesthetic unaesthetic leucovorin haemophilus haematobium achaemenid",
        "course four hour our pour source tour your courage journal glamour pourer",
        "acre genre massacre mediocre timbre ogre",
        "advise clockwise disease enterprise exercise expertise franchise improvisation noise precise rise supervise",
        "analyses dialyses paralyses lyse",  # plurals of nouns, and a verb that is American
        "practice license meter check curb program story draft analogue dialogue disc discs disk mum mums",
        "greyhound matt axe percent per cent",
        "2019 b12 ph",
        "acer eric",
    ],
)
def test_american_and_common_words_stay(words: str) -> None:
    assert " ".join(map(american, words.split())) == words


def test_american_spellings_never_change_again() -> None:
    twice = {word: american(american(word)) for word in (*variants(), *variants().values())}
    assert twice == {word: american(word) for word in twice}


def test_the_list_is_sorted_and_has_its_version_and_licence() -> None:
    lines = SPELLING_VARIANTS.read_text("utf-8").splitlines()
    pairs = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z]{4,} => [a-z]{3,}", pair) for pair in pairs)
    assert all(first < second for first, second in pairwise(variants()))
    assert len(pairs) == len(variants()) > 7000
    assert not variants().keys() & set(variants().values())
    header = " ".join(line for line in lines if line.startswith("#"))
    assert all(part in header for part in ("VarCon 2020.12.07", "Kevin Atkinson", "Benjamin Titze", "Geoff Kuenning"))
