"""The samples of Prometheus metrics."""

from collections.abc import Iterable

from prometheus_client.registry import Collector


def samples_of(collectors: Iterable[Collector], name: str) -> dict[tuple[str, ...], float]:
    """Return the values of a metric, by the values of its labels."""
    families = [family for collector in collectors for family in collector.collect()]
    samples = [sample for family in families for sample in family.samples if sample.name == name]
    return {tuple(sample.labels.values()): sample.value for sample in samples}
