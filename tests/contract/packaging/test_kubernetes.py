"""The Kubernetes objects of the example overlay: valid, complete and closed, checked without a cluster."""

import base64
import re
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
from typer.testing import CliRunner

from akg.cli import app
from akg.commands.exporter import DEFAULT_PORT
from akg.reports.overlays import OverlayCheck
from api.settings import read_settings
from tests.support.deployment import check_command
from tests.support.kubernetes import Rendered, rendered, selects
from tests.support.project import DOCS, ROOT

VERSIONS = ("1.31", "1.37")  # the oldest and the newest supported version
OBJECTS = {
    *("Namespace/akg", "Deployment/akg", "Deployment/akg-exporter", "HorizontalPodAutoscaler/akg"),
    *("PodDisruptionBudget/akg", "Service/akg", "Service/akg-metrics", "Service/akg-exporter"),
    *("CronJob/akg-indexer", "CronJob/akg-snapshot", "CronJob/akg-snapshot-verify", "CronJob/akg-snapshot-prune"),
    *("NetworkPolicy/akg", "NetworkPolicy/akg-edge", "NetworkPolicy/akg-metrics", "NetworkPolicy/akg-exporter"),
    *("ConfigMap/akg", "ConfigMap/akg-edge", "ConfigMap/akg-edge-settings"),
    *("Secret/akg-api", "Secret/akg-indexer", "Secret/akg-exporter", "Secret/akg-tls", "Secret/akg-public-tls"),
}
GENERATED = ("ConfigMap", "Secret")
ACCOUNTS = {
    "akg": "akg-api",
    "akg-exporter": "akg-exporter",
    **dict.fromkeys(("akg-indexer", "akg-snapshot", "akg-snapshot-verify", "akg-snapshot-prune"), "akg-indexer"),
}
IMAGE = re.compile(r"^ *image: (\S+)")


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    return rendered(tmp_path_factory.mktemp("overlay"))


def literal(container: dict[str, Any]) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in container.get("env", ())}


def test_the_overlay_has_every_object_once(overlay: Rendered) -> None:
    names = [f"{found['kind']}/{found['metadata']['name']}" for found in overlay.objects]
    short = [name.rpartition("-")[0] if name.startswith(GENERATED) else name for name in names]
    assert sorted(short) == sorted(OBJECTS)
    elsewhere = [found for found in overlay.objects if found["metadata"].get("namespace") != "akg"]
    assert [found["kind"] for found in elsewhere] == ["Namespace"]


@pytest.mark.parametrize("version", VERSIONS)
def test_each_object_matches_the_schema_of_kubernetes(overlay: Rendered, version: str) -> None:
    for found in overlay.objects:
        kubernetes_validate.validate(found, version, strict=True)


def test_every_container_of_the_program_has_the_image_of_the_overlay(overlay: Rendered) -> None:
    images = {container["image"] for name, container in overlay.containers() if name != "akg/edge"}
    assert images == {"registry.example.org/akg:0.1.0"}
    assert dict(overlay.containers())["akg/edge"]["image"] == "nginx:1.28"


def test_every_object_that_a_pod_refers_to_is_rendered(overlay: Rendered) -> None:
    existing = {kind: set(overlay.of(kind)) for kind in GENERATED}
    used: dict[str, set[str]] = {kind: set() for kind in GENERATED}
    for _, container in overlay.containers():
        for source in container["envFrom"]:
            for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                used[kind] |= {source[key]["name"]} if key in source else set()
    for template in overlay.pods().values():
        for volume in template["spec"].get("volumes", ()):
            source = volume.get("configMap", {"optional": True})
            used["ConfigMap"] |= set() if source.get("optional") else {source["name"]}
            used["Secret"] |= {volume["secret"]["secretName"]} if "secret" in volume else set()
    assert used == existing
    for template in overlay.pods().values():
        volumes = {volume["name"] for volume in template["spec"]["volumes"]}
        assert {
            mount["name"] for container in template["spec"]["containers"] for mount in container["volumeMounts"]
        } == volumes


