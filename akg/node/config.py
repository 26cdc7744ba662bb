"""The files that tell OpenSearch and Java how to run one node. Only `write_config` touches the disk.

The engine is started as `java @jvm.options` instead of through `bin/opensearch`: the script starts five more Javas
first, which doubles the time to a ready node on two cores, and it breaks on a path with a space.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akg.node.errors import NodeError

if TYPE_CHECKING:
    from pathlib import Path

    from akg.node.folders import Folders
    from akg.node.java import Java

# The engine takes the first free port of a range itself and says which: nothing can slip in between.
HTTP_PORTS = "9200-9299"
TRANSPORT_PORTS = "9300-9399"

_HEAP = re.compile(r"([1-9][0-9]*)([mg])", re.IGNORECASE)
_MEGABYTES = {"m": 1, "g": 1024}

# What the distribution's own launcher passes to every Java (its class SystemJvmOptions).
_SYSTEM = (
    "-Dopensearch.networkaddress.cache.ttl=60",
    "-Dopensearch.networkaddress.cache.negative.ttl=10",
    "-XX:+AlwaysPreTouch",
    "-Xss1m",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
    "-Djna.nosys=true",
    "-XX:-OmitStackTraceInFastThrow",
    "-XX:+ShowCodeDetailsInExceptionMessages",
    "-Dio.netty.noUnsafe=true",
    "-Dio.netty.noKeySetOptimization=true",
    "-Dio.netty.recycler.maxCapacityPerThread=0",
    "-Dio.netty.allocator.numDirectArenas=0",
    "-Dlog4j.shutdownHookEnabled=false",
    "-Dlog4j2.disable.jmx=true",
    "-Djava.locale.providers=SPI,CLDR",
)

# What its config/jvm.options adds. Paths are relative to the distribution, where Java is started.
_SHIPPED = (
    "-XX:+UseG1GC",
    "-XX:G1ReservePercent=25",
    "-XX:InitiatingHeapOccupancyPercent=30",
    "-XX:+HeapDumpOnOutOfMemoryError",
    "-javaagent:agent/opensearch-agent.jar",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1",
)
_COMPACT_HEADERS = 25  # -XX:+UseCompactObjectHeaders is unknown to an older Java
_INLINING_BUG = 23  # JDK-8341127 is in this version only
_VECTOR = "jdk.incubator.vector"  # the wheel's Java is built without it

# OpenSearch refuses to run as root, which is who one is in most containers and on many CI machines. It learns who
# it is from its native layer: without that layer it only warns. An ordinary user keeps the layer.
_AS_ROOT = ("-Djna.nounpack=true", "-Djna.boot.library.path=/nonexistent")


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """What may differ from one node to the next. `http_port` 0 is any free one, None the first free from 9200."""

    home: Path
    folders: Folders
    java: Java
    heap: str = "512m"
    http_port: int | None = None
    as_root: bool = False
    extra_options: str = ""


def opensearch_yml(config: NodeConfig) -> str:
    """Loopback only, alone, and with every path inside the node's own folder."""
    folders = config.folders
    settings: dict[str, str | int | bool] = {
        "cluster.name": "akg",
        "node.name": "akg",
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": HTTP_PORTS if config.http_port is None else config.http_port,
        "transport.port": TRANSPORT_PORTS if config.http_port is None else 0,
        "node.portsfile": True,
        "path.data": str(folders.data),
        "path.logs": str(folders.logs),
        "path.repo": str(folders.snapshots),
        # A laptop disk is often over 90 % full; the node would turn every index read-only.
        "cluster.routing.allocation.disk.threshold_enabled": False,
        # Room for a whole release: each writer writes one segment of it, and there is little to merge.
        "indices.memory.index_buffer_size": "30%",
    }
    # A JSON value is a YAML value, whatever stands in a path.
    return "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in settings.items())


