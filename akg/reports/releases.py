"""Reports about releases."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from akg.reports.report import Report
from indexer.release.changes import Changes


class ReleaseRow(Report):
    """One complete release."""

    release: str = Field(description="Name of its index.")
    live: bool = Field(description="Whether the index alias points at it.")
    released: str = Field(description="Time of its publication, UTC.")
    data_version: str = Field(description="Version of the tables.")
    synonyms_version: str = Field(description="Version of the synonym rules.")
    entities: int = Field(description="Number of entities.")
    edges: int = Field(description="Number of edges.")
    size_bytes: int = Field(description="Size of the index; clones share files.")


class IndexList(Report):
    """`akg index list`, and `akg index releases`."""

    releases: Sequence[ReleaseRow] = Field(description="Complete releases, newest first.")
    other_formats: dict[int, int] = Field(description="Number of releases of other document formats, by format.")


class IndexBuild(Report):
    """`akg index build`."""

    published: bool = Field(description="Whether a release was published; false if nothing changed.")
    live: str = Field(description="The release that is live now.")
    data_version: str | None = Field(description="Version of its tables; null if it could not be read.")
    synonyms_version: str | None = Field(description="Version of its synonym rules.")
    entities: int | None = Field(description="Number of its entities.")
    edges: int | None = Field(description="Number of its edges.")


class EntityChange(Report):
    """An entity that was added, changed or removed."""

    id: str = Field(description="Its id.")
    name: str = Field(description="Its name.")
    type: str = Field(description="Its type.")
    change: str = Field(description="added, changed or removed; hidden instead of removed in `akg overlay preview`.")


class EdgeChange(Report):
    """An edge that was added, changed or removed."""

    edge: str = Field(description="Its name.")
    source: str = Field(description="Id of its source.")
    target: str = Field(description="Id of its target.")
    change: str = Field(description="added, changed or removed; hidden instead of removed in `akg overlay preview`.")


def entity_changes(changes: Changes, names: Mapping[str, str]) -> list[EntityChange]:
    """Return every changed entity; `names` are the words for the kinds of changes."""
    return [
        EntityChange(id=key, name=changes.names.get(key, key), type=type_, change=names[kind])
        for type_, by_kind in changes.entities.items()
        for kind, keys in by_kind.items()
        for key in keys
    ]


def edge_changes(changes: Changes, names: Mapping[str, str]) -> list[EdgeChange]:
    """Return every changed edge; `names` are the words for the kinds of changes."""
    return [
        EdgeChange(edge=edge, source=source, target=target, change=names[kind])
        for edge, by_kind in changes.edges.items()
        for kind, keys in by_kind.items()
        for _, source, target in keys
    ]


class RuleChange(Report):
    """A synonym rule or pin that was added or removed."""

    rule: str = Field(description="The rule; of a pin, what it does, starting with `pin`.")
    file: str = Field(description="Name of its file.")
    line: int = Field(description="Number of its line, from 1.")
    change: str = Field(description="added or removed.")


class IndexDiff(Report):
    """`akg index diff`, and `akg index build --dry-run`."""

    before: str | None = Field(description="The earlier release; null if none is live.")
    after: str | None = Field(description="The later release; null for the plan of a build.")
    entities: Sequence[EntityChange] = Field(description="Every entity that changed.")
    edges: Sequence[EdgeChange] = Field(description="Every edge that changed.")
    rules: Sequence[RuleChange] = Field(description="Every synonym rule that changed.")


class IndexVerify(Report):
    """`akg index verify`."""

    release: str = Field(description="The verified release.")
    live: bool = Field(description="Whether it is live.")
    intact: bool = Field(description="Whether it has no problem; if it has, the exit code is 1.")
    problems: Sequence[str] = Field(description="Differences from what its build stored about it.")


class IndexRollback(Report):
    """`akg index rollback`."""

    live: str = Field(description="The release that is live now.")
    data_version: str = Field(description="The version of its data.")
    synonyms_version: str = Field(description="The version of its rules and pins.")
    before: str | None = Field(description="The release that was live before; null if there was none.")


class IndexPrune(Report):
    """`akg index prune`."""

    deleted: Sequence[str] = Field(description="Deleted indices.")
