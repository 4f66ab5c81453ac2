"""See to a browser for pages: one of the machine, else Playwright's own headless shell, else (as root) Debian's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from errands.doors.browser import INSTALL, can_browse

WAYS = [
    [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"],
    ["apt-get", "update", "-qq"],
    ["apt-get", "install", "-y", "-qq", "chromium-headless-shell"],
]


def main() -> int:
    """0 where there is a browser in the end."""
    for way in WAYS:
        if can_browse():
            return 0
        if way[0] == "apt-get" and (shutil.which("apt-get") is None or os.geteuid() != 0):
            continue
        subprocess.run(
            way,
            check=False,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            stdout=subprocess.DEVNULL,
        )
    if can_browse():
        return 0
    print(f"there is no browser, and none could be had: {INSTALL}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
