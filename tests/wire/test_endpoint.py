"""URLs taken apart."""

from __future__ import annotations

import pytest

from mcp_tasks_conformance.wire.endpoint import Endpoint


@pytest.mark.parametrize(
    ("url", "authority", "target"),
    [
        ("http://127.0.0.1:8000/mcp", "127.0.0.1:8000", "/mcp"),
        ("http://EXAMPLE.com", "example.com", "/"),
        ("https://example.com:443/a?b=c&d#e", "example.com", "/a?b=c&d"),
        ("https://example.com:80/", "example.com:80", "/"),
        ("http://[::1]:9/x y/é", "[::1]:9", "/x%20y/%C3%A9"),
        ("http://bücher.example/", "xn--bcher-kva.example", "/"),
        (" http://a/%20 ", "a", "/%20"),
    ],
)
def test_a_url_gives_what_a_request_needs(url: str, authority: str, target: str) -> None:
    endpoint = Endpoint.parse(url)
    assert (endpoint.authority, endpoint.target) == (authority, target)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "begins with http"),
        ("localhost:8000/mcp", "begins with http"),
        ("ftp://x", "begins with http"),
        ("http://", "no host"),
        ("http:///mcp", "no host"),
        ("http://x:port/", "not a URL"),
        ("http://x:70000/", "not a URL"),
        ("http://[::1/", "not a URL"),
        ("http://a..b/", "not a URL"),
    ],
)
def test_what_is_no_url_is_refused_with_a_reason(url: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Endpoint.parse(url)


def test_user_and_password_become_a_header_and_show_nowhere_else() -> None:
    endpoint = Endpoint.parse("http://me:s%40crt@127.0.0.1:1/mcp")
    assert endpoint.authorization == "Basic bWU6c0BjcnQ="
    assert endpoint.url == "http://127.0.0.1:1/mcp"
    assert "bWU6" not in repr(endpoint)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost/", True),
        ("http://127.8.9.10:1/", True),
        ("http://[::1]/", True),
        ("http://10.0.0.1/", False),
        ("http://localhost.example.com/", False),
    ],
)
def test_loopback_is_told_from_the_rest(url: str, expected: bool) -> None:
    assert Endpoint.parse(url).loopback is expected


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/mcp/", "http://a:1/mcp/"),
        ("mcp/", "http://a:1/x/mcp/"),
        ("?y", "http://a:1/x/mcp?y"),
        ("//b/z", "http://b/z"),
        ("https://b:2/", "https://b:2/"),
    ],
)
def test_a_location_is_read_from_where_it_was_given(location: str, url: str) -> None:
    assert Endpoint.parse("http://u:p@a:1/x/mcp").redirected(location).url == url
