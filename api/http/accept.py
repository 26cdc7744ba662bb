"""Decides between HTML and JSON by the `Accept` header. Pure."""

from __future__ import annotations

HTML, JSON = "text/html", "application/json"


def prefers_html(accept: str) -> bool:
    """Return whether the header names HTML and prefers it to JSON; at equal quality, JSON wins.

    Browsers name HTML and accept anything else as well. Programs that accept anything (`*/*`) get JSON.
    """
    if HTML not in accept.lower():
        return False
    qualities = dict(_parse(part) for part in accept.lower().split(","))
    return qualities.get(HTML, 0.0) > qualities.get(JSON, 0.0)


def _parse(part: str) -> tuple[str, float]:
    media_type, *parameters = (item.strip() for item in part.split(";"))
    quality = next((parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1")
    try:
        return media_type, float(quality)
    except ValueError:
        return media_type, 0.0
