"""The server at SIGTERM."""

import signal

from api.app import create_app
from api.http.server import INTERRUPT_SECONDS, make_server
from api.settings import Settings


def test_the_first_sigterm_drains_and_the_second_shuts_down() -> None:
    server = make_server(create_app(Settings()), Settings())
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    server.started = True
    server.handle_exit(signal.SIGTERM, None)
    assert (server.lifespan.state, server.should_exit) == ({"draining": True}, False)
    server.handle_exit(signal.SIGTERM, None)
    assert server.should_exit


def test_ctrl_c_shuts_down_at_once_with_a_short_time_for_requests_in_flight() -> None:
    server = make_server(create_app(Settings()), Settings(deadline_seconds=60))
    server.handle_exit(signal.SIGINT, None)
    assert server.should_exit
    assert server.config.timeout_graceful_shutdown == INTERRUPT_SECONDS
