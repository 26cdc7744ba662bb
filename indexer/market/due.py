"""Which addresses are to be visited, and what a visit means for the table of findings. Pure."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from indexer.market.rules import LEARNED_NOTHING, RULES, VERSION, decide
from indexer.rows import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.market.visit import Seen
    from indexer.rows import Content

KINDS = ("product", "vendor")
NAMES = ("printed", "synonym", "abbreviation")  # kinds of other names that the maker's own page may use
COLUMNS = ("entity", "status", "checked", "rule", "address", "evidence")
EDITOR = "editor"


@dataclass(frozen=True, slots=True)
class Named:
    """An entity, and the names that its page may call it by."""

    id: str
    kind: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """One address, and every entity whose page it is."""

    url: str
    entities: tuple[Named, ...]

    @property
    def fingerprint(self) -> str:
        """Changes when the same page could now be judged otherwise."""
        told = repr((VERSION, sorted((one.id, one.names) for one in self.entities)))
        return hashlib.sha256(told.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Visit:
    """What is remembered of the last visit to an address: rules by entity, and what makes the next one conditional."""

    url: str
    day: str
    fingerprint: str
    rules: Mapping[str, str]
    evidence: str
    etag: str = ""
    modified: str = ""


def addresses(content: Content) -> list[Address]:
    """Every address of a product or vendor but those of lists: being on a list does not show that a thing is sold."""
    lists = {_bare(source.url) for source in content.sources if source.url}
    other: defaultdict[str, list[str]] = defaultdict(list)
    for alias in content.aliases:
        if alias.kind in NAMES:
            other[alias.entity].append(alias.text)
    by_url: defaultdict[str, list[Named]] = defaultdict(list)
    for entity in content.entities:
        if entity.type in KINDS and entity.url and _bare(entity.url) not in lists:
            by_url[entity.url].append(Named(entity.id, entity.type, (entity.name, *other[entity.id])))
    return [Address(url, tuple(found)) for url, found in by_url.items()]


def due(
    found: Iterable[Address], visits: Mapping[str, Visit], findings: Iterable[Finding], today: date, days: int
) -> list[Address]:
    """The addresses that were not visited within so many days; without an answer, not today."""
    checked = {(row.entity, row.address): date.fromisoformat(row.checked) for row in findings}

    def is_due(address: Address) -> bool:
        visit = visits.get(address.url)
        if visit is None:
            rows = [checked.get((one.id, address.url)) for one in address.entities]
            return any(day is None or (today - day).days >= days for day in rows)
        if visit.fingerprint != address.fingerprint:
            return True
        age = (today - date.fromisoformat(visit.day)).days
        taught = any(rule not in LEARNED_NOTHING for rule in visit.rules.values())
        return age >= (days if taught else min(days, 1))

    return [address for address in found if is_due(address)]


def judged(address: Address, seen: Seen, before: Visit | None, today: date) -> Visit:
    """What to remember of a visit: each entity of the address by the rule that applies to it."""
    if seen.unchanged and before:
        return replace(before, day=today.isoformat(), evidence=seen.evidence)
    page, rules = seen.page, {}
    for one in address.entities:
        rules[one.id] = seen.rule or (decide(page, one.names, one.kind) if page else "no-answer")
    etag, modified = (seen.validators.etag, seen.validators.modified) if seen.validators else ("", "")
    return Visit(address.url, today.isoformat(), address.fingerprint, rules, seen.evidence, etag, modified)


def merged(content: Content, visits: Mapping[str, Visit]) -> list[Finding]:
    """The table after these visits: newer findings take the place of older ones, and what taught nothing of none."""
    rows = {row.entity: row for row in current(content)}
    for address in addresses(content):
        visit = visits.get(address.url)
        if visit is None or visit.fingerprint != address.fingerprint:
            continue
        for entity, rule in visit.rules.items():
            new = Finding(entity, RULES[rule].status, visit.day, rule, visit.url, visit.evidence)
            if _takes_place(new, rows.get(entity)):
                rows[entity] = new
    return sorted(rows.values(), key=lambda row: row.entity)


def current(content: Content) -> list[Finding]:
    """The findings that speak of an entity's present address; what was found elsewhere says nothing of it."""
    present = {entity.id: entity.url for entity in content.entities if entity.type in KINDS}
    return [row for row in content.findings if present.get(row.entity) == row.address]


def aged(content: Content, today: date, days: int) -> Content:
    """The content with only current findings, those older than so many days marked as stale."""
    oldest = oldest_fresh(today, days)

    def marked(row: Finding) -> Finding:
        told = f"That was more than {days} days before this release was built."
        return replace(row, stale=told) if row.checked < oldest else row

    return replace(content, findings=tuple(map(marked, current(content))))


def oldest_fresh(today: date, days: int) -> str:
    """The oldest ISO date that is not stale."""
    return (today - timedelta(days=days)).isoformat()


def as_table(findings: Iterable[Finding]) -> bytes:
    """The bytes of `market.csv`."""
    memory = io.StringIO()
    writer = csv.writer(memory, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([getattr(row, name) for name in COLUMNS] for row in findings)
    return memory.getvalue().encode()


def _takes_place(new: Finding, old: Finding | None) -> bool:
    if old is None:
        return True
    if new.checked < old.checked or (old.rule == EDITOR and new.status == "unverified"):
        return False
    return new.rule not in LEARNED_NOTHING or old.rule in LEARNED_NOTHING


def _bare(url: str) -> str:
    """An address without what makes no difference: scheme, a slash at the end, upper case."""
    return url.partition("://")[2].rstrip("/").casefold()
