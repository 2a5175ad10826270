"""Who may ask, decided from the headers of a request alone, before its body is read."""

import ipaddress
import logging
import re
from typing import Any, TypeAlias

from thalweg.errors import ParameterError, short_repr
from thalweg.service.request_error import RequestError
from thalweg.service.settings import Settings

log = logging.getLogger("thalweg.service")
Headers: TypeAlias = dict[bytes, bytes]
OPEN = frozenset({"/health", "/v2/health/live", "/v2/health/ready"})  # no token: a load balancer has none
ANY = "*"
MOST_KNOWN = 1000  # Host headers and proxies that are remembered
_NAME = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?")
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^:\[\]/@]+)(?::(?P<port>[0-9]{0,5}))?")
_ORIGIN = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>[^/\s?#@]+)")
_PORTS = {"http": 80, "https": 443}


def headers_of(lines: list[tuple[bytes, bytes]]) -> Headers:
    """Return headers by name; the values of one that is repeated are joined, so that none is overlooked."""
    found = dict(lines)
    if len(found) < len(lines):
        joined: dict[bytes, list[bytes]] = {}
        for name, value in lines:
            joined.setdefault(name, []).append(value)
        found = {name: b", ".join(values) for name, values in joined.items()}
    return found


class Access:
    """The one place that admits or refuses a request; both ways of a request ask it.

    - The Host must be an address, localhost or an allowed name: a page whose name is pointed to this machine
      later (DNS rebinding) still sends its own name.
    - An Origin must be that of the Host, or an allowed one.
    - A token must be right, if there are tokens and the path is not one of health.

    It also decides whose address counts for rates and logs.
    """

    def __init__(self, settings: Settings) -> None:
        self._tokens = settings.tokens
        self._names = {"localhost", *(_allowed_host(name) for name in settings.allowed_hosts)}
        self._origins = {_allowed_origin(origin) for origin in settings.allowed_origins}
        self._proxies = [_network(each) for each in settings.trusted_proxies]
        self._known_hosts: set[bytes] = set()  # that were found to be allowed
        self._known_peers: dict[str, bool] = {}  # whether each is a trusted proxy

    def admit(self, scope: Any, headers: Headers, is_open: bool = False) -> None:
        """Raise RequestError if a request is not allowed; set the client of its scope behind a proxy."""
        host = headers.get(b"host")
        if host not in self._known_hosts:
            self._check_host(host, scope)
        if self._proxies:
            scope["client"] = self._client(scope["client"], headers.get(b"x-forwarded-for"))
        if b"origin" in headers:
            self._check_origin(headers[b"origin"], host or b"")
        if self._tokens is not None and not is_open:
            self._tokens.check(headers)

    def may_see_names(self, headers: Headers) -> bool:
        """Return whether an answer that needs no token may name models: not to a stranger."""
        if self._tokens is None:
            return True
        try:
            self._tokens.check(headers)
        except RequestError:
            return False
        return True

    def _check_host(self, host: bytes | None, scope: Any) -> None:
        if host is None and scope.get("http_version") == "1.0":
            return  # the probe of a load balancer; browsers always send a Host
        found = _HOST.fullmatch((host or b"").decode("latin-1").lower())
        name = found["name"].removesuffix(".") if found else ""
        if not found or not (name in self._names or ANY in self._names or _is_address(name)):
            shown = short_repr((host or b"").decode("latin-1")[:80])
            what = f"Host {shown} is not a name of this service: ask by its address, or allow the name"
            raise RequestError("wrong_host", f"{what} with --allowed-host")
        if host is not None:
            if len(self._known_hosts) >= MOST_KNOWN:
                self._known_hosts.clear()
            self._known_hosts.add(host)

    def _check_origin(self, origin: bytes, host: bytes) -> None:
        text = origin.decode("latin-1").lower()
        if text in self._origins or ANY in self._origins:
            return
        found = _ORIGIN.fullmatch(text)
        default = _PORTS.get(found["scheme"]) if found else None
        if not found or _place(found["host"], default) != _place(host.decode("latin-1").lower(), default):
            what = f"Origin {short_repr(text[:80])} is not that of this service"
            raise RequestError("foreign_origin", f"{what}; --allowed-origin allows others")

    def _client(self, peer: Any, forwarded: bytes | None) -> Any:
        """Return the nearest address that is no trusted proxy, as far as trusted proxies tell it."""
        if forwarded is None or not peer or not self._is_proxy(peer[0]):
            return peer
        client = peer
        for part in reversed(forwarded.decode("latin-1").split(",")):
            address = _forwarded(part.strip())
            if address is None:
                break
            client = (address, 0)
            if not self._is_proxy(address):
                break
        return client

    def _is_proxy(self, text: str) -> bool:
        found = self._known_peers.get(text)
        if found is None:
            address = _address(text)
            found = address is not None and any(address in network for network in self._proxies)
            if len(self._known_peers) >= MOST_KNOWN:
                self._known_peers.clear()
            self._known_peers[text] = found
        return found


def check_network(address: str, is_trusted: bool, settings: Settings) -> None:
    """Raise ParameterError if strangers could ask: a numeric address beyond loopback, and no tokens."""
    found = _address(address)
    if settings.tokens is not None or is_trusted or (found is not None and found.is_loopback):
        return
    problem = (
        f"{address} is not loopback, so without tokens all who reach it may predict and teach: give "
        f"--token-file FILE, or --trust-network if everyone in that network may"
    )
    raise ParameterError.of("serve", "host", problem=problem)


def warn_of_admin(settings: Settings) -> None:
    """Log that there is no token for administrators alone, if there are routes for them."""
    if settings.admin:
        who = "who reaches this address" if settings.tokens is None else "with a token"
        log.warning("--admin: every client %s may replace the models and erase ids", who)


def _place(host: str, default: int | None) -> tuple[str, int | None]:
    """Return the name and the port of a host."""
    found = _HOST.fullmatch(host)
    if not found:
        return host, None
    return found["name"].removesuffix("."), int(found["port"]) if found["port"] else default


def _is_address(name: str) -> bool:
    return _address(name[1:-1] if name.startswith("[") else name) is not None


def _address(text: str) -> "ipaddress.IPv4Address | ipaddress.IPv6Address | None":
    """Return an address, that of IPv4 if it is one written as IPv6; None if it is none."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _forwarded(text: str) -> str | None:
    """Return an address that a proxy tells, without its port; one with a zone may be of any length."""
    if "%" in text:
        return None
    address = _address(text)
    if address is None:
        found = _HOST.fullmatch(text.lower())
        address = _address(found["name"].strip("[]")) if found else None
    return None if address is None else str(address)


def _allowed_host(text: str) -> str:
    name = text.lower().removesuffix(".")
    if name != ANY and not _is_address(name) and not _NAME.fullmatch(name):
        problem = f"must be names such as orders.example.org, without scheme and port, got {short_repr(text)}"
        raise ParameterError.of("serve", "allowed_host", problem=problem)
    return name


def _allowed_origin(text: str) -> str:
    origin = text.lower().rstrip("/")
    if origin not in (ANY, "null") and not _ORIGIN.fullmatch(origin):
        problem = f"must be origins such as https://orders.example.org, got {short_repr(text)}"
        raise ParameterError.of("serve", "allowed_origin", problem=problem)
    return origin


def _network(text: str) -> "ipaddress.IPv4Network | ipaddress.IPv6Network":
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        problem = f"must be addresses or networks such as 10.0.0.0/8, got {short_repr(text)}"
        raise ParameterError.of("serve", "trusted_proxy", problem=problem) from None
