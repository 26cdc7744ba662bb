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


@cache
def variants() -> dict[str, str]:
    """Read the American spelling of each British word of the list. Read once for all services of a process."""
    lines = SPELLING_VARIANTS.read_text("utf-8").splitlines()
    pairs = (line.split(" => ") for line in lines if line and not line.startswith("#"))
    return {british: american for british, american in pairs}  # noqa: C416 - checks that there are two


def american(word: str) -> str:
    """Return the American spelling of a folded word, or the word: "tumours" is "tumors", and "does" stays "does".

    Nothing is cached, because the word may be what a user typed.
    """
    word = variants().get(word, word)
    return BRITISH.sub(_letters, word) if MAY_BE_BRITISH.search(word) else word


def _letters(match: re.Match[str]) -> str:
    return RULES[(match.lastindex or 0) - 1][1]
