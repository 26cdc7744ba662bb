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
    release_check_seconds: float = Field(
        default=1.0, gt=0, le=3600, description="How often the service looks whether another release is live."
    )
    cache_seconds: int = Field(default=300, ge=0, description="`max-age` of cacheable answers.")
    body_limit_bytes: int = Field(default=65_536, ge=1024, description="Largest request body that is read.")
    engine_connections: int = Field(default=32, ge=1, description="Connections to OpenSearch per worker.")
    notice_url: str = Field(
        default="https://askjan.org/", description="Where the notice in every answer sends people for advice."
    )
    content: Path | None = Field(
        default=None, description="Content folder to build from. Empty: the one that is shipped."
    )
    mappings: Path | None = Field(default=None, description="Mappings folder. Empty: the one that is shipped.")
    data: Path = Field(default=Path(".akg"), description="Folder of the local node's data and logs.")
    imports: Path | None = Field(
        default=None, description="Folder of imports that every build joins. Empty: `imports` in `AKG_DATA`."
    )
    market_stale_days: int = Field(
        default=180, ge=1, description="Days after which a market verification counts as stale, and says so."
    )
    market_contact: str = Field(
        default="",
        pattern=r"^[!-'*-~ ]{0,200}$",
        description="Address or e-mail that `akg market verify` shows to the sites it visits.",
    )
    cache: Path | None = Field(
        default=None, description="Folder of downloaded engines, shared. Empty: the user's cache."
    )

    @field_validator("opensearch_url", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
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


def imports_folder(settings: Settings) -> Path:
    """The folder of imports: the set one, else the one in the data folder."""
    return settings.imports or settings.data / "imports"


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
