"""Settings from an environment: defaults, invalid values and unknown names."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from api.settings import Settings, SettingsError, content_folder, mappings_folder, read_settings


def test_defaults_are_the_local_node_and_the_shipped_folders() -> None:
    settings = read_settings({})
    assert settings == Settings()
    assert settings.engine_urls == ("http://127.0.0.1:9200",)
    assert (settings.host, settings.port, settings.alias) == ("127.0.0.1", 8080, "akg-entities")
    assert (mappings_folder(settings) / "vocabulary.json").is_file()
    assert (content_folder(settings) / "datapackage.json").is_file()


def test_values_get_their_types() -> None:
    settings = read_settings(
        {
            "AKG_OPENSEARCH_URL": "https://one:9200, https://two:9200 ,",
            "AKG_PORT": "0",
            "AKG_DEADLINE_SECONDS": "0.25",
            "AKG_CONTENT": "/srv/content",
            "AKG_MAPPINGS": "/srv/mappings",
            "AKG_ALIAS": "staging",
        }
    )
    assert settings.engine_urls == ("https://one:9200", "https://two:9200")
    assert (settings.port, settings.deadline_seconds, settings.alias) == (0, 0.25, "staging")
    assert settings.index_alias == "staging-f5"
    assert (content_folder(settings), mappings_folder(settings)) == (Path("/srv/content"), Path("/srv/mappings"))


def test_empty_values_and_other_variables_leave_the_defaults() -> None:
    assert read_settings({"AKG_PORT": "", "AKG_CONTENT": "", "AKG_OPENSEARCH_URL": ""}) == Settings()
    assert read_settings({"PATH": "/bin", "PORT": "1", "XAKG_PORT": "2", "AKGPORT": "3"}) == Settings()


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("AKG_PROT", "AKG_PORT"),
        ("AKG_OPENSEARCH_URLS", "AKG_OPENSEARCH_URL"),
        ("AKG_DEADLINE", "AKG_DEADLINE_SECONDS"),
        ("AKG_CACHE_SECOND", "AKG_CACHE_SECONDS"),
        ("akg_host", "AKG_HOST"),
        ("akg_data", "AKG_DATA"),
    ],
)
def test_rejects_an_unknown_name_and_suggests_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(SettingsError, match=rf"^Unknown setting {name}; did you mean {nearest}\? All settings: "):
        read_settings({name: "1"})


def test_an_unknown_name_lists_all_settings() -> None:
    with pytest.raises(SettingsError) as raised:
        read_settings({"AKG_WHATEVER": "1"})
    listed = str(raised.value).partition("All settings: ")[2].split(", ")
    assert listed == sorted(f"AKG_{name.upper()}" for name in Settings.model_fields)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("AKG_PORT", "http", "Input should be a valid integer"),
        ("AKG_PORT", "65536", "Input should be less than or equal to 65535"),
        ("AKG_PORT", "-1", "Input should be greater than or equal to 0"),
        ("AKG_DEADLINE_SECONDS", "0", "Input should be greater than 0"),
        ("AKG_DEADLINE_SECONDS", "61", "Input should be less than or equal to 60"),
        ("AKG_DEADLINE_SECONDS", "nan", "Input should be "),
        ("AKG_RELEASE_CHECK_SECONDS", "0", "Input should be greater than 0"),
        ("AKG_CACHE_SECONDS", "-1", "Input should be greater than or equal to 0"),
        ("AKG_BODY_LIMIT_BYTES", "1023", "Input should be greater than or equal to 1024"),
        ("AKG_ENGINE_CONNECTIONS", "0", "Input should be greater than or equal to 1"),
        ("AKG_CONCURRENCY", "0", "Input should be greater than or equal to 1"),
        ("AKG_QUEUE_SIZE", "-1", "Input should be greater than or equal to 0"),
        ("AKG_QUEUE_SECONDS", "0", "Input should be greater than 0"),
        ("AKG_STALE_SECONDS", "-1", "Input should be greater than or equal to 0"),
        ("AKG_URL_LIMIT_BYTES", "1023", "Input should be greater than or equal to 1024"),
        ("AKG_CLIENT_TIMEOUT_SECONDS", "0", "Input should be greater than 0"),
        ("AKG_IDLE_SECONDS", "0", "Input should be greater than or equal to 1"),
        ("AKG_DRAIN_SECONDS", "-1", "Input should be greater than or equal to 0"),
        ("AKG_RATE_LIMIT", "-1", "Input should be greater than or equal to 0"),
        ("AKG_RATE_LIMIT", "60001", "Input should be less than or equal to 60000"),
        ("AKG_RATE_BURST_SECONDS", "0.5", "Input should be greater than or equal to 1"),
        ("AKG_RATE_LIMIT_URL", "localhost:6379", "Value error, give a URL that starts with one of redis://"),
        ("AKG_TRUSTED_PROXIES", "*", "Value error, give the number of proxies"),
        ("AKG_TRUSTED_PROXIES", "10.0.0.1", "Value error, give the number of proxies"),
        ("AKG_TRUSTED_PROXIES", "-1", "Value error, give the number of proxies"),
        ("AKG_TRUSTED_PROXIES", "17", "Input should be less than or equal to 16"),
        ("AKG_ALIAS", "Upper Case", "String should match pattern"),
        ("AKG_ALIAS", "other-aside", "Value error, give a name that does not end in -aside"),
        ("AKG_ALLOWED_ORIGINS", "https://example.org/", "Value error, 'https://example.org/' is not a web origin"),
        ("AKG_ALLOWED_ORIGINS", "example.org", "Value error, 'example.org' is not a web origin"),
        ("AKG_ALLOWED_HOSTS", "https://example.org", "Value error, 'https://example.org' is not a host name"),
        ("AKG_ALLOWED_HOSTS", "example.org:8080", "Value error, 'example.org:8080' is not a host name"),
        ("AKG_PUBLIC_URL", "example.org", "String should match pattern"),
        ("AKG_PUBLIC_URL", "https://example.org/", "String should match pattern"),
        ("AKG_SNAPSHOT_LOCATION", "gs://bucket/path", "String should match pattern"),
        ("AKG_SNAPSHOT_LOCATION", "s3://", "String should match pattern"),
        ("AKG_SNAPSHOT_REPOSITORY", "Two Words", "String should match pattern"),
        ("AKG_INDEX_SHARDS", "0", "Input should be greater than or equal to 1"),
        ("AKG_INDEX_REPLICAS", "some", "String should match pattern"),
        ("AKG_INDEX_REPLICAS", "1-", "String should match pattern"),
        ("AKG_OPENSEARCH_CA_FILE", "nowhere.pem", "Value error, the file nowhere.pem does not exist"),
    ],
)
def test_rejects_an_invalid_value_with_its_name(name: str, value: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=rf"^{name}: {problem}"):
        read_settings({name: value})


def test_reports_all_invalid_values_at_once() -> None:
    with pytest.raises(SettingsError, match=r"^AKG_PORT: .*; AKG_CACHE_SECONDS: "):
        read_settings({"AKG_PORT": "x", "AKG_CACHE_SECONDS": "x"})


def test_settings_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        read_settings({}).port = 1  # type: ignore[misc]


def test_the_password_is_readable_and_never_printed() -> None:
    settings = read_settings({"AKG_OPENSEARCH_PASSWORD": "open sesame"})
    assert settings.opensearch_password.get_secret_value() == "open sesame"
    assert "sesame" not in f"{settings} {settings!r} {settings.model_dump_json()}"


def test_every_setting_has_a_description() -> None:
    assert all((field.description or "").endswith(".") for field in Settings.model_fields.values())


LOCAL = {"localhost", "127.0.0.1", "[::1]"}
EVERYWHERE = "0.0.0.0"  # noqa: S104 - an address that other machines reach


@pytest.mark.parametrize(
    ("environment", "hosts"),
    [
        ({}, LOCAL),
        ({"AKG_HOST": "localhost"}, LOCAL),
        ({"AKG_HOST": "127.0.0.2"}, LOCAL | {"127.0.0.2"}),
        ({"AKG_HOST": EVERYWHERE}, set()),
        ({"AKG_HOST": "192.0.2.7"}, set()),
        ({"AKG_PUBLIC_URL": "https://akg.example.org/graph"}, LOCAL | {"akg.example.org"}),
        ({"AKG_HOST": EVERYWHERE, "AKG_PUBLIC_URL": "https://akg.example.org"}, set()),
        ({"AKG_ALLOWED_HOSTS": "A.example.org, [::1]"}, {"a.example.org", "[::1]"}),
        (
            {"AKG_ALLOWED_HOSTS": "a.example.org", "AKG_PUBLIC_URL": "https://b.example.org"},
            {"a.example.org", "b.example.org"},
        ),
    ],
)
def test_mcp_accepts_the_host_names_of_the_service(environment: dict[str, str], hosts: set[str]) -> None:
    assert read_settings(environment).connector_hosts == hosts


@pytest.mark.parametrize(
    ("values", "base_url", "is_local"),
    [
        ({}, "http://127.0.0.1:8080", True),
        ({"host": "0.0.0.0", "port": 8133}, "http://localhost:8133", False),  # noqa: S104 - not listened on
        ({"host": "::"}, "http://localhost:8080", False),
        ({"host": "::1"}, "http://[::1]:8080", True),
        ({"host": "192.0.2.7"}, "http://192.0.2.7:8080", False),
        ({"host": "192.0.2.7", "public_url": "https://graph.example/base"}, "https://graph.example/base", False),
    ],
)
def test_absolute_links_have_the_public_url_or_the_address_of_the_service(
    values: dict[str, Any],
    base_url: str,
    is_local: bool,  # noqa: FBT001 - a table
) -> None:
    settings = Settings(**values)
    assert (settings.base_url, settings.is_local) == (base_url, is_local)


def test_a_client_key_needs_a_certificate(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.touch()
    with pytest.raises(SettingsError, match="AKG_OPENSEARCH_CLIENT_KEY needs AKG_OPENSEARCH_CLIENT_CERT"):
        read_settings({"AKG_OPENSEARCH_CLIENT_KEY": str(key)})
