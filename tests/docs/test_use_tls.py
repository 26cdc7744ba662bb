"""The commands of docs/how-to/use-tls.md run: certificates are made, verified by the program, served and renewed."""

import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.edge import edge
from tests.support.markdown import blocks, section
from tests.support.operator_session import OperatorSession
from tests.support.project import DOCS, ROOT
from tests.support.tls import tls_proxy

PAGE = (DOCS / "how-to" / "use-tls.md").read_text("utf-8")


def commands(title: str) -> list[str]:
    return [block.text for block in blocks(section(PAGE, title)) if block.language == "sh"]


def run(script: str, folder: Path, code: int = 0, environ: Mapping[str, str] | None = None) -> str:
    variables = {**os.environ, "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}", **(environ or {})}
    command = ["bash", "-euc", script]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=120)  # noqa: S603
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@dataclass(frozen=True, slots=True)
class Trial:
    """The folder of the certificates, and what the commands printed that made them."""

    folder: Path
    output: str


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    folder = tmp_path_factory.mktemp("certificates")
    (make,) = commands("Make certificates for a trial")
    return Trial(folder, run(make, folder))


def test_commands_verify_opensearch_with_the_authority_that_the_page_makes(
    trial: Trial, operator: OperatorSession, tmp_path: Path
) -> None:
    assert "server.pem: OK" in trial.output
    (connect,) = commands("Connect to OpenSearch")
    environ = {**operator.environ, "COLUMNS": "200"}
    with tls_proxy(operator.url, trial.folder / "server.pem", trial.folder / "server.key", tmp_path / "nginx") as port:
        script = connect.replace(":9200", f":{port}")
        assert script != connect
        output = run(script, trial.folder, environ=environ)
        assert "TLS        2 certificates, the first expires in 36" in output
        (make,) = commands("Make certificates for a trial")
        (tmp_path / "another").mkdir()
        run(make, tmp_path / "another")
        refused = run(script.replace("$PWD", str(tmp_path / "another")), trial.folder, code=3, environ=environ)
        assert "set AKG_OPENSEARCH_CA_FILE to the file of its authority" in " ".join(refused.split())


def test_clients_verify_the_edge(trial: Trial, address: str, tmp_path: Path) -> None:
    start, check = commands("Serve over TLS")
    assignments = [word.partition("=") for word in shlex.split(start) if "=" in word]
    settings = {name: value.replace("$PWD", str(trial.folder)) for name, _, value in assignments}
    assert shlex.split(start)[-1] == "deploy/edge/start"
    assert settings.pop("EDGE_TLS_LISTEN").endswith(":8443")
    with edge(address, tmp_path, **settings) as front:
        script = check.replace(":8443", f":{front.tls_port}")
        assert script != check
        assert '"status"' in run(script, trial.folder)
        (tmp_path / "another").mkdir()
        run(commands("Make certificates for a trial")[0], tmp_path / "another")
        assert "certificate" in run(script, tmp_path / "another", code=60)


def test_a_certificate_is_renewed_by_the_same_authority(trial: Trial) -> None:
    before = (trial.folder / "server.pem").read_text()
    (renew,) = commands("Renew a certificate")
    assert "notAfter=" in run(renew, trial.folder)
    assert (trial.folder / "server.pem").read_text() != before
    assert "server.pem: OK" in run("openssl verify -CAfile ca.pem server.pem", trial.folder)
