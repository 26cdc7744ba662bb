"""Exact keys: the forms of ids, codes and names that an index holds in the field `keys`, and that a query looks up.

Each key begins with what it is a key of. The key of a name has no spaces, punctuation, accents or plural endings, so
"sit/stand desks" finds the name "Sit-stand desk".
"""

from collections.abc import Iterable, Mapping, Sequence

from schema.entity_kinds import SettingName
from schema.text import WORD, fold, name_key, singularize, tokens
from schema.wording import plain_wording

ID = "id:"  # an id, key or slug, retired ones included
CODE = "code:"  # a code of a condition in ICD-10-CM, MeSH or the Disease Ontology
NAME = "name:"  # a whole name or alias
LETTERS = "letters:"  # the letters of a name as it is written
NARROWER = "narrower:"  # a name of a narrower condition, on the main conditions that it inherits from
MENTION = "mention:"  # a name that may be a part of a query
JOB = "job:"  # a single word for a job that other names have too, as a part of a query where a job stands
BODY_PART = "part:"  # a body part or event that can bring a limitation
SIGN = "sign:"  # two or three content words of what somebody does, feels or wants, sorted: "checks the locks"
SIDE = "side:"  # what people type for a side of a need, on the needs that have it and the solutions that serve it
OPPOSED = "opposed:"  # the same, on the solutions for which that side is the wrong one
# A name of a condition or need, on the solutions that editors put first for it in a setting.
FIRST_CHOICES: Mapping[SettingName, str] = {"work": "first:", "school": "first-school:", "testing": "first-testing:"}
NEED = "need:"  # a name of a need, on the solutions that are usual for it
KEYWORDS = "words:"  # the base forms of two or three content words of an alias, sorted
MAX_KEY_LENGTH = 200  # characters; longer texts name nothing
MIN_CASED_LETTERS = 2  # of a word in upper case


def name_words(words: Sequence[str]) -> list[str]:
    """Return the words of a name without plural endings and determiners, each negation in one wording."""
    return list(map(singularize, plain_wording(words)))


def name_form(words: Sequence[str]) -> str:
    """Return the form of a name: its `name_words` without spaces."""
    return "".join(name_words(words))[:MAX_KEY_LENGTH]


def name_lines(names: Iterable[str]) -> str:
    """Return a line for each name with its `name_words`, a space before each."""
    return "\n".join("".join(f" {word}" for word in name_words(tokens(name))) for name in names)


def id_key(text: str) -> str:
    """Return the key of an id."""
    return f"{ID}{fold(text)[:MAX_KEY_LENGTH]}"


def code_key(text: str) -> str:
    """Return the key of a code; its dots and colons do not matter: "DOID:1210", "1210", "G35"."""
    return f"{CODE}{name_key(text)[:MAX_KEY_LENGTH]}"


def letters_key(text: str) -> str:
    """Return the key of the letters of a text: with plural endings, and in British spelling if it was."""
    return f"{LETTERS}{''.join(WORD.findall(fold(text)))[:MAX_KEY_LENGTH]}"


def keyword_key(bases: Iterable[str]) -> str:
    """Return the key of content words in any order."""
    return f"{KEYWORDS}{' '.join(sorted(bases))}"


def sign_key(bases: Iterable[str]) -> str:
    """Return the key of content words, which stand in a query in any order and form."""
    return f"{SIGN}{' '.join(sorted(bases))}"


def cased_form(words: Sequence[str], folded: Sequence[str]) -> str | None:
    """Return the form of a name with its words in upper case kept so, None without such words.

    "DOORS" is a syndrome, "doors" are not. `words` are as written.
    """
    pairs = list(zip(words, folded, strict=True))
    if not any(_keeps_case(word) for word in words):
        return None
    return "".join(word if _keeps_case(word) else singularize(token) for word, token in pairs)


def _keeps_case(word: str) -> bool:
    return word.isupper() and len(word) >= MIN_CASED_LETTERS
