"""Models of guides to process words."""

from typing import Literal

from pydantic import Field

from api.models.response import Model, Page, Response

GuideKind = Literal["process", "rights", "school", "support", "pointer", "crisis"]


class GuideLink(Model):
    """An official page about the topic."""

    title: str = Field(description="Its title.")
    publisher: str = Field(description="Who publishes it.")
    url: str = Field(description="Its address.")


class GuideCard(Model):
    """A guide beside results."""

    id: str = Field(description="Its id.")
    title: str = Field(description="Its title.")
    kind: GuideKind = Field(description="What it is about.")
    country: str = Field(description="The country that it speaks of.")
    links: list[GuideLink] = Field(description="Official pages.")
    url: str = Field(description="Its address.")
    about: str = Field(description="That it is information about a country, not legal advice.")
    summary: str = Field(description="Its first sentence; in a crisis all of its text.")


class GuidePage(Page):
    """All guides, by title."""

    results: list[GuideCard] = Field(description="The guides.")


class GuideRecord(Response, GuideCard):
    """A guide with its text, the words that people type for it, and the entities that it is about."""

    text: str = Field(description="Its sentences.")
    checked: str = Field(description="The date on which its pages were read.")
    names: list[str] = Field(description="What people type for it.")
    entities: list[str] = Field(description="Ids of entities that it is about.")
