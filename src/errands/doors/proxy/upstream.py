"""The endpoint of a model, and a connection to it."""

from __future__ import annotations

import http.client
import ssl
import urllib.request
from dataclasses import dataclass, field
from urllib.parse import urlsplit

CONNECT_S, SILENT_S = 10.0, 300.0  # seconds for a connection, and without a byte from the model


@dataclass(frozen=True, slots=True)
class Upstream:
    """A model endpoint that the agent may reach: its base URL, and the key that the agent never sees."""

    base: str
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Its name, for messages."""
        return urlsplit(self.base).netloc.rpartition("@")[2]


def connect(base: str, target: str) -> tuple[http.client.HTTPConnection, str]:
    """A connection to an endpoint, through the host's own web proxy where it names one; and what to ask it for."""
    to = urlsplit(base)
    if to.scheme not in ("http", "https") or not to.hostname:
        raise ValueError(f"no base URL: {base[:200]!r}")
    secure = to.scheme == "https"
    port = to.port or (443 if secure else 80)
    by = None
    if not urllib.request.proxy_bypass(to.netloc):
        by = urllib.request.getproxies().get(to.scheme)
    via = urlsplit(by if "//" in by else f"//{by}") if by else None
    host, at = (via.hostname or "", via.port or 80) if via else (to.hostname, port)
    if secure:
        link: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, at, timeout=CONNECT_S, context=ssl.create_default_context()
        )
        if via:
            link.set_tunnel(to.hostname, port)
    else:
        link = http.client.HTTPConnection(host, at, timeout=CONNECT_S)
        if via:
            target = f"http://{to.netloc.rpartition('@')[2]}{target}"
    link.connect()
    link.sock.settimeout(SILENT_S)
    return link, target