def java_options(config: NodeConfig) -> list[str]:
    """The whole command line after `java`, ready for a process that starts in the distribution's folder."""
    heap = heap_megabytes(config.heap)
    folders = config.folders
    options = [*_SYSTEM, f"-Xms{heap}m", f"-Xmx{heap}m", *_SHIPPED]
    options += [
        f"-Djava.io.tmpdir={folders.scratch}",
        f"-XX:HeapDumpPath={folders.logs}",
        f"-XX:ErrorFile={folders.logs / 'hs_err_pid%p.log'}",
        # Quoted, for a colon in the path would end the file name.
        f'-Xlog:gc*,safepoint:file="{folders.logs / "gc.log"}":utctime,pid,tags:filecount=2,filesize=4m',
        f"-XX:MaxDirectMemorySize={heap * 1024 * 1024 // 2}",
    ]
    options += _options_of_version(config.java)
    if config.as_root:
        options += _AS_ROOT
    options += shlex.split(config.extra_options)
    return [
        *options,
        f"-Dopensearch.path.home={config.home}",
        f"-Dopensearch.path.conf={folders.config}",
        "-Dopensearch.distribution.type=zip",
        "-Dopensearch.bundled_jdk=false",
        "-cp",
        "lib/*",
        "org.opensearch.bootstrap.OpenSearch",
    ]


def _options_of_version(java: Java) -> list[str]:
    options = []
    if java.major >= _COMPACT_HEADERS:
        options.append("-XX:+UseCompactObjectHeaders")
    if java.major == _INLINING_BUG:
        prefix = "-XX:CompileCommand=dontinline,java/lang/invoke/MethodHandle"
        options += [f"{prefix}.setAsTypeCache", f"{prefix}.asTypeUncached"]
    if _VECTOR in java.modules:
        options.append(f"--add-modules={_VECTOR}")
    return options


def heap_megabytes(heap: str) -> int:
    """Read "512m" or "2g"."""
    if not (match := _HEAP.fullmatch(heap)):
        raise NodeError(f"heap {heap!r} is not a size: write it like 512m or 2g")
    return int(match[1]) * _MEGABYTES[match[2].lower()]


def argument_file(options: list[str]) -> str:
    """One quoted option per line, as `java @file` reads it."""
    return "".join('"{}"\n'.format(option.replace("\\", "\\\\").replace('"', '\\"')) for option in options)


LOG4J2_PROPERTIES = """\
status = error

appender.rolling.type = RollingFile
appender.rolling.name = rolling
appender.rolling.fileName = ${sys:opensearch.logs.base_path}${sys:file.separator}akg.log
appender.rolling.filePattern = ${sys:opensearch.logs.base_path}${sys:file.separator}akg-%i.log
appender.rolling.layout.type = PatternLayout
appender.rolling.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}]%marker %m%n
appender.rolling.policies.type = Policies
appender.rolling.policies.size.type = SizeBasedTriggeringPolicy
appender.rolling.policies.size.size = 10MB
appender.rolling.strategy.type = DefaultRolloverStrategy
appender.rolling.strategy.max = 3

rootLogger.level = info
rootLogger.appenderRef.rolling.ref = rolling

# As root the native layer is off on purpose, and each start would log a stack trace about it.
logger.natives.name = org.opensearch.bootstrap.Natives
logger.natives.level = error
"""


def write_config(config: NodeConfig) -> None:
    """Lay the config folder anew, so that nothing of an earlier version stays in it, and set the old log aside."""
    folders = config.folders
    texts = {
        folders.config / "opensearch.yml": opensearch_yml(config),
        folders.options: argument_file(java_options(config)),
        folders.config / "log4j2.properties": LOG4J2_PROPERTIES,
    }
    for emptied in (folders.config, folders.scratch):
        shutil.rmtree(emptied, ignore_errors=True)
    for folder in (folders.config, folders.scratch, folders.data, folders.logs, folders.snapshots):
        folder.mkdir(parents=True, exist_ok=True)
    if folders.log.exists():
        folders.log.replace(folders.previous_log)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
