"""What sets goods made for everybody apart from what was made for accommodation. Pure."""

from __future__ import annotations

from typing import Any

Body = dict[str, Any]

FAMILIES = ("assistive", "protective", "ergonomic", "mainstream")  # every product is of one of these
EVERYBODYS = ("mainstream",)
NOT_MADE_FOR_IT: Body = {"terms": {"family": [*EVERYBODYS, "protective", "ergonomic"]}}
MAINSTREAM: Body = {"terms": {"family": list(EVERYBODYS)}}


def made_for_it(query: Body) -> Body:
    """What matches among all else: the name of goods says no more than another name of a solution ("alarm clock")."""
    return {"bool": {"must": query, "must_not": NOT_MADE_FOR_IT}}
