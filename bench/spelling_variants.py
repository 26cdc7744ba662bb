"""Extract `mappings/spelling_variants.txt` from VarCon, the table of spelling variants of the SCOWL project.

    cargo init /tmp/varcon && cd /tmp/varcon && cargo add varcon@1.0.5 && cargo vendor
    python -m bench.spelling_variants /tmp/varcon/vendor/varcon/src/codegen.rs

The crate `varcon` of the spelling checker `typos` contains VarCon 2020.12.07 complete, as constants of Rust. The header
of the file stays, so after a newer version correct its first lines and NOTICE. Run the unit tests, which list the words
that must not change.
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from schema.spelling_variants import SPELLING_VARIANTS

CLUSTER = re.compile(r"\nCluster \{")
HEADER = re.compile(r"verified: (true|false),\s+level: (\d+),")
ENTRY = re.compile(r"Entry \{(.*?)archaic: (true|false)", re.DOTALL)
VARIANT = re.compile(r'word: "([^"]*)",\s+types: &\[(.*?)\n\s+\],', re.DOTALL)
TYPE = re.compile(r"Category::(\w+), tag: (?:None|Some\(Tag::(\w+)\))")
BRITISH = {(spelling, tag) for spelling in ("BritishIse", "BritishIze") for tag in ("", "Eq", "Variant")}
AMERICAN = {("American", ""), ("American", "Eq")}
WORD = re.compile(r"[a-z]{3,}")  # no names, phrases or possessives
MIN_LETTERS, MIN_ISE_LETTERS = 4, 7  # of a British word: not "axe", "mise"
WRONG = {"pourer", "pourers"}  # verified as "porer", which is not a spout
# Levels of SCOWL, from common (10) to doubtful (95) words. VarCon derives rare words by rule, and nobody has verified
# them: from "acre" it makes "Acer", from "sclerae" it makes "sclere". Only -ise is nearly always right.
MAX_LEVEL, MAX_ISE_LEVEL = 60, 80


@dataclass(frozen=True, slots=True)
class Pair:
    """A British word and the preferred American spelling of one of its meanings."""

    british: str
    american: str

    def are_words(self) -> bool:
        """Return whether both are words, and the British one has not too few letters."""
        are_plain = WORD.fullmatch(self.british) and WORD.fullmatch(self.american)
        return bool(are_plain) and len(self.british) >= MIN_LETTERS and self.british not in WRONG

    def is_ise(self) -> bool:
        """Return whether only -is- or -ys- differs."""
        return len(self.british) >= MIN_ISE_LETTERS and re.sub("([iy])s", r"\1z", self.british) == re.sub(
            "([iy])s", r"\1z", self.american
        )

    def is_mechanical(self) -> bool:
        """Return whether letters only changed places or a digraph lost one, which is left to the rules for stems."""
        return sorted(self.british) == sorted(self.american) or re.sub("[ao]e", "e", self.british) == self.american


def clusters(source: str) -> Iterator[tuple[bool, int, list[list[tuple[str, set[tuple[str, str]]]]]]]:
    """Yield each cluster of related words: verified, level, and its entries as spellings with their tags."""
    for text in CLUSTER.split(source)[1:]:
        header = HEADER.search(text)
        assert header, text[:200]
        entries = [
            [(word, set(TYPE.findall(types))) for word, types in VARIANT.findall(entry)]
            for entry, archaic in ENTRY.findall(text)
            if archaic == "false"
        ]
        yield header[1] == "true", int(header[2]), entries


def pairs(source: str) -> dict[str, str]:
    """Return the American spelling of British words, except of those that are American words, too ("practice")."""
    american: set[str] = set()
    variants: defaultdict[str, set[str]] = defaultdict(set)
    reliable: list[list[Pair]] = []
    for verified, level, entries in clusters(source):
        found = []
        for entry in entries:
            preferred = [word for word, tags in entry if tags & AMERICAN]
            american.update(preferred)
            found += [
                Pair(word, preferred[0])
                for word, tags in entry
                if preferred and tags & BRITISH and word not in preferred
            ]
        for pair in found:
            variants[pair.british].add(pair.american)
        reliable.append([pair for pair in found if verified or _is_reliable(pair, level)])
    british = (pair for cluster in reliable for pair in _without_american(cluster, american))
    return {pair.british: pair.american for pair in british if pair.are_words() and len(variants[pair.british]) == 1}


def _is_reliable(pair: Pair, level: int) -> bool:
    return (level <= MAX_LEVEL and not pair.is_mechanical()) or (level <= MAX_ISE_LEVEL and pair.is_ise())


def _without_american(cluster: Iterable[Pair], american: set[str]) -> Iterator[Pair]:
    """Yield pairs whose British word is not American, nor its inflection: neither "mum" nor "mums"."""
    words = tuple(pair.british for pair in cluster if pair.british in american)
    return (pair for pair in cluster if not pair.british.startswith(words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="src/codegen.rs of the crate varcon")
    table = pairs(parser.parse_args().source.read_text("utf-8", errors="replace"))
    header = [line for line in SPELLING_VARIANTS.read_text("utf-8").splitlines() if line.startswith("#")]
    lines = (f"{british} => {american}" for british, american in sorted(table.items()))
    SPELLING_VARIANTS.write_text("\n".join((*header, "", *lines, "")), "utf-8")
    print(f"{len(table):,} words")


if __name__ == "__main__":
    main()