def test_builds_read_the_tables_of_an_overlay(tmp_path: Path) -> None:
    """As Kubernetes mounts a ConfigMap: each file is a link into a folder that a link selects."""
    tables = DOCS / "examples" / "loan-pool"
    found = rendered(tmp_path, tables=tables)
    full_name = found.generated("ConfigMap", "akg-overlay")["metadata"]["name"]
    settings = found.generated("ConfigMap", "akg")["data"]
    for pod in ("akg-indexer", "akg"):  # builds, and `akg status`
        spec = found.pods()[pod]["spec"]
        (volume,) = [volume for volume in spec["volumes"] if volume["name"] == "overlay"]
        assert volume["configMap"] == {"name": full_name, "optional": True}
        (mount,) = [mount for mount in spec["containers"][0]["volumeMounts"] if mount["name"] == "overlay"]
        assert settings["AKG_OVERLAYS"] == mount["mountPath"]

    mounted = tmp_path / "mounted"
    (mounted / "..data_1").mkdir(parents=True)
    (mounted / "..data").symlink_to("..data_1")
    for name, text in found.generated("ConfigMap", "akg-overlay")["data"].items():
        (mounted / "..data_1" / name).write_text(text, "utf-8")
        (mounted / name).symlink_to(f"..data/{name}")
        assert text == (tables / name).read_text("utf-8")
    result = CliRunner().invoke(app, ["overlay", "check", str(mounted), "--json"], env={"AKG_OVERLAYS": str(mounted)})
    assert result.exit_code == 0, result.output
    assert OverlayCheck.model_validate_json(result.stdout).entities == 21


def test_each_kind_of_work_has_its_own_account(overlay: Rendered) -> None:
    accounts = {}
    for name, template in overlay.pods().items():
        container = template["spec"]["containers"][0]
        accounts[name] = container["envFrom"][1]["secretRef"]["name"].rpartition("-")[0]
    assert accounts == ACCOUNTS
    for name in set(ACCOUNTS.values()):
        secret = overlay.generated("Secret", name)["data"]
        assert secret.keys() == {"AKG_OPENSEARCH_USER", "AKG_OPENSEARCH_PASSWORD"}
        assert base64.b64decode(secret["AKG_OPENSEARCH_USER"]).decode() == name


def test_the_certificates_are_where_the_settings_say(overlay: Rendered) -> None:
    settings, edge = (overlay.generated("ConfigMap", name)["data"] for name in ("akg", "akg-edge-settings"))
    files = {"akg-tls": {"ca.crt"}, "akg-public-tls": {"tls.crt", "tls.key"}}
    for name, keys in files.items():
        assert overlay.generated("Secret", name)["data"].keys() == keys
    assert overlay.generated("Secret", "akg-public-tls")["type"] == "kubernetes.io/tls"
    mounts = {mount["name"]: mount["mountPath"] for _, each in overlay.containers() for mount in each["volumeMounts"]}
    assert settings["AKG_OPENSEARCH_CA_FILE"] == f"{mounts['tls']}/ca.crt"
    assert (edge["EDGE_CERTIFICATE"], edge["EDGE_KEY"]) == tuple(
        f"{mounts['public-tls']}/tls.{end}" for end in ("crt", "key")
    )


def test_settings_exist_and_contain_no_credentials(overlay: Rendered, tmp_path: Path) -> None:
    settings = overlay.generated("ConfigMap", "akg")["data"]
    authority = tmp_path / "ca.crt"
    authority.touch()
    api = literal(dict(overlay.containers())["akg/api"])
    read = read_settings({**settings, **api, "AKG_OPENSEARCH_CA_FILE": str(authority)})
    assert read.engine_urls[0].startswith("https://")
    assert (read.trusted_proxies, read.host, read.admin_port) == (1, "127.0.0.1", 9464)
    assert [name for name in settings if "PASSWORD" in name or "USER" in name] == []


