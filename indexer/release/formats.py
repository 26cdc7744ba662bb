"""Releases of other formats behind the same AKG_ALIAS: finds them, and says who reads and deletes them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from opensearchpy import OpenSearch

from schema.release_names import FORMAT_VERSION, format_of_index


def indices_by_format(client: OpenSearch, alias: str) -> dict[int, list[str]]:
    """Return every index that is named like a release of this AKG_ALIAS, closed ones included, by format."""
    existing = client.indices.get_alias(index=f"{alias}-*", params={"expand_wildcards": "all"})
    by_format: defaultdict[int, list[str]] = defaultdict(list)
    for index in sorted(existing):
        if (format_version := format_of_index(alias, index)) is not None:
            by_format[format_version].append(index)
    return dict(sorted(by_format.items()))


def wrong_format(subject: str, format_version: int) -> str:
    """Return the message about a release of another format; `subject` names it."""
    return (
        f"{subject} has format {format_version}; this program reads format {FORMAT_VERSION}. Use the version of the "
        "program that wrote it, or build a release with `akg index build`."
    )


def no_live_release(others: Iterable[int]) -> str:
    """Return the message that no release of this format is live, with the formats of other releases."""
    numbers = ", ".join(map(str, others))
    hint = f"This program reads format {FORMAT_VERSION}, and there are only releases of format {numbers}. "
    return f"No release is live. {hint if numbers else ''}Build one with `akg index build`."


def no_earlier_release(others: Iterable[int]) -> str:
    """Return the message that there is nothing to roll back to, with the formats of other releases."""
    numbers = ", ".join(map(str, others))
    hint = (
        f" Releases of format {numbers} are read by other versions of the service: run one of these to return to them."
    )
    return f"There is no earlier complete release to roll back to.{hint if numbers else ''}"


def other_formats_notice(formats: Mapping[int, Sequence[str]]) -> str:
    """Return which releases of other formats there are; an empty string for none."""
    if not formats:
        return ""
    counts = ", ".join(f"{len(indices)} of format {number}" for number, indices in formats.items())
    return (
        f"Releases of other formats, which this program does not change: {counts}. Once no service of that version "
        f"runs, `akg index prune --format {next(iter(formats))}` deletes them."
    )
