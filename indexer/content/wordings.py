"""Rows of how people describe entities and guides without their names."""

from typing import NamedTuple


class Wording(NamedTuple):
    """How people describe an entity, a full id, without its name."""

    entity: str
    words: tuple[str, ...]
    sources: tuple[str, ...]


class GuideWording(NamedTuple):
    """How people describe the topic of a guide without its names."""

    guide: str
    words: tuple[str, ...]
