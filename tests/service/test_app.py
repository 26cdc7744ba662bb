"""Requests that are refused before routing count under their route: every route of the service."""

import re

import pytest

from api.app import create_app
from api.limits.rate_limit import bucket_for
from api.settings import Settings
from tests.support.asgi_clients import client_of

APP = create_app(Settings(rate_limit=1, usage_months=0), ["http://127.0.0.1:9"])
ROUTES = sorted(route for route in (*APP.usage.paths, *APP.usage.templates) if bucket_for(route) == "default")


def test_the_table_has_all_kinds_of_routes() -> None:
    assert {"/", "/search", "/{type}/{id}", "/{type}/{id}/neighbors", "/export/{file}", "/explore"} <= {*ROUTES}


@pytest.mark.parametrize("route", ROUTES)
async def test_a_refused_request_counts_under_its_route(route: str) -> None:
    path = re.sub(r"\{[^}]*\}", "disability", route)
    async with client_of(APP, "http://127.0.0.1") as client:
        statuses = [(await client.get(path)).status_code for _ in range(2)]
    assert statuses[1] == 429
    counted = {(key.route, key.limited) for key in APP.usage.take()}
    assert (route, True) in counted
