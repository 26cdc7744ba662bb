"""American spellings of British words, so that "oedema" and "edema" are equal in names, queries and synonym rules.

The words of `mappings/spelling_variants.txt` come first, an extract of VarCon. It has 44 of 169 medical words that our
names contain, not "hypoglycaemia" or "haemarthrosis", so rules for medical stems follow. What is also an American word
stays: "practice", "disc". Rewrite index and query alike.
"""

import re
from functools import cache
from pathlib import Path

SPELLING_VARIANTS = Path(__file__).resolve().parent.parent / "mappings" / "spelling_variants.txt"
# What British words contain in which context, and what American words have instead. Stems after an o need a second one:
# "gastrooesophageal" is British, but "gastroesophageal" is gastro + esophageal.
RULES = (
    (r"aem(?=i[ac])", "em"),  # anaemia, hypoglycaemic
    (r"haem(?=[aio])(?!ophilus|atobium)", "hem"),  # haematoma, methaemoglobin; not the Latin names of species
    (r"leuc(?=aem|o(?:cyt|derm|dys|enc|eryt|ker|mal|nych|pen|plak|rrh))", "leuk"),  # leucopenia; not "leucovorin"
    (r"\bfaec(?=[aeu])", "fec"),
    (r"\bcaec(?=[aou])", "cec"),
    (r"\bnaev(?=[iou])", "nev"),
    (r"\blaev(?=o)", "lev"),  # laevodopa
    (r"\baeti(?=o)", "eti"),  # aetiopathogenesis
    (r"\B(?<!\bun)aesth(?=e[st])", "esth"),  # paraesthesia; not "aesthetic", which is American, too
    (r"paed(?=[io])", "ped"),  # orthopaedist, paediatrics
    (r"gynaec(?=o)", "gynec"),  # gynaecomastia
    (r"spirochaet", "spirochet"),
    (r"\bcaesar(?=[ei]an)", "cesar"),
    (r"phaeo", "pheo"),  # phaeochromocytoma
    (r"archaeo(?=log)", "archeo"),  # both are American, and O*NET writes "Archeologists"
    (r"amoeb", "ameb"),  # the same: "amebiasis" is the name of the disease
    (r"(?<!i)oedem(?=a)", "edem"),  # lymphoedema; not "angioedema"
    (r"(?:^|(?<=o))oesoph", "esoph"),
    (r"(?:^|(?<=[io]))oestr(?=[aiou])", "estr"),  # antioestrogen; not "phytoestrogen"
    (r"\bfoet(?=[aiou])", "fet"),
    (r"\bcoeli(?=[ao])", "celi"),
    (r"(?<=o)coele(?=s?$)", "cele"),  # meningocoele
    (r"rrhoe(?=[ai])", "rrhe"),
    (r"pnoe(?=[ai])", "pne"),
    (r"(?<=hom)oe(?=o)", "e"),  # homoeopathy
    (r"sulph", "sulf"),  # sulphonamide
    (r"(?<=tum)our|(?<=behavi)our|(?<=col)our|(?<=hum)our|(?<=od)our", "or"),  # pseudotumour, neurobehavioural
    (r"(?<=fib)re(?=optic|s?$)|(?<=cent)re(?=s?$)", "er"),  # microfibre
    (r"\bgrey(?=scale)", "gray"),  # not "greyhound"
    (r"(?<!prov)is(?=ations?$)", "iz"),  # somatisation; not "improvisation"
    (r"(?<=[ao]l)ys(?=(?:e|ed|ing|ers?)$)", "yz"),  # haemolysed; not "analyses", the plural of "analysis"
)
BRITISH = re.compile("|".join(f"({pattern})" for pattern, _ in RULES))
MAY_BE_BRITISH = re.compile("[ao]e|our|res?$|reoptic|sulph|grey|leuc|isation|ys(?:e|ing)")  # ten times as fast

