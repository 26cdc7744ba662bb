"""Which addresses may be requested: public ones only, whatever a name resolves to."""

from collections.abc import Sequence

import httpx
import pytest

from indexer.market import public_transport
from indexer.market.fetcher import PageFetcher, VisitResult
from indexer.market.public_transport import PrivateAddressError, PublicTransport, Resolve, resolve
from tests.support.page_fetcher import PAGE, URL, FakeTime, fetcher_with


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/a?b=c", True),
        ("http://example.org:80/", True),
        ("https://example.org:8443/", False),
        ("http://example.org:443/", False),
        ("ftp://example.org/", False),
        ("file:///etc/passwd", False),
        ("https://me:secret@example.org/", False),
        ("https:///a", False),
        ("https://localhost/", False),
        ("https://example.org./", False),
        ("https://[2606:2800:21f:cb07::1]/", False),
        ("https://example.org/a b", False),
        ("https://example.org:port/", False),
        ("https://[::1/", False),
        ("", False),
        (f"https://example.org/{'a' * 2000}", False),
    ],
)
def test_allows_only_public_web_urls(url: str, *, expected: bool) -> None:
    assert public_transport.is_allowed_url(url) is expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - not bound
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("198.18.0.1", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.215.14", True),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d70e", True),
        ("2002:7f00:1::", False),
        ("2001:db8::1", False),
        ("example.org", False),
    ],
)
def test_recognizes_public_ip_addresses(address: str, *, expected: bool) -> None:
    assert public_transport.is_public_ip(address) is expected


def resolving(**names: Sequence[str]) -> Resolve:
    """A resolver of these names, with underscores for dots."""

    async def resolver(host: str, port: int) -> list[str]:  # noqa: ARG001 - the signature of a resolver
        addresses = names.get(host.replace(".", "_"))
        if addresses is None:
            raise OSError("Name or service not known")
        return list(addresses)

    return resolver


def fetcher_of(requests: list[httpx.Request], fake_time: FakeTime, resolver: Resolve) -> PageFetcher:
    """Return a fetcher that resolves names, and whose requests to the addresses are recorded."""

    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        if request.url.path == "/private":
            return httpx.Response(302, headers={"Location": "http://private.example/admin"})
        return httpx.Response(200, html=PAGE)

    return fetcher_with(PublicTransport(httpx.MockTransport(handler), resolver), fake_time)


async def test_connects_to_the_checked_address(fake_time: FakeTime) -> None:
    requests: list[httpx.Request] = []
    resolver = resolving(shop_example=["93.184.215.14", "2606:2800:21f:cb07::1"])
    result = await fetcher_of(requests, fake_time, resolver).visit(URL)
    assert result.page is not None
    assert [request.url.host for request in requests] == ["93.184.215.14", "93.184.215.14"]
    assert {request.headers["host"] for request in requests} == {"shop.example"}
    assert {request.extensions["sni_hostname"] for request in requests} == {"shop.example"}


NOT_PUBLIC = ("127.0.0.1",), ("93.184.215.14", "10.0.0.1"), ("::ffff:10.0.0.1",), ("fd00::1",), ("169.254.169.254",), ()
NOT_NAMES = {
    **dict.fromkeys(("127.0.0.1", "0x7f.1", "127.1"), "private"),
    **dict.fromkeys(("2130706433", "[::1]", "localhost", "localhost."), "address"),
}


@pytest.mark.parametrize(
    ("url", "resolver", "rule"),
    [
        *((URL, resolving(shop_example=addresses), "private") for addresses in NOT_PUBLIC),
        *((f"http://{host}/", resolve, rule) for host, rule in NOT_NAMES.items()),
        *((url, resolving(), "no-answer") for url in (URL, f"https://{'a' * 70}.example/")),
    ],
)
async def test_sends_no_request_to_a_host_without_a_public_address(
    fake_time: FakeTime, url: str, resolver: Resolve, rule: str
) -> None:
    requests: list[httpx.Request] = []
    assert await fetcher_of(requests, fake_time, resolver).visit(url) == VisitResult(url, rule)
    assert requests == []


async def test_does_not_follow_a_redirect_to_a_private_address(fake_time: FakeTime) -> None:
    requests: list[httpx.Request] = []
    resolver = resolving(shop_example=["93.184.215.14"], private_example=["192.168.0.10"])
    result = await fetcher_of(requests, fake_time, resolver).visit("https://shop.example/private")
    assert result == VisitResult("https://shop.example/private", "private")
    assert [request.headers["host"] for request in requests] == ["shop.example", "shop.example"]


async def test_resists_dns_rebinding(fake_time: FakeTime) -> None:
    results = [["93.184.215.14"], ["127.0.0.1"]]
    requests: list[httpx.Request] = []

    async def resolver(host: str, port: int) -> list[str]:  # noqa: ARG001 - the signature of a resolver
        return results.pop(0)

    assert (await fetcher_of(requests, fake_time, resolver).visit(URL)).rule == "private"
    assert [request.url.host for request in requests] == ["93.184.215.14"]


async def test_resolves_localhost_and_rejects_it() -> None:
    assert "127.0.0.1" in await resolve("localhost", 80)
    async with httpx.AsyncClient(transport=PublicTransport()) as client:
        with pytest.raises(PrivateAddressError):
            await client.get("http://localhost/")


async def test_tries_a_second_address_if_the_first_refuses(fake_time: FakeTime) -> None:
    hosts: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        if ":" in request.url.host:
            return httpx.Response(200, html=PAGE)
        raise httpx.ConnectError("refused")

    resolver = resolving(shop_example=["93.184.215.14", "2606:2800:21f:cb07::1"])
    fetcher = fetcher_with(PublicTransport(httpx.MockTransport(handler), resolver), fake_time)
    assert (await fetcher.visit(URL)).page is not None
    assert hosts == ["93.184.215.14", "2606:2800:21f:cb07::1"] * 2
