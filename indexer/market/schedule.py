"""Selects the pages to visit and merges the results into the table of findings."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from indexer.content.csv_table import csv_bytes
from indexer.content.rows import Content, Finding
from indexer.market.fetcher import VisitResult
from indexer.market.rules import RULES_VERSION, decide
from schema.market_rules import EDITOR_RULE, INCONCLUSIVE_RULES, MARKET_RULES, MARKET_TYPES

ALIAS_KINDS = ("printed", "synonym", "abbreviation")  # that the maker's page may use
COLUMNS = ("entity", "status", "checked", "rule", "address", "evidence")


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity and the names that its page may use."""

    id: str
    type: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MarketPage:
    """The URL of a page and every entity whose page it is."""

    url: str
    entities: tuple[NamedEntity, ...]

    @property
    def fingerprint(self) -> str:
        """A digest that changes when the same page could be judged differently."""
        names = sorted((entity.id, entity.names) for entity in self.entities)
        return hashlib.sha256(repr((RULES_VERSION, names)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Visit:
    """The last visit to a URL: the rule for each entity, and the validators for a conditional request."""

    url: str
    day: str
    fingerprint: str
    rules: Mapping[str, str]
    evidence: str
    etag: str = ""
    modified: str = ""


def market_pages(content: Content) -> list[MarketPage]:
    """Return the pages of products and vendors, without lists: a page that is a source does not prove an offer."""
    lists = {_url_key(source.url) for source in content.sources if source.url}
    aliases: defaultdict[str, list[str]] = defaultdict(list)
    for alias in content.aliases:
        if alias.kind in ALIAS_KINDS:
            aliases[alias.entity].append(alias.text)
    by_url: defaultdict[str, list[NamedEntity]] = defaultdict(list)
    for entity in content.entities:
        if entity.type in MARKET_TYPES and entity.url and _url_key(entity.url) not in lists:
            names = (entity.name, *aliases[entity.id])
            by_url[entity.url].append(NamedEntity(entity.id, entity.type, names))
    return [MarketPage(url, tuple(entities)) for url, entities in by_url.items()]


def due_pages(
    pages: Iterable[MarketPage], visits: Mapping[str, Visit], findings: Iterable[Finding], today: date, days: int
) -> list[MarketPage]:
    """Return the pages not visited within `days`, or not today if the last visit was inconclusive."""
    checked = {(finding.entity, finding.address): date.fromisoformat(finding.checked) for finding in findings}

    def is_due(page: MarketPage) -> bool:
        visit = visits.get(page.url)
        if visit is None:
            dates = [checked.get((entity.id, page.url)) for entity in page.entities]
            return any(day is None or (today - day).days >= days for day in dates)
        if visit.fingerprint != page.fingerprint:
            return True
        age = (today - date.fromisoformat(visit.day)).days
        is_conclusive = any(rule not in INCONCLUSIVE_RULES for rule in visit.rules.values())
        return age >= (days if is_conclusive else min(days, 1))

    return list(filter(is_due, pages))


def visit_from_result(page: MarketPage, result: VisitResult, last_visit: Visit | None, today: date) -> Visit:
    """Decide which rule applies to each entity of the page."""
    if result.unchanged and last_visit:
        return replace(last_visit, day=today.isoformat(), evidence=result.evidence)
    rules = {
        entity.id: result.rule or (decide(result.page, entity.names, entity.type) if result.page else "no-answer")
        for entity in page.entities
    }
    etag, modified = (result.validators.etag, result.validators.modified) if result.validators else ("", "")
    return Visit(page.url, today.isoformat(), page.fingerprint, rules, result.evidence, etag, modified)


def merge_findings(content: Content, visits: Mapping[str, Visit]) -> list[Finding]:
    """Return the findings after these visits: newer ones replace older ones unless they are inconclusive."""
    findings = {finding.entity: finding for finding in current_findings(content)}
    for page in market_pages(content):
        visit = visits.get(page.url)
        if visit is None or visit.fingerprint != page.fingerprint:
            continue
        for entity, rule in visit.rules.items():
            finding = Finding(entity, MARKET_RULES[rule].status, visit.day, rule, visit.url, visit.evidence)
            if _replaces(finding, findings.get(entity)):
                findings[entity] = finding
    return sorted(findings.values(), key=lambda finding: finding.entity)


def current_findings(content: Content) -> list[Finding]:
    """Return the findings about the current address of their entity."""
    addresses = {entity.id: entity.url for entity in content.entities if entity.type in MARKET_TYPES}
    return [finding for finding in content.findings if addresses.get(finding.entity) == finding.address]


def mark_stale(content: Content, today: date, days: int) -> Content:
    """Return the content with current findings only, those older than `days` marked as stale."""
    cutoff = freshness_cutoff(today, days)
    note = f"That was more than {days} days before this release was built."
    findings = current_findings(content)
    marked = (finding._replace(stale=note) if finding.checked < cutoff else finding for finding in findings)
    return replace(content, findings=tuple(marked))


def freshness_cutoff(today: date, days: int) -> str:
    """Return the oldest ISO date that is not stale."""
    return (today - timedelta(days=days)).isoformat()


def findings_csv(findings: Iterable[Finding]) -> bytes:
    """Return the bytes of `market.csv`."""
    return csv_bytes([COLUMNS, *([getattr(finding, name) for name in COLUMNS] for finding in findings)])


def _replaces(new: Finding, old: Finding | None) -> bool:
    if old is None:
        return True
    if new.checked < old.checked or (old.rule == EDITOR_RULE and new.status == "unverified"):
        return False
    return new.rule not in INCONCLUSIVE_RULES or old.rule in INCONCLUSIVE_RULES


def _url_key(url: str) -> str:
    """Return a URL without scheme, trailing slash and case, to compare it."""
    return url.partition("://")[2].rstrip("/").casefold()
