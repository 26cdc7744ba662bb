"""Models of guides to process words."""

from typing import Literal

from pydantic import Field

from api.models.response import Model, Page, Response

GuideKind = Literal["process", "rights", "school", "support", "pointer", "crisis"]


class GuideLink(Model):
    """An official page about the topic."""

    title: str
    publisher: str
    url: str


class GuideCard(Model):
    """A guide beside results."""

    id: str
    title: str
    kind: GuideKind
    country: str = Field(description="The country that it speaks of.")
    links: list[GuideLink]
    url: str
    about: str = Field(description="That it is information about a country, not legal advice.")
    summary: str = Field(description="Its first sentence; in a crisis all of its text.")


class GuidePage(Page):
    """All guides, by title."""

    results: list[GuideCard]


class GuideRecord(Response, GuideCard):
    """A guide with its text, the words that people type for it, and the entities that it is about."""

    text: str
    checked: str = Field(description="ISO date on which its pages were read.")
    names: list[str]
    entities: list[str]
