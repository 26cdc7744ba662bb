"""Settings from the environment: frozen, typed, and an unknown `AKG_` name stops the start."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "AKG_"
LOCAL_NODE = "http://127.0.0.1:9200"
MOST_PER_MINUTE = 60_000
REDIS = ("redis://", "rediss://", "redis+sentinel://", "redis+cluster://")


class SettingsError(Exception):
    """The environment holds a setting that does not exist or a value that does not fit."""


class Settings(BaseModel):
    """All settings of the service and of the commands. Each field is the variable `AKG_<NAME>`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    opensearch_url: tuple[str, ...] = Field(
        default=(), description="OpenSearch to use, several separated by commas. Empty: the local node of this folder."
    )
    opensearch_user: str = Field(default="", description="User name for OpenSearch.")
    opensearch_password: SecretStr = Field(default=SecretStr(""), description="Password for OpenSearch.")
    opensearch_ca_file: Path | None = Field(default=None, description="Certificate authority file for an https engine.")
    alias: str = Field(
        default="akg-entities",
        pattern=r"^[a-z][a-z0-9-]{0,60}$",
        description="Name of the published graph in the engine; several services can share one cluster.",
    )
    host: str = Field(default="127.0.0.1", description="Address the service listens on.")
    port: int = Field(default=8080, ge=0, le=65535, description="Port the service listens on; 0 takes any free one.")
    deadline_seconds: float = Field(
        default=2.0, gt=0, le=60, description="Longest time one request may take, retry included."
    )
    concurrency: int = Field(default=32, ge=1, le=10_000, description="Requests that one worker works on at once.")
    queue: int = Field(default=64, ge=0, le=10_000, description="Requests that may wait for a place; more get a 503.")
    queue_seconds: float = Field(default=0.5, gt=0, le=60, description="Longest time a request waits for a place.")
    stale_seconds: int = Field(
        default=600, ge=0, description="How old an answer may be that stands in while the engine is away; 0: none does."
    )
    release_check_seconds: float = Field(
        default=1.0, gt=0, le=3600, description="How often the service looks whether another release is live."
    )
    cache_seconds: int = Field(default=300, ge=0, description="`max-age` of cacheable answers.")
    body_limit_bytes: int = Field(default=65_536, ge=1024, description="Largest request body that is read.")
    rate_limit: int = Field(
        default=100, ge=0, le=MOST_PER_MINUTE, description="Requests per minute that one client may make; 0: no limits."
    )
    rate_limit_suggest: int = Field(
        default=300, ge=0, le=MOST_PER_MINUTE, description="The same for `/suggest`, on its own account; 0: no limit."
    )
    rate_limit_mcp: int = Field(
        default=1200, ge=0, le=MOST_PER_MINUTE, description="The same for `/mcp`, on its own account; 0: no limit."
    )
    rate_burst_seconds: float = Field(
        default=60.0, ge=1, le=3600, description="How many seconds' worth of requests a client may make at once."
    )
    rate_limit_url: SecretStr = Field(
        default=SecretStr(""),
        description="Redis that shares the limits among workers and machines. Empty: each counts for itself.",
    )
    trusted_proxies: int = Field(
        default=0, ge=0, le=16, description="Proxies of your own that stand in front, one behind the other."
    )
    engine_connections: int = Field(default=32, ge=1, description="Connections to OpenSearch per worker.")
    notice_url: str = Field(
        default="https://askjan.org/", description="Where the notice in every answer sends people for advice."
    )
    content: Path | None = Field(
        default=None, description="Content folder to build from. Empty: the one that is shipped."
    )
    mappings: Path | None = Field(default=None, description="Mappings folder. Empty: the one that is shipped.")
    data: Path = Field(default=Path(".akg"), description="Folder of the local node's data and logs.")
    cache: Path | None = Field(
        default=None, description="Folder of downloaded engines, shared. Empty: the user's cache."
    )

    @field_validator("opensearch_url", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _counted(cls, value: object) -> object:
        if isinstance(value, str) and not value.strip().isdigit():
            raise ValueError("give the number of proxies; whoever trusts '*' or a list of names can be lied to")
        return value

    @field_validator("rate_limit_url")
    @classmethod
    def _redis(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() and not value.get_secret_value().startswith(REDIS):
            raise ValueError(f"give an address that begins with one of {', '.join(REDIS)}")
        return value

    @property
    def engine_urls(self) -> tuple[str, ...]:
        """The engine's addresses; the local node's default where none is set."""
        return self.opensearch_url or (LOCAL_NODE,)


SHIPPED = Path(__file__).resolve().parent.parent


def mappings_folder(settings: Settings) -> Path:
    """The mappings folder: the set one, else the one beside this package."""
    return settings.mappings or SHIPPED / "mappings"


def content_folder(settings: Settings) -> Path:
    """The content folder: the set one, else the one beside this package."""
    return settings.content or SHIPPED / "content"


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read the given environment; raise SettingsError naming the nearest real setting or the bad value."""
    known = {f"{PREFIX}{name.upper()}": name for name in Settings.model_fields}
    given = {name: value for name, value in environment.items() if name.upper().startswith(PREFIX)}
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0.0)
            raise SettingsError(f"Unknown setting {name}; nearest: {near[0]}. All settings: {', '.join(sorted(known))}")
    try:
        return Settings.model_validate({known[name]: value for name, value in given.items() if value != ""})
    except ValidationError as error:
        lines = [f"{PREFIX}{'_'.join(map(str, one['loc'])).upper()}: {one['msg']}" for one in error.errors()]
        raise SettingsError("; ".join(lines)) from None
