"""Client addresses, and headers that clients can forge."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from api.limits.client_id import UNKNOWN, client_address, client_hash, pack_address

V6 = bytes.fromhex("20010db800010002")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("192.0.2.7", b"\xc0\x00\x02\x07"),
        ("192.0.2.7:4711", b"\xc0\x00\x02\x07"),
        ("::ffff:192.0.2.7", b"\xc0\x00\x02\x07"),
        ("[::ffff:c000:207]:80", b"\xc0\x00\x02\x07"),
        ("2001:db8:1:2:3:4:5:6", V6),
        ("2001:DB8:1:2::", V6),
        ("[2001:db8:1:2::1]", V6),
        ("[2001:db8:1:2::1]:443", V6),
        ("2001:db8:1:3::1", bytes.fromhex("20010db800010003")),
        ("fe80::1%eth0", bytes.fromhex("fe80000000000000")),
        ("", None),
        ("unknown", None),
        ("_hidden", None),
        ("localhost", None),
        ("192.0.2.256", None),
        ("192.0.2.7.", None),
        ("[192.0.2.7", None),
        ("1" * 5000, None),
    ],
)
def test_an_address_identifies_one_customer(text: str, found: bytes | None) -> None:
    assert pack_address(text) == found


@pytest.mark.parametrize(
    ("proxies", "forwarded", "caller"),
    [
        (0, [], "192.0.2.1"),
        (0, ["203.0.113.9"], "192.0.2.1"),
        (1, [], "192.0.2.1"),
        (1, ["203.0.113.9"], "203.0.113.9"),
        (1, ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        (1, ["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        (1, ["a," * 5000 + " 203.0.113.9:5000"], "203.0.113.9"),
        (1, ["203.0.113.9, "], "192.0.2.1"),
        (1, ["203.0.113.9, unknown"], "192.0.2.1"),
        (2, ["203.0.113.9"], "192.0.2.1"),
        (2, ["203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        (2, ["forged, 203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        (2, ["forged, 203.0.113.9", "10.0.0.2"], "203.0.113.9"),
        (3, ["203.0.113.9, 10.0.0.2"], "192.0.2.1"),
    ],
)
def test_trusts_only_the_addresses_that_our_proxies_appended(proxies: int, forwarded: list[str], caller: str) -> None:
    headers = [(b"accept", b"*/*"), *((b"x-forwarded-for", line.encode()) for line in forwarded)]
    assert client_address("192.0.2.1", headers, proxies) == ip_address(caller).packed


@pytest.mark.parametrize("forged", ["203.0.113.{}", "203.0.113.{}, 192.0.2.1", "::{}", "{}"])
def test_a_forged_header_has_no_effect(forged: str) -> None:
    callers = {client_address("192.0.2.1", [(b"x-forwarded-for", forged.format(n).encode())], 0) for n in range(200)}
    behind = {
        client_address("10.0.0.1", [(b"x-forwarded-for", f"{forged.format(n)}, 192.0.2.1".encode())], 1)
        for n in range(200)
    }
    assert callers == behind == {b"\xc0\x00\x02\x01"}


@pytest.mark.parametrize("peer", [None, "", "testclient", "/run/akg.sock"])
def test_all_peers_without_an_address_are_one_client(peer: str | None) -> None:
    assert client_address(peer, [], 0) == UNKNOWN


def test_a_hash_is_stable_and_depends_on_the_secret() -> None:
    first, second = b"\xc0\x00\x02\x01", b"\xc0\x00\x02\x02"
    assert client_hash(first, b"secret") == client_hash(first, b"secret")
    assert len({client_hash(first, b"secret"), client_hash(second, b"secret"), client_hash(first, b"other")}) == 3
    assert 0 <= client_hash(first, b"secret") < 2**64
