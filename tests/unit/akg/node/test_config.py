"""Configuration files of a node, as complete texts."""

from dataclasses import replace
from pathlib import Path

import pytest

from akg.node.config import (
    LAUNCHER_OPTIONS,
    SHIPPED_OPTIONS,
    Java,
    NodeConfig,
    argument_file,
    find_java,
    heap_megabytes,
    java_options,
    opensearch_yml,
)
from akg.node.errors import JavaError, NodeError
from akg.node.state import Folders

WHEEL = Java(home=Path("/java"), major=25, modules=frozenset({"java.base"}))
CONFIG = NodeConfig(home=Path("/cache/os"), folders=Folders(Path("/here/.akg")), java=WHEEL)

OPENSEARCH_YML = """\
cluster.name: "akg"
node.name: "akg"
discovery.type: "single-node"
network.host: "127.0.0.1"
http.port: "9200-9299"
transport.port: "9300-9399"
node.portsfile: true
path.data: "/here/.akg/opensearch/data"
path.logs: "/here/.akg/opensearch/logs"
path.repo: "/here/.akg/opensearch/snapshots"
cluster.routing.allocation.disk.threshold_enabled: false
indices.memory.index_buffer_size: "30%"
"""


def test_the_node_binds_loopback_and_writes_to_its_folder() -> None:
    assert opensearch_yml(CONFIG) == OPENSEARCH_YML


@pytest.mark.parametrize(
    ("port", "http", "transport"),
    [(None, '"9200-9299"', '"9300-9399"'), (0, "0", "0"), (9999, "9999", "0")],
)
def test_a_requested_port_is_the_only_one(port: int | None, http: str, transport: str) -> None:
    text = opensearch_yml(replace(CONFIG, http_port=port))
    assert f"\nhttp.port: {http}\n" in text
    assert f"\ntransport.port: {transport}\n" in text


def test_a_path_with_special_characters_is_quoted() -> None:
    text = opensearch_yml(replace(CONFIG, folders=Folders(Path('/a b/#1: "é"'))))
    assert 'path.data: "/a b/#1: \\"é\\"/opensearch/data"\n' in text


def test_the_java_of_the_wheel_gets_all_options() -> None:
    assert java_options(CONFIG) == [
        *LAUNCHER_OPTIONS,
        "-Xms512m",
        "-Xmx512m",
        *SHIPPED_OPTIONS,
        "-Djava.io.tmpdir=/here/.akg/opensearch/tmp",
        "-XX:ErrorFile=/here/.akg/opensearch/logs/hs_err_pid%p.log",
        '-Xlog:gc*,safepoint:file="/here/.akg/opensearch/logs/gc.log":utctime,pid,tags:filecount=2,filesize=4m',
        "-XX:MaxDirectMemorySize=268435456",
        "-XX:+UseCompactObjectHeaders",
        "-Dopensearch.path.home=/cache/os",
        "-Dopensearch.path.conf=/here/.akg/opensearch/config",
        "-Dopensearch.distribution.type=zip",
        "-Dopensearch.bundled_jdk=false",
        "-cp",
        "lib/*",
        "org.opensearch.bootstrap.OpenSearch",
    ]


def test_the_native_layer_is_disabled_for_root_alone() -> None:
    as_user = java_options(CONFIG)
    as_root = java_options(replace(CONFIG, as_root=True))
    assert [o for o in as_root if o not in as_user] == [
        "-Djna.nounpack=true",
        "-Djna.boot.library.path=/nonexistent",
    ]


@pytest.mark.parametrize(
    ("major", "modules", "added"),
    [
        (21, {"jdk.incubator.vector"}, {"--add-modules=jdk.incubator.vector"}),
        (21, set(), set()),
        (
            23,
            set(),
            {
                "-XX:CompileCommand=dontinline,java/lang/invoke/MethodHandle.setAsTypeCache",
                "-XX:CompileCommand=dontinline,java/lang/invoke/MethodHandle.asTypeUncached",
            },
        ),
        (25, {"jdk.incubator.vector"}, {"--add-modules=jdk.incubator.vector", "-XX:+UseCompactObjectHeaders"}),
    ],
)
def test_jvm_options_depend_on_version_and_modules(major: int, modules: set[str], added: set[str]) -> None:
    oldest = java_options(replace(CONFIG, java=Java(Path("/java"), 21, frozenset())))
    options = java_options(replace(CONFIG, java=Java(Path("/java"), major, frozenset(modules))))
    assert set(options) - set(oldest) == added


def test_options_of_the_user_override_the_defaults() -> None:
    options = java_options(replace(CONFIG, extra_options="-Xmx1g '-Dname=two words'"))
    assert (
        options.index("-Xmx512m") < options.index("-Xmx1g") < options.index("-Dname=two words") < options.index("-cp")
    )


def test_the_argument_file_quotes_each_option() -> None:
    assert argument_file(["-Dp=/a b", '-Xlog:file="/c d"', "-Dw=C:\\x"]) == (
        '"-Dp=/a b"\n"-Xlog:file=\\"/c d\\""\n"-Dw=C:\\\\x"\n'
    )


@pytest.mark.parametrize(("text", "megabytes"), [("512m", 512), ("2G", 2048), ("1g", 1024)])
def test_a_heap_size_is_in_megabytes(text: str, megabytes: int) -> None:
    assert heap_megabytes(text) == megabytes


@pytest.mark.parametrize("text", ["", "512", "0m", "-1g", "1.5g", "512 m", "lots", "12x"])
def test_rejects_an_invalid_heap_size(text: str) -> None:
    with pytest.raises(NodeError, match="not a size such as 512m or 2g"):
        heap_megabytes(text)


def make_java(home: Path, release: str) -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").touch()
    (home / "release").write_text(release, encoding="utf-8")
    return home


def test_reads_the_release_file_of_the_configured_java(tmp_path: Path) -> None:
    home = make_java(tmp_path, 'IMPLEMENTOR="X"\nJAVA_VERSION="21.0.2"\nMODULES="java.base jdk.incubator.vector"\n')
    java = Java(home, 21, frozenset({"java.base", "jdk.incubator.vector"}))
    assert find_java({"OPENSEARCH_JAVA_HOME": str(home)}) == java


def test_uses_the_java_of_the_wheel_by_default() -> None:
    java = find_java({})
    assert java.major >= 25
    assert "jdk.incubator.vector" not in java.modules


@pytest.mark.parametrize(
    ("release", "missing", "reason"),
    [
        ('JAVA_VERSION="17.0.15"\n', "", "is Java 17"),
        ('JAVA_VERSION="new"\n', "", "not a Java home"),
        ('JAVA_VERSION="25"\n', "release", "not a Java home"),
        ('JAVA_VERSION="25"\n', "bin/java", "bin/java"),
    ],
)
def test_rejects_another_configured_java(tmp_path: Path, release: str, missing: str, reason: str) -> None:
    home = make_java(tmp_path, release)
    if missing:
        (home / missing).unlink()
    with pytest.raises(JavaError, match=reason):
        find_java({"OPENSEARCH_JAVA_HOME": str(home)})
