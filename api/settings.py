"""Settings from `AKG_*` environment variables. An unknown name or an invalid value is an error."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from schema.errors import WRONG_USAGE, AkgError
from schema.release_names import FORMAT_VERSION, index_alias
from schema.text import nearest

PREFIX = "AKG_"
LOOPBACK = frozenset(("localhost", "127.0.0.1", "[::1]"))
ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s]+")
LOCAL_NODE = "http://127.0.0.1:9200"
MAX_RATE = 60_000
REDIS_SCHEMES = ("redis://", "rediss://", "redis+sentinel://", "redis+cluster://")


class SettingsError(AkgError):
    """The environment holds an unknown setting or an invalid value."""

    exit_code = WRONG_USAGE


class Settings(BaseModel):
    """All settings of the service and of the commands. Each field is the variable `AKG_<NAME>`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    format_version: ClassVar[int] = FORMAT_VERSION  # not a setting: a program reads one format

    opensearch_url: tuple[str, ...] = Field(
        (), description="OpenSearch to use, several separated by commas. Empty: the local node of this folder."
    )
    opensearch_user: str = Field("", description="User name for OpenSearch.")
    opensearch_password: SecretStr = Field(SecretStr(""), description="Password for OpenSearch.")
    opensearch_ca_file: Path | None = Field(None, description="Certificate authority file for OpenSearch over https.")
    opensearch_client_cert: Path | None = Field(
        None, description="Client certificate file for OpenSearch over https, PEM."
    )
    opensearch_client_key: Path | None = Field(
        None,
        description="Private key of the client certificate, PEM without a passphrase. Empty: in the same file.",
    )
    alias: str = Field(
        "akg-entities",
        pattern=r"^[a-z][a-z0-9-]{0,60}$",
        description="Name of the published graph, with which the index alias and the names of its indices begin; "
        "several services can share one cluster. It must not end in `-aside`.",
    )
    index_shards: int = Field(1, ge=1, le=64, description="Primary shards of a new release.")
    index_replicas: str = Field(
        "0-2",
        pattern=r"^(0|[1-9]\d?)(-([1-9]\d?|all))?$",
        description="Replicas of each shard of a release that is built or restored: a number, or a range that "
        "follows the number of nodes.",
    )
    max_loss: float = Field(
        0.1,
        ge=0,
        le=1,
        description="Share of the entities of a type, or of the edges of a name, that a new release may lose. A build "
        "or restore that loses more, or a whole type, stops unless `--allow-loss` is given.",
    )
    snapshot_repository: str = Field(
        "akg", pattern=r"^[a-z][a-z0-9_-]{0,60}$", description="Name of the snapshot repository in OpenSearch."
    )
    snapshot_location: str = Field(
        "",
        pattern=r"^$|^s3://[a-z0-9.-]+(/\S*)?$|^[^\s:][^:]*$",
        description="Location of the repository: a folder in `path.repo` of the nodes, or `s3://bucket/path`. Empty: "
        "the registered repository of that name, else the folder `akg`.",
    )
    host: str = Field("127.0.0.1", description="Address the service listens on.")
    port: int = Field(8080, ge=0, le=65535, description="Port the service listens on; 0 takes any free one.")
    deadline_seconds: float = Field(2.0, gt=0, le=60, description="Maximum duration of one request, including a retry.")
    concurrency: int = Field(32, ge=1, le=10_000, description="Concurrent requests per worker.")
    queue_size: int = Field(64, ge=0, le=10_000, description="Requests that may queue; further requests get 503.")
    queue_seconds: float = Field(0.5, gt=0, le=60, description="Maximum time that a request waits in the queue.")
    response_cache_bytes: int = Field(
        32_000_000,
        ge=0,
        description="Size of the response cache. 0: no cache, and no stale responses.",
    )
    stale_seconds: int = Field(
        600, ge=0, description="Maximum age of stale responses while OpenSearch is unavailable. 0: none."
    )
    release_check_seconds: float = Field(
        0.1, gt=0, le=3600, description="How often the service checks which release is live."
    )
    cache_seconds: int = Field(300, ge=0, description="`max-age` of cacheable responses.")
    body_limit_bytes: int = Field(65_536, ge=1024, description="Maximum request body.")
    public_url: str = Field(
        "",
        pattern=r"^$|^https?://[^/\s]+(/[^\s]*[^/\s])?$",
        description="Public base URL of the service, for absolute links. Empty: `http://`, `AKG_HOST` and "
        "`AKG_PORT`, in examples and MCP results only.",
    )
    allowed_origins: tuple[str, ...] = Field(
        (), description="Web origins that may call (CORS), several separated by commas. Empty: all."
    )
    allowed_hosts: tuple[str, ...] = Field(
        (),
        description="Host names at which `/mcp` accepts requests, several separated by commas. Empty: all, but only "
        "this machine's names while `AKG_HOST` is one of them.",
    )
    mcp_body_limit_bytes: int = Field(262_144, ge=1024, description="Maximum request body of `/mcp`.")
    url_limit_bytes: int = Field(8_192, ge=1024, description="Maximum length of path and query together.")
    client_timeout_seconds: float = Field(
        10.0, gt=0, le=600, description="Maximum time in which the body of a request must arrive."
    )
    idle_seconds: int = Field(15, ge=1, le=600, description="How long an idle connection stays open.")
    drain_seconds: float = Field(
        3.0,
        ge=0,
        le=600,
        description="How long the service accepts requests after SIGTERM, while `/readyz` returns 503.",
    )
    rate_limit: int = Field(100, ge=0, le=MAX_RATE, description="Requests per minute and client; 0: no limits.")
    rate_limit_suggest: int = Field(
        300, ge=0, le=MAX_RATE, description="The same for `/suggest`, counted separately; 0: no limit."
    )
    rate_limit_mcp: int = Field(
        1200, ge=0, le=MAX_RATE, description="The same for `/mcp`, counted separately; 0: no limit."
    )
    rate_burst_seconds: float = Field(
        60.0,
        ge=1,
        le=3600,
        description="Window of the limits: a client may send all requests of a window at once.",
    )
    rate_limit_url: SecretStr = Field(
        SecretStr(""),
        description="Redis that shares the limits among workers and machines. Empty: each worker counts by itself.",
    )
    trusted_proxies: int = Field(
        0, ge=0, le=16, description="Number of your own reverse proxies between client and service."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="`debug`, `info`, `warning` or `error`. Only `debug` logs every request."
    )
    usage_months: int = Field(
        13,
        ge=0,
        le=120,
        description="Months for which usage counts are stored, including the current one; 0: none.",
    )
    usage_index: str = Field(
        "akg-usage",
        pattern=r"^[a-z][a-z0-9-]{0,60}$",
        description="Prefix of the names of the usage indices.",
    )
    edge_counts: str = Field(
        "",
        pattern=r"^$|^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):\d{1,5}$",
        description="Address, `host:port`, at which the service receives by UDP which responses the edge sent from its "
        "cache, to count them. Empty: none.",
    )
    admin_host: str = Field("127.0.0.1", description="Address of `/metrics`.")
    admin_port: int = Field(0, ge=0, le=65535, description="Port of `/metrics`, for Prometheus; 0: none.")
    engine_connections: int = Field(32, ge=1, description="Connections to OpenSearch per worker.")
    notice_url: str = Field("https://askjan.org/", description="Link to advice in the notice of every response.")
    contact_url: str = Field(
        "",
        pattern=r"^(https?://\S+|mailto:\S+)?$",
        description="Link for reporting a mistake in a caution or any other row. Empty: none.",
    )
    content: Path | None = Field(None, description="Content folder to build from. Empty: the shipped one.")
    overlays: tuple[Path, ...] = Field(
        (),
        description="Folders of overlays, several separated by commas, which every build adds to content and imports, "
        "in this order. Of two that change the same name or text, the later one wins.",
    )
    mappings: Path | None = Field(None, description="Mappings folder. Empty: the shipped one.")
    site: Path | None = Field(
        None,
        description="Folder of the built documentation, served at `/docs/`. Empty: what `make docs` built, if it did.",
    )
    data: Path = Field(
        Path(".akg"), description="Folder for data and logs of the local node, and for the history of `akg eval`."
    )
    imports: Path | None = Field(
        None, description="Folder of imports that every build includes. Empty: `imports` in `AKG_DATA`."
    )
    market_stale_days: int = Field(180, ge=1, description="Days after which a market verification is marked as stale.")
    market_contact: str = Field(
        "",
        pattern=r"^[!-'*-~ ]{0,200}$",
        description="URL or e-mail address that `akg market verify` sends to the sites it visits.",
    )
    cache: Path | None = Field(None, description="Shared folder of OpenSearch downloads. Empty: the user's cache.")

    @field_validator("opensearch_url", "allowed_origins", "allowed_hosts", "overlays", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("alias")
    @classmethod
    def _is_no_staging_name(cls, value: str) -> str:
        if value.endswith("-aside"):
            raise ValueError("give a name that does not end in -aside; a restore uses such names for a while")
        return value

    @field_validator("allowed_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is not a web origin such as https://example.org, without a path")
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _are_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if "/" in host or (":" in host and not host.startswith("[")):
                raise ValueError(f"{host!r} is not a host name such as example.org, without scheme and port")
        return tuple(host.lower() for host in value)

    @field_validator("opensearch_ca_file", "opensearch_client_cert", "opensearch_client_key")
    @classmethod
    def _exists(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_file():
            raise ValueError(f"the file {value} does not exist")
        return value

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _is_number(cls, value: object) -> object:
        if isinstance(value, str) and not value.strip().isdigit():
            raise ValueError("give the number of proxies; clients can forge a header that is trusted by name")
        return value

    @field_validator("rate_limit_url")
    @classmethod
    def _is_redis_url(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() and not value.get_secret_value().startswith(REDIS_SCHEMES):
            raise ValueError(f"give a URL that starts with one of {', '.join(REDIS_SCHEMES)}")
        return value

    @model_validator(mode="after")
    def _key_has_certificate(self) -> Self:
        if self.opensearch_client_key and not self.opensearch_client_cert:
            raise ValueError("AKG_OPENSEARCH_CLIENT_KEY needs AKG_OPENSEARCH_CLIENT_CERT, its certificate")
        return self

    @property
    def index_alias(self) -> str:
        """Index alias of the releases that this version reads and writes."""
        return index_alias(self.alias, self.format_version)

    @property
    def engine_urls(self) -> tuple[str, ...]:
        """URLs of OpenSearch; the default of the local node if none is set."""
        return self.opensearch_url or (LOCAL_NODE,)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host == "::1" or self.host in LOOPBACK or self.host.startswith("127.")

    @property
    def connector_hosts(self) -> frozenset[str]:
        """Host names at which `/mcp` accepts requests, in lower case; empty means any.

        A service that only this machine can reach accepts only this machine's names, so that no web page can reach it
        by a domain that resolves to this machine (DNS rebinding).
        """
        names = frozenset(self.allowed_hosts) or (LOOPBACK | {self.host.lower()} if self.is_local else frozenset())
        public = urlsplit(self.public_url).hostname
        return names | {public} if names and public else names

    @property
    def base_url(self) -> str:
        """Base URL of absolute links. Never the `Host` of a request: caches would share what one client made up."""
        names = {"0.0.0.0": "localhost", "::": "localhost"}  # noqa: S104 - compared, not listened on
        host = names.get(self.host, f"[{self.host}]" if ":" in self.host else self.host)
        return self.public_url or f"http://{host}:{self.port}"


SHIPPED_ROOT = Path(__file__).resolve().parent.parent


def mappings_folder(settings: Settings) -> Path:
    """Return the mappings folder: that of the settings, else the shipped one."""
    return settings.mappings or SHIPPED_ROOT / "mappings"


def content_folder(settings: Settings) -> Path:
    """Return the content folder: that of the settings, else the shipped one."""
    return settings.content or SHIPPED_ROOT / "content"


def imports_folder(settings: Settings) -> Path:
    """Return the folder of imports: that of the settings, else the one in the data folder."""
    return settings.imports or settings.data / "imports"


def overlay_folders(settings: Settings) -> tuple[Path, ...]:
    """Return the folders of the overlays in order; raise SettingsError if one is missing or named twice."""
    folders = settings.overlays
    for position, folder in enumerate(folders):
        if not folder.is_dir():
            raise SettingsError(
                f"AKG_OVERLAYS: there is no folder {folder}. Correct the path, or take it out of the setting."
            )
        if folder.resolve() in (earlier.resolve() for earlier in folders[:position]):
            raise SettingsError(f"AKG_OVERLAYS: {folder} is named twice. Take one out.")
    return folders


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read the environment; raise SettingsError with the nearest valid name or the invalid value."""
    known = {f"{PREFIX}{name.upper()}": name for name in Settings.model_fields}
    values = {name: value for name, value in environment.items() if name.upper().startswith(PREFIX)}
    for name in values:
        if name not in known:
            suggestion = nearest(name, list(known), cutoff=0)
            raise SettingsError(
                f"Unknown setting {name}; did you mean {suggestion}? All settings: {', '.join(sorted(known))}"
            )
    try:
        return Settings.model_validate({known[name]: value for name, value in values.items() if value != ""})
    except ValidationError as error:
        lines = []
        for problem in error.errors():
            name = "_".join(map(str, problem["loc"])).upper()
            lines.append(f"{PREFIX}{name}: {problem['msg']}" if name else problem["msg"])
        raise SettingsError("; ".join(lines)) from None