# How American letters are written in British English, for completion: a word that is half typed cannot be folded.
BRITISH_LETTERS = tuple(
    (re.compile(letters), british)
    for letters, british in (
        (r"(?<=[a-z])(?<!a)(?<!acad)emia(?=s?$)", "aemia"),
        (r"(?<=glyc|calc|kala|isch|lipi|phat|rice|nsul)emic$", "aemic"),
        (r"(?<![ctapm])hem(?=at(?:o|u)|ang|arth|o[a-z])", "haem"),  # not "chemotherapy", "mathematics"
        (r"(?<=lymph)edema|(?<=papill)edema|^edema", "oedema"),
        (r"^esoph", "oesoph"),
        (r"(?<=gastro)esoph|(?<=tracheo)esoph|(?<=cardio)esoph", "oesoph"),
        (r"(?<=an|ar|yn|in|er)esthe(?=[st])", "aesthe"),
        (r"gynec", "gynaec"),
        (r"pediatr", "paediatr"),
        (r"orthoped", "orthopaed"),
        (r"rrhe(?=a|ic)", "rrhoe"),
        (r"pne(?=a|ic)", "pnoe"),
        (r"^fet(?=al|us)", "foet"),
        (r"^estr(?=ogen|adiol)", "oestr"),
        (r"^celi(?=a)", "coeli"),
        (r"^cec(?=um|al)", "caec"),
        (r"^fec(?=al|es)", "faec"),
        (r"(?<=[nrtc]o)cele(?=s?$)", "coele"),
        (r"pheo(?=ch)", "phaeo"),
        (r"(?<!v)leuko(?=cyt|dystr|enceph|erythr|kerat|malac|nych|pen|plak)", "leuco"),
        (r"sulf(?=a|o|i)", "sulph"),
        (r"ameb", "amoeb"),
        (r"(?<=tum)or|(?<=behavi)or|(?<=\bcol)or(?=$|s$|ed$|ing$|blind)", "our"),
        (r"(?<=\blab)or(?=s?$|er)|(?<=\bod)or(?=s?$|less)|(?<=hum)or(?=s?$)", "our"),
        (r"(?<=fib)er(?=s?$)|(?<=cent)er(?=s?$)|(?<=goit)er(?=s?$)", "re"),
        (r"(?<=kilo)meter(?=s?$)|(?<=centi)meter(?=s?$)", "metre"),
        (r"(?<=[a-z]{3})iz(?=ations?$)", "is"),
        (r"(?<=al|an|at|er|on|or|in|ic|ym|il)iz(?=(?:e|es|ed|ers?|ing)$)", "is"),
        (r"(?<=[ao]l)yz(?=(?:e|ed|ers?|ing)$)", "ys"),
    )
)
MAY_BE_AMERICAN = re.compile("[ei]m|he[mo]|ed|es|gyn|pne|rrhe|fe|cel|ce[cn]|leuk|sulf|ameb|or|er|i?[iy]z")


@cache
def variants() -> dict[str, str]:
    """Read the American spelling of each British word of the list. Read once for all services of a process."""
    lines = SPELLING_VARIANTS.read_text("utf-8").splitlines()
    pairs = (line.split(" => ") for line in lines if line and not line.startswith("#"))
    return {british: american for british, american in pairs}  # noqa: C416 - checks that there are two


@cache
def _variants_by_american() -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    for word, spelling in variants().items():
        words.setdefault(spelling, []).append(word)
    return words


def american(word: str) -> str:
    """Return the American spelling of a folded word, or the word: "tumours" is "tumors", and "does" stays "does".

    Nothing is cached, because the word may be what a user typed.
    """
    word = variants().get(word, word)
    return BRITISH.sub(_letters, word) if MAY_BE_BRITISH.search(word) else word


def british(word: str) -> tuple[str, ...]:
    """Return the British spellings of a folded American word, if it has other ones: "hemophilia" is "haemophilia"."""
    spellings = dict.fromkeys((word, *_variants_by_american().get(word, ())))
    if not MAY_BE_AMERICAN.search(word):
        return tuple(spellings)[1:]
    for letters, replacement in BRITISH_LETTERS:
        spellings |= dict.fromkeys(letters.sub(replacement, spelling) for spelling in list(spellings))
    return tuple(spelling for spelling in spellings if spelling != word and american(spelling) == word)


def _letters(match: re.Match[str]) -> str:
    return RULES[(match.lastindex or 0) - 1][1]
