"""`akg dashboards`: put the dashboards of `mappings/dashboards` into OpenSearch Dashboards."""

from __future__ import annotations

import json
import ssl
from typing import TYPE_CHECKING, Annotated, Any

import httpx
import typer

from akg.connection import settings_from_environment
from akg.console import DashboardsError, notes, out, plain_errors
from api.settings import mappings_folder

if TYPE_CHECKING:
    from pathlib import Path

    from api.settings import Settings

dashboards_app = typer.Typer(no_args_is_help=True, help="Dashboards over the counts of usage.")

UrlOption = Annotated[str, typer.Option("--url", help="Address of OpenSearch Dashboards, with its base path if any.")]
SECONDS = 30.0
IMPORT = "api/saved_objects/_import"
SHIPPED_PATTERN = "akg-usage"  # the id that every reference has; its title follows AKG_USAGE_INDEX
LOGIN = (301, 302, 303, 307, 308, 401, 403)


@dashboards_app.command()
def install(url: UrlOption = "http://localhost:5601") -> None:
    """Put all dashboards in place, or bring them up to date; what else is there stays as it is."""
    with plain_errors():
        settings = settings_from_environment()
        with _client(settings, url) as client:
            for path in dashboard_files(mappings_folder(settings)):
                notes.print(f"Installing {path.stem}", markup=False)
                count = put(client, path.name, shaped(path.read_text("utf-8"), settings.usage_index))
                out.print(f"{path.stem}: {count} objects", markup=False)


def dashboard_files(mappings: Path) -> list[Path]:
    """The files to install, each complete in itself."""
    found = sorted((mappings / "dashboards").glob("*.ndjson"))
    if not found:
        raise DashboardsError(f"There are no dashboards in {mappings / 'dashboards'}.")
    return found


def shaped(text: str, usage_index: str) -> str:
    """The objects of one file, over the indices that the settings name."""
    lines = []
    for line in text.splitlines():
        one = json.loads(line)
        if one["type"] == "index-pattern" and one["id"] == SHIPPED_PATTERN:
            one["attributes"]["title"] = f"{usage_index}-*"
        lines.append(json.dumps(one, ensure_ascii=False, separators=(",", ":")))
    return "\n".join([*lines, ""])


def put(client: httpx.Client, name: str, objects: str) -> int:
    """Send one file, in place of what is there under the same ids; the number of objects. Raises DashboardsError."""
    try:
        answer = client.post(IMPORT, params={"overwrite": "true"}, files={"file": (name, objects.encode())})
    except httpx.InvalidURL as error:
        raise DashboardsError(f"{client.base_url} is no address: {error}") from None
    except httpx.HTTPError as error:
        raise DashboardsError(f"OpenSearch Dashboards does not answer at {client.base_url}: {error}") from None
    if answer.status_code in LOGIN:
        raise DashboardsError(
            f"OpenSearch Dashboards wants a login ({answer.status_code}). AKG_OPENSEARCH_USER and "
            "AKG_OPENSEARCH_PASSWORD must name someone who may write saved objects."
        )
    told = _json(answer)
    if answer.status_code != httpx.codes.OK or "successCount" not in told:
        said = f"{answer.status_code}: {told['message']}" if "message" in told else str(answer.status_code)
        raise DashboardsError(f"There is no OpenSearch Dashboards at {client.base_url} ({said}).")
    if not told.get("success"):
        refused = ", ".join(f"{one['type']} {one['id']}: {one['error']['type']}" for one in told.get("errors", []))
        raise DashboardsError(f"{name} was not taken whole: {refused}")
    return int(told["successCount"])


def _client(settings: Settings, url: str) -> httpx.Client:
    """A client that speaks as Dashboards wants, with the account of the engine where one is set."""
    if not url.startswith(("http://", "https://")):
        raise DashboardsError(f"{url!r} is no address; one looks like http://localhost:5601")
    auth = (settings.opensearch_user, settings.opensearch_password.get_secret_value())
    return httpx.Client(
        base_url=url,
        headers={"osd-xsrf": "true"},
        auth=auth if settings.opensearch_user else None,
        verify=ssl.create_default_context(cafile=settings.opensearch_ca_file),
        timeout=SECONDS,
    )


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
