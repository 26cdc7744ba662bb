"""Which indices of usage counts have expired."""

from datetime import UTC, datetime

import pytest

from api.telemetry.usage_writer import expired_indices


@pytest.mark.parametrize(
    ("months", "expired"),
    [
        (13, []),
        (3, ["akg-usage-2025.10", "akg-usage-2025.11"]),
        (1, ["akg-usage-2025.10", "akg-usage-2025.11", "akg-usage-2025.12", "akg-usage-2026.01"]),
    ],
)
def test_indices_expire_after_the_configured_months(months: int, expired: list[str]) -> None:
    monthly = [f"akg-usage-{month}" for month in ("2025.10", "2025.11", "2025.12", "2026.01", "2026.02", "2026.03")]
    others = ["akg-usage-old", "akg-usage-2020.1", "other-usage-2020.01", "akg-entities-20200101t000000z"]
    now = datetime(2026, 2, 28, 23, 59, tzinfo=UTC)
    assert expired_indices([*monthly, *others], "akg-usage", now, months) == expired
