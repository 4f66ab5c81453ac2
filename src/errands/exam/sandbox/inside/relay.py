"""Bridges inside a sandbox, which has no network: to unix sockets that lead out.

    relay.py tcp PORT=SOCKET ... -- PROGRAM ARGUMENT...
        listens on 127.0.0.1:PORT, pipes each connection to the unix socket, runs the program, exits with its code
    relay.py stdio SOCKET
        pipes its own stdin and stdout to the unix socket

Stands alone: Python's standard library only. Bytes go on as they come, so that streams stay streams.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from contextlib import suppress

CHUNK = 1 << 16


def pipe(source: socket.socket, sink: socket.socket) -> None:
    """Copy one direction until it ends; then say so to the other side, which may still be talking."""
    try:
        while data := source.recv(CHUNK):
            sink.sendall(data)
    except OSError:
        for end in (source, sink):  # broken, not ended: the other direction has no use either
            close(end, socket.SHUT_RDWR)
    close(sink, socket.SHUT_WR)


def close(end: socket.socket, how: int) -> None:
    """Shut down a side that may be gone already."""
    with suppress(OSError):
        end.shutdown(how)


def join(near: socket.socket, path: str) -> None:
    """Join one connection with a new one to the unix socket, until both directions have ended."""
    with near, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as far:
        try:
            far.connect(path)
        except OSError as why:
            print(f"relay: {path}: {why.strerror}", file=sys.stderr, flush=True)
            return
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        out = threading.Thread(target=pipe, args=(near, far), daemon=True)
        out.start()
        pipe(far, near)
        out.join()


def accept(server: socket.socket, path: str) -> None:
    """Join every connection that comes, each in a thread of its own."""
    while True:
        near, _ = server.accept()
        threading.Thread(target=join, args=(near, path), daemon=True).start()


def tcp(words: list[str]) -> int:
    """Listen, run the program, and return its exit code."""
    cut = words.index("--")
    threading.stack_size(256 << 10)
    for word in words[:cut]:
        port, _, path = word.partition("=")
        server = socket.create_server(("127.0.0.1", int(port)), backlog=128)
        threading.Thread(target=accept, args=(server, path), daemon=True).start()
    argv = words[cut + 1 :]
    try:
        # Python ignores these two; the program shall not inherit that.
        child = os.posix_spawnp(argv[0], argv, os.environ, setsigdef=(signal.SIGPIPE, signal.SIGXFSZ))
    except OSError as why:
        print(f"relay: {argv[0]}: {why.strerror}", file=sys.stderr)
        return 127
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda n, _: os.kill(child, n))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def stdio(path: str) -> int:
    """Pipe stdin to the socket and the socket to stdout, until the socket says that it is over."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as far:
        try:
            far.connect(path)
        except OSError as why:
            print(f"relay: {path}: {why.strerror}", file=sys.stderr)
            return 1

        threading.Thread(target=upload, args=(far,), daemon=True).start()
        try:
            while data := far.recv(CHUNK):
                view = memoryview(data)
                while view:
                    view = view[os.write(1, view) :]
        except OSError as why:
            print(f"relay: {path}: {why.strerror}", file=sys.stderr)
            return 1
    return 0


def upload(far: socket.socket) -> None:
    """Copy stdin to the socket until one of them ends."""
    try:
        while data := os.read(0, CHUNK):
            far.sendall(data)
    except OSError:
        pass  # the socket has ended, and the other direction says so
    close(far, socket.SHUT_WR)


def main(words: list[str]) -> int:
    """Do what the first word says."""
    if words[:1] == ["tcp"] and "--" in words:
        return tcp(words[1:])
    if words[:1] == ["stdio"] and len(words) == 2:
        return stdio(words[1])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)  # threads may still be reading