def test_each_pod_runs_under_the_restricted_profile(overlay: Rendered) -> None:
    labels = overlay.of("Namespace")["akg"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    (user,) = re.findall(r"^USER (\d+):\d+$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    for template in overlay.pods().values():
        pod = template["spec"]
        assert pod["securityContext"] == {
            "runAsNonRoot": True,
            "runAsUser": int(user),
            "runAsGroup": int(user),
            "seccompProfile": {"type": "RuntimeDefault"},
        }
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False  # or Kubernetes would set AKG_PORT to an invalid value
    for name, container in overlay.containers():
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}, name
        assert "memory" in container["resources"]["limits"], name


def test_every_command_exists(overlay: Rendered) -> None:
    commands = {name: container["args"] for name, container in overlay.containers() if name != "akg/edge"}
    for words in commands.values():
        check_command(words)
    assert {name: " ".join(words) for name, words in commands.items()} == {
        "akg/api": "serve",
        "akg-exporter/exporter": "exporter --host 0.0.0.0",
        "akg-indexer/indexer": "index build",
        "akg-snapshot/create": "snapshot create",
        "akg-snapshot-verify/verify": "snapshot verify",
        "akg-snapshot-prune/prune": "snapshot prune --keep 7 --older-than 30",
    }


def test_every_selector_matches_exactly_the_pods_of_its_component(overlay: Rendered) -> None:
    pods = overlay.pods()

    def selected(selector: dict[str, str]) -> set[str]:
        return {name for name, template in pods.items() if selects(selector, template)}

    for name in ("akg", "akg-exporter"):
        assert selected(overlay.of("Deployment")[name]["spec"]["selector"]["matchLabels"]) == {name}
    services = {name: selected(found["spec"]["selector"]) for name, found in overlay.of("Service").items()}
    assert services == {"akg": {"akg"}, "akg-metrics": {"akg"}, "akg-exporter": {"akg-exporter"}}
    assert selected(overlay.of("PodDisruptionBudget")["akg"]["spec"]["selector"]["matchLabels"]) == {"akg"}
    policies = overlay.of("NetworkPolicy")
    matched = {name: selected(found["spec"]["podSelector"]["matchLabels"]) for name, found in policies.items()}
    assert matched == {
        "akg": set(pods),
        "akg-metrics": set(pods),
        "akg-edge": {"akg"},
        "akg-exporter": {"akg-exporter"},
    }


def test_every_port_of_a_service_is_one_of_its_pods(overlay: Rendered) -> None:
    for service in overlay.of("Service").values():
        for template in overlay.pods().values():
            if selects(service["spec"]["selector"], template):
                ports = [port for each in template["spec"]["containers"] for port in each.get("ports", ())]
                names = {port["name"]: port["containerPort"] for port in ports}
                assert {port["targetPort"] for port in service["spec"]["ports"]} <= names.keys()
    exporter = dict(overlay.containers())["akg-exporter/exporter"]
    assert exporter["ports"] == [{"name": "metrics", "containerPort": DEFAULT_PORT}]


def test_only_the_edge_is_reachable_from_outside(overlay: Rendered) -> None:
    outside = [name for name, found in overlay.of("Service").items() if found["spec"].get("type") == "LoadBalancer"]
    assert outside == ["akg"]
    assert {port["targetPort"] for port in overlay.of("Service")["akg"]["spec"]["ports"]} == {"http", "https"}
    edge = dict(overlay.containers())["akg/edge"]
    assert {port["name"] for port in edge["ports"]} == {"http", "https"}
    policies = {name: found["spec"] for name, found in overlay.of("NetworkPolicy").items()}
    assert policies["akg"]["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in policies["akg"]  # nothing is let in but what the others name
    assert policies["akg-exporter"]["policyTypes"] == ["Egress"]
    (everyone,) = policies["akg-edge"]["ingress"]
    assert "from" not in everyone
    assert {port["port"] for port in everyone["ports"]} == {"http", "https"}
    (monitoring,) = policies["akg-metrics"]["ingress"]
    assert monitoring["from"] == [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]
    assert [port["port"] for port in monitoring["ports"]] == ["metrics"]
    reached = {port["port"] for rule in policies["akg"]["egress"] for port in rule["ports"]}
    url = read_settings({"AKG_OPENSEARCH_URL": overlay.generated("ConfigMap", "akg")["data"]["AKG_OPENSEARCH_URL"]})
    assert reached == {53, int(url.engine_urls[0].rpartition(":")[2])}


def test_the_autoscaler_can_measure_and_one_replica_always_stays(overlay: Rendered) -> None:
    scaler = overlay.of("HorizontalPodAutoscaler")["akg"]["spec"]
    deployment = overlay.of("Deployment")["akg"]
    target = {"apiVersion": deployment["apiVersion"], "kind": "Deployment", "name": "akg"}
    assert scaler["scaleTargetRef"] == target
    assert "replicas" not in deployment["spec"]  # or each `apply` would set it back
    assert [metric["resource"]["name"] for metric in scaler["metrics"]] == ["cpu"]
    budget = overlay.of("PodDisruptionBudget")["akg"]["spec"]["maxUnavailable"]
    assert scaler["minReplicas"] > budget
    assert deployment["spec"]["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}


def test_jobs_never_overlap_and_the_build_has_no_schedule(overlay: Rendered) -> None:
    jobs = {name: found["spec"] for name, found in overlay.of("CronJob").items()}
    assert {job["concurrencyPolicy"] for job in jobs.values()} == {"Forbid"}
    assert [name for name, job in jobs.items() if job.get("suspend")] == ["akg-indexer"]
    assert len({job["schedule"] for job in jobs.values()}) == len(jobs)
    assert {template["spec"]["restartPolicy"] for name, template in overlay.pods().items() if name in jobs} == {"Never"}


def test_the_edge_stands_before_the_service_in_each_pod(overlay: Rendered) -> None:
    api, edge = (dict(overlay.containers())[f"akg/{name}"] for name in ("api", "edge"))
    settings = overlay.generated("ConfigMap", "akg-edge-settings")["data"]
    assert literal(api)["AKG_HOST"] == "127.0.0.1"
    assert [port["name"] for port in api["ports"]] == ["metrics"]
    assert settings["EDGE_UPSTREAM"] == "127.0.0.1:8080"
    assert settings["EDGE_COUNTS"] == overlay.generated("ConfigMap", "akg")["data"]["AKG_EDGE_COUNTS"]
    ports = {port["name"]: port["containerPort"] for port in edge["ports"]}
    assert settings["EDGE_LISTEN"] == f"0.0.0.0:{ports['http']}"
    assert settings["EDGE_TLS_LISTEN"] == f"0.0.0.0:{ports['https']}"
    volumes = {volume["name"]: volume for volume in overlay.pods()["akg"]["spec"]["volumes"]}
    mounts = {mount["name"]: Path(mount["mountPath"]) for mount in edge["volumeMounts"]}
    assert volumes["edge-memory"]["emptyDir"]["medium"] == "Memory"
    assert Path(settings["EDGE_FOLDER"]).parent == mounts["edge-memory"]
    assert edge["command"] == [f"{mounts['edge']}/start"]
    assert volumes["edge"]["configMap"]["defaultMode"] & 0o111
    known = re.findall(r"^#   (EDGE_\w+)", (ROOT / "deploy" / "edge" / "start").read_text("utf-8"), re.MULTILINE)
    assert settings.keys() <= set(known)
    shared = {item["name"]: item["valueFrom"]["configMapKeyRef"] for item in edge["env"]}
    assert shared.keys() == {"AKG_RATE_LIMIT", "AKG_ALLOWED_ORIGINS"}
    of_the_service = [source["configMapRef"]["name"] for source in api["envFrom"] if "configMapRef" in source]
    assert all(item == {"name": of_the_service[0], "key": key, "optional": True} for key, item in shared.items())
    files = overlay.generated("ConfigMap", "akg-edge")["data"]
    assert files == {
        path.name: path.read_text("utf-8")
        for path in (ROOT / "deploy" / "edge").iterdir()
        if path.name != "kustomization.yaml"
    }


def test_the_probes_use_the_health_routes(overlay: Rendered) -> None:
    edge = dict(overlay.containers())["akg/edge"]
    probes = {name: edge[name]["httpGet"] for name in edge if name.endswith("Probe")}
    assert {name: (probe["path"], probe["port"]) for name, probe in probes.items()} == {
        "startupProbe": ("/healthz", "http"),
        "livenessProbe": ("/healthz", "http"),
        "readinessProbe": ("/readyz", "http"),
    }
    hosts = overlay.generated("ConfigMap", "akg-edge-settings")["data"]["EDGE_HOSTS"].split(",")
    for probe in probes.values():
        assert probe["httpHeaders"] == [{"name": "Host", "value": "localhost"}]
        assert "localhost" in hosts
    exporter = dict(overlay.containers())["akg-exporter/exporter"]
    connecting = {name for name in exporter if name.endswith("Probe")}
    assert connecting == probes.keys()
    assert {exporter[name]["tcpSocket"]["port"] for name in connecting} == {"metrics"}


def test_the_edge_ends_before_the_service(overlay: Rendered) -> None:
    pod = overlay.pods()["akg"]["spec"]
    pauses = [int(container["lifecycle"]["preStop"]["exec"]["command"][1]) for container in pod["containers"]]
    nginx = (ROOT / "deploy" / "edge" / "nginx.conf").read_text("utf-8")
    (finishing,) = re.findall(r"^worker_shutdown_timeout (\d+)s;", nginx, re.MULTILINE)
    assert pauses[0] > pauses[1] + int(finishing)
    drain_seconds = read_settings({}).drain_seconds + read_settings({}).deadline_seconds + 3
    assert pod["terminationGracePeriodSeconds"] > pauses[0] + drain_seconds


def test_no_manifest_of_the_base_names_what_differs_between_clusters() -> None:
    base = ROOT / "deploy" / "kubernetes" / "base"
    text = {path.name: path.read_text("utf-8") for path in base.iterdir()}
    assert [name for name, words in text.items() if re.search(r"example\.(org|com)|registry|namespace: ", words)] == []
    images = {image for words in text.values() for line in words.splitlines() for image in IMAGE.findall(line)}
    assert images == {"akg", "nginx:1.28"}
