"""nginx that speaks TLS in front of a server of this machine, with certificates that the test gives it."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import trustme

from tests.support.edge import require_nginx
from tests.support.serving import free_port

START_SECONDS = 20
CONFIG = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_max_body_size 100m;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/responses;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        location / {{ proxy_pass {upstream}; }}
    }}
}}
"""


@contextmanager
def tls_proxy(upstream: str, certificate: Path, key: Path, folder: Path) -> Iterator[int]:
    """Forward requests from a TLS port to a URL; yield the port."""
    require_nginx()
    port = free_port()
    folder.mkdir()
    folder.chmod(0o755)
    text = CONFIG.format(folder=folder, port=port, certificate=certificate, key=key, upstream=upstream)
    user = f"user {os.environ.get('USER') or 'root'};\n" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(user + text)
    path = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin"}
    command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    with subprocess.Popen(command, env=path) as process:  # noqa: S603 - with a configuration of this test
        try:
            _wait(port, process, folder / "error.log")
            yield port
        finally:
            process.terminate()


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(f"https://127.0.0.1:{port}", verify=False)  # noqa: S501 - whatever its certificate
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(log.read_text("utf-8"))


def issue(authority: trustme.CA, folder: Path, name: str, days: int) -> tuple[Path, Path]:
    """Write a certificate for `localhost` that expires in so many days, and its key; return their paths."""
    now = datetime.now(UTC)
    begin, end = now - timedelta(days=60), now + timedelta(days=days, hours=1)
    issued = authority.issue_cert("localhost", not_before=begin, not_after=end)
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    issued.cert_chain_pems[0].write_to_path(str(certificate))
    issued.private_key_pem.write_to_path(str(key))
    return certificate, key
