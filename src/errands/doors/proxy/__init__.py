"""The egress proxy: the one way from a sandboxed agent to its model, which counts what passes by.

Plain HTTP on a unix socket or a port, one proxy an attempt. The agent's base URL is `http://…/<upstream>` and its key
is a stand-in that is worth something here only; the real one is put in its place on the way out. Only the calls of
models that we can read are let through; anything else is refused and recorded.
"""

from .call import Denied, Served, Watch
from .server import Proxy
from .upstream import Upstream

__all__ = ["Denied", "Proxy", "Served", "Upstream", "Watch"]
