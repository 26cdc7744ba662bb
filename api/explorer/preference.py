"""Whether a caller wants a page or data, from its `Accept` header. Pure."""

from __future__ import annotations

PAGE, DATA = "text/html", "application/json"


def wants_page(accept: str) -> bool:
    """Whether HTML is named, and comes before JSON; who names both as equals gets JSON.

    Browsers name HTML and take the rest as well. Programs that take anything (`*/*`) get JSON.
    """
    if PAGE not in accept.lower():  # programs name no page
        return False
    named = dict(_weighed(part) for part in accept.lower().split(","))
    return named.get(PAGE, 0.0) > named.get(DATA, 0.0)


def _weighed(part: str) -> tuple[str, float]:
    kind, *parameters = (one.strip() for one in part.split(";"))
    quality = next((one[2:] for one in parameters if one.startswith("q=")), "1")
    try:
        return kind, float(quality)
    except ValueError:
        return kind, 0.0
