"""`akg dashboards`: install the dashboards of `mappings/dashboards` into OpenSearch Dashboards."""

import json
import ssl
from pathlib import Path
from typing import Annotated

import httpx
import typer

from akg.connection import command_settings
from akg.console import stderr, stdout
from api.settings import Settings, mappings_folder
from schema.errors import AkgError
from schema.json_types import JsonObject

dashboards_app = typer.Typer(no_args_is_help=True, help="Install the dashboards into OpenSearch Dashboards.")

UrlOption = Annotated[str, typer.Option("--url", help="URL of OpenSearch Dashboards, with its base path if any.")]
TIMEOUT_SECONDS = 30.0
IMPORT_PATH = "api/saved_objects/_import"
USAGE_PATTERN = "akg-usage"  # the ids in every reference; the titles follow the settings
ENTITIES_PATTERN = "akg-entities"
DEFAULT_INDEX_ALIAS = Settings().index_alias  # as the Vega specifications name it
LOGIN_STATUS = (301, 302, 303, 307, 308, 401, 403)


class DashboardsError(AkgError):
    """OpenSearch Dashboards did not import the dashboards."""


@dashboards_app.command()
def install(url: UrlOption = "http://localhost:5601") -> None:
    """Install or update all dashboards, and leave other saved objects alone."""
    with command_settings() as settings, _client(settings, url) as client:
        for path in dashboard_files(mappings_folder(settings)):
            stderr.print(f"Installing {path.stem}", markup=False)
            objects = with_index_names(path.read_text("utf-8"), settings)
            stdout.print(f"{path.stem}: {import_objects(client, path.name, objects)} objects", markup=False)


def dashboard_files(mappings: Path) -> list[Path]:
    """Return the files to install; each is complete."""
    files = sorted((mappings / "dashboards").glob("*.ndjson"))
    if not files:
        raise DashboardsError(f"There are no dashboards in {mappings / 'dashboards'}.")
    return files


def with_index_names(text: str, settings: Settings) -> str:
    """Return the saved objects of a file with the configured usage indices and release alias."""
    titles = {USAGE_PATTERN: f"{settings.usage_index}-*", ENTITIES_PATTERN: settings.index_alias}
    lines = []
    for line in text.splitlines():
        saved_object = json.loads(line.replace(DEFAULT_INDEX_ALIAS, settings.index_alias))
        if saved_object["type"] == "index-pattern" and saved_object["id"] in titles:
            saved_object["attributes"]["title"] = titles[saved_object["id"]]
        lines.append(json.dumps(saved_object, ensure_ascii=False, separators=(",", ":")))
    return "\n".join([*lines, ""])


def import_objects(client: httpx.Client, name: str, objects: str) -> int:
    """Import the objects of one file, replacing those with the same ids; return their number."""
    try:
        response = client.post(IMPORT_PATH, params={"overwrite": "true"}, files={"file": (name, objects.encode())})
    except httpx.InvalidURL as error:
        raise DashboardsError(f"{client.base_url} is not a URL: {error}") from None
    except httpx.HTTPError as error:
        raise DashboardsError(f"OpenSearch Dashboards is unavailable at {client.base_url}: {error}") from None
    if response.status_code in LOGIN_STATUS:
        raise DashboardsError(
            f"OpenSearch Dashboards requires a login ({response.status_code}). Set AKG_OPENSEARCH_USER and "
            "AKG_OPENSEARCH_PASSWORD to an account that may write saved objects."
        )
    body = _json_body(response)
    if response.status_code != httpx.codes.OK or "successCount" not in body:
        status = f"{response.status_code}: {body['message']}" if "message" in body else str(response.status_code)
        raise DashboardsError(f"{client.base_url} is not an OpenSearch Dashboards ({status}).")
    if not body.get("success"):
        errors = [f"{error['type']} {error['id']}: {error['error']['type']}" for error in body.get("errors", [])]
        raise DashboardsError(f"{name} was not imported completely: {', '.join(errors)}")
    return int(body["successCount"])


def _client(settings: Settings, url: str) -> httpx.Client:
    if not url.startswith(("http://", "https://")):
        raise DashboardsError(f"{url!r} is not a URL such as http://localhost:5601")
    auth = (settings.opensearch_user, settings.opensearch_password.get_secret_value())
    return httpx.Client(
        base_url=url,
        headers={"osd-xsrf": "true"},  # Dashboards rejects requests without this header
        auth=auth if settings.opensearch_user else None,
        verify=ssl.create_default_context(cafile=settings.opensearch_ca_file),
        timeout=TIMEOUT_SECONDS,
    )


def _json_body(response: httpx.Response) -> JsonObject:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
