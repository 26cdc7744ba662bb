"""Names of releases: the index alias and the indices behind it, which carry the format of their documents.

The index alias of format 1 is `akg-entities-f1`, its indices are `akg-entities-f1-20260101t000000z`; `akg-entities` is
AKG_ALIAS. Releases of version 0.1.0 have format 0, and no format in their names (docs/decisions/0015 says why).
"""

import re

# Of documents, mapping and `_meta`. Raise it when a service of the version before could not read a new release.
FORMAT_VERSION = 5
SUPPORTED_OPENSEARCH = (3,)  # major versions
TIME_FORMAT = "%Y%m%dt%H%M%Sz"  # sorts by time; OpenSearch requires lower case
TIME = re.compile(r"\d{8}t\d{6}z")


def index_alias(alias: str, format_version: int = FORMAT_VERSION) -> str:
    """Return the index alias of the releases of one format; `alias` is AKG_ALIAS."""
    return f"{alias}-f{format_version}" if format_version else alias


def format_of_alias(alias: str, name: str) -> int | None:
    """Return the format of an index alias; None if it is not one of AKG_ALIAS."""
    match = re.fullmatch(rf"{re.escape(alias)}(?:-f([1-9]\d*))?", name)
    return int(match[1] or 0) if match else None


def format_of_index(alias: str, index: str) -> int | None:
    """Return the format of an index; None if it is not named like a release of AKG_ALIAS."""
    name, _, time = index.rpartition("-")
    return format_of_alias(alias, name) if TIME.fullmatch(time) else None
