"""Wordings that mean the same in a name: "can not use her left hand" and "can't use my left hand"."""

from collections.abc import Iterator, Sequence

# Whose something is says nothing of what it is. "a" stays: hepatitis A is not hepatitis.
DETERMINERS = frozenset(("my", "your", "his", "her", "our", "their", "the"))
CANT, DONT, ISNT = "cant", "dont", "isnt"
NEGATIONS = {
    ("not", "able", "to"): CANT,
    ("can", "not"): CANT,
    ("could", "not"): CANT,
    ("unable", "to"): CANT,
    ("cannot",): CANT,
    ("couldnt",): CANT,
    ("do", "not"): DONT,
    ("does", "not"): DONT,
    ("did", "not"): DONT,
    ("will", "not"): DONT,
    ("doesnt",): DONT,
    ("didnt",): DONT,
    ("wont",): DONT,
    ("is", "not"): ISNT,
    ("are", "not"): ISNT,
    ("am", "not"): ISNT,
    ("im", "not"): ISNT,
    ("arent",): ISNT,
}
MAX_NEGATION_WORDS = max(map(len, NEGATIONS))
FIRST_WORDS = DETERMINERS | {words[0] for words in NEGATIONS}


def plain_wording(tokens: Sequence[str]) -> Sequence[str]:
    """Return the tokens without determiners and with one form of each negation, or as they are if nothing is left."""
    if FIRST_WORDS.isdisjoint(tokens):  # most names
        return tokens
    return list(_plain(tokens)) or tokens


def _plain(tokens: Sequence[str]) -> Iterator[str]:
    place = 0
    while place < len(tokens):
        for size in range(MAX_NEGATION_WORDS, 0, -1):
            if negation := NEGATIONS.get(tuple(tokens[place : place + size])):
                yield negation
                break
        else:
            size = 1
            if tokens[place] not in DETERMINERS:
                yield tokens[place]
        place += size
