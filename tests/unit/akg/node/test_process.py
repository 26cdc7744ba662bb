"""The environment of the node's process."""

from akg.node.process import child_environment


def test_java_reads_paths_as_utf_8_in_any_locale_and_ignores_options_for_others() -> None:
    environ = {"PATH": "/bin", "LC_ALL": "C", "LANG": "de_DE.ISO-8859-1", "JAVA_TOOL_OPTIONS": "-Xmx1m"}
    assert child_environment(environ) == {"PATH": "/bin", "LANG": "de_DE.ISO-8859-1", "LC_ALL": "C.UTF-8"}
    assert child_environment({}) == {"LC_ALL": "C.UTF-8"}
