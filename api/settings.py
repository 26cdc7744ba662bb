"""Settings from the environment: frozen, typed, and an unknown `AKG_` name stops the start."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "AKG_"
LOOPBACK = frozenset(("localhost", "127.0.0.1", "[::1]"))
ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s]+")
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
    opensearch_client_cert: Path | None = Field(
        default=None, description="Certificate file with which we show who we are to an https engine, PEM."
    )
    opensearch_client_key: Path | None = Field(
        default=None, description="Its private key, PEM without a passphrase. Empty: it stands in the same file."
    )
    alias: str = Field(
        default="akg-entities",
        pattern=r"^[a-z][a-z0-9-]{0,60}$",
        description="Name of the published graph in the engine; several services can share one cluster.",
    )
    index_shards: int = Field(default=1, ge=1, le=64, description="Primary shards of a release that is built.")
    index_replicas: str = Field(
        default="0-2",
        pattern=r"^(0|[1-9]\d?)(-([1-9]\d?|all))?$",
        description="Copies of each shard of a release that is built or restored: a number, or a range that follows "
        "the number of nodes.",
    )
    snapshot_repository: str = Field(
        default="akg", pattern=r"^[a-z][a-z0-9_-]{0,60}$", description="The engine's name for where snapshots are."
    )
    snapshot_location: str = Field(
        default="",
        pattern=r"^$|^s3://[a-z0-9.-]+(/\S*)?$|^[^\s:][^:]*$",
        description="Where that is: a folder in `path.repo` of the nodes, or `s3://bucket/path`. Empty: as the engine "
        "knows that name, else the folder `akg`.",
    )
    host: str = Field(default="127.0.0.1", description="Address the service listens on.")
    port: int = Field(default=8080, ge=0, le=65535, description="Port the service listens on; 0 takes any free one.")
    deadline_seconds: float = Field(
        default=2.0, gt=0, le=60, description="Longest time one request may take, retry included."
    )
    concurrency: int = Field(default=32, ge=1, le=10_000, description="Requests that one worker works on at once.")
    queue: int = Field(default=64, ge=0, le=10_000, description="Requests that may wait for a place; more get a 503.")
    queue_seconds: float = Field(default=0.5, gt=0, le=60, description="Longest time a request waits for a place.")
    answers_bytes: int = Field(
        default=32_000_000,
        ge=0,
        description="Memory for answers that may be given again; 0: none are, nor stale ones.",
    )
    stale_seconds: int = Field(
        default=600, ge=0, description="How old an answer may be that stands in while the engine is away; 0: none does."
    )
    release_check_seconds: float = Field(
        default=1.0, gt=0, le=3600, description="How often the service looks whether another release is live."
    )
    cache_seconds: int = Field(default=300, ge=0, description="`max-age` of cacheable answers.")
    body_limit_bytes: int = Field(default=65_536, ge=1024, description="Largest request body that is read.")
    public_url: str = Field(
        default="",
        pattern=r"^$|^https?://[^/\s]+(/[^\s]*[^/\s])?$",
        description="Address under which callers reach the service, for links that leave it. Empty: the one they used.",
    )
    allowed_origins: tuple[str, ...] = Field(
        default=(), description="Web origins whose pages may call, several separated by commas. Empty: all."
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Host names that the MCP connector answers to, several separated by commas. Empty: all, but only "
        "this machine's own names while `AKG_HOST` is one of them.",
    )
    mcp_body_limit_bytes: int = Field(
        default=262_144, ge=1024, description="Largest request body that the MCP connector reads."
    )
    url_limit_bytes: int = Field(default=8_192, ge=1024, description="Longest path and query that are read.")
    header_limit_bytes: int = Field(default=16_384, ge=1024, description="Largest headers that are read, all together.")
    client_seconds: float = Field(
        default=10.0, gt=0, le=600, description="Longest time a client may take to send a request's head, and its body."
    )
    idle_seconds: int = Field(
        default=15, ge=1, le=600, description="How long a connection stays open for the next request."
    )
    connections: int = Field(
        default=1_000, ge=1, description="Open connections per worker; beyond, idle and slow ones give way."
    )
    drain_seconds: float = Field(
        default=3.0,
        ge=0,
        le=600,
        description="How long after SIGTERM requests are still taken, while `/readyz` is 503.",
    )
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
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="`debug`, `info`, `warning` or `error`. Only `debug` has a line for every request."
    )
    usage_months: int = Field(
        default=13,
        ge=0,
        le=120,
        description="Months for which counts of usage are kept, this one included; 0: none are.",
    )
    usage_index: str = Field(
        default="akg-usage",
        pattern=r"^[a-z][a-z0-9-]{0,60}$",
        description="First part of the names of the indices that hold them.",
    )
    admin_host: str = Field(default="127.0.0.1", description="Address on which `/metrics` answers.")
    admin_port: int = Field(default=0, ge=0, le=65535, description="Port of `/metrics`, for Prometheus; 0: none.")
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

    @field_validator("opensearch_url", "allowed_origins", "allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("allowed_origins")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is no web origin; one looks like https://example.org, without a path")
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if "/" in host or (":" in host and not host.startswith("[")):
                raise ValueError(f"{host!r} is no host name; one looks like example.org, without scheme and port")
        return tuple(host.lower() for host in value)

    @field_validator("opensearch_ca_file", "opensearch_client_cert", "opensearch_client_key")
    @classmethod
    def _there(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_file():
            raise ValueError(f"there is no file {value}")
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

    @model_validator(mode="after")
    def _key_of_certificate(self) -> Self:
        if self.opensearch_client_key and not self.opensearch_client_cert:
            raise ValueError("AKG_OPENSEARCH_CLIENT_KEY needs AKG_OPENSEARCH_CLIENT_CERT, the certificate of that key")
        return self

    @property
    def engine_urls(self) -> tuple[str, ...]:
        """The engine's addresses; the local node's default where none is set."""
        return self.opensearch_url or (LOCAL_NODE,)

    @property
    def connector_hosts(self) -> frozenset[str]:
        """Host names that the MCP connector answers to, in lower case; none means any.

        A service that only this machine can reach answers to this machine's names alone, so that a web page cannot
        reach it by a name of its own that leads here.
        """
        local = self.host == "::1" or self.host in LOOPBACK or self.host.startswith("127.")
        named = frozenset(self.allowed_hosts) or (LOOPBACK | {self.host.lower()} if local else frozenset())
        public = urlsplit(self.public_url).hostname
        return named | {public} if named and public else named


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
        lines = [
            f"{PREFIX}{'_'.join(map(str, one['loc'])).upper()}: {one['msg']}" if one["loc"] else one["msg"]
            for one in error.errors()
        ]
        raise SettingsError("; ".join(lines)) from None
