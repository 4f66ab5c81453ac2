"""What keeps this machine from a sandbox, and what can be done about it."""

from __future__ import annotations

import shutil
import sys

from errands.core.errors import UsageError

_OTHERWISE = (
    "or let the agent come by itself (errands serve, a webhook), or run it with --unsafe-host, which evidence and "
    "card then say"
)
# What bubblewrap says, what it means, and the way out.
_SAID = (
    (
        (
            "No permissions to creat",
            "Creating new namespace failed",
            "setting up uid map",
            "Operation not permitted",
        ),
        "this machine lets no ordinary user make namespaces",
        "allow it (Ubuntu: an AppArmor profile for bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0; "
        "Debian: sysctl kernel.unprivileged_userns_clone=1; in Docker: --cap-add SYS_ADMIN --security-opt "
        "seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined)",
    ),
    (
        ("mount proc",),
        "this container hides parts of /proc, so that no sandbox can have its own",
        "start the container with --security-opt systempaths=unconfined",
    ),
    (
        ("prlimit", "setpriv"),
        "prlimit and setpriv are missing",
        "install them: apt-get install util-linux",
    ),
)


def found(bwrap: str) -> str:
    """The path of bubblewrap; raises `UsageError` where there can be none, or is none."""
    if sys.platform != "linux":
        raise UsageError(
            f"a command-line agent needs a sandbox, and bubblewrap runs on Linux only, not on {sys.platform}",
            do=f"run errands in a Linux virtual machine or container; {_OTHERWISE}",
        )
    path = shutil.which(bwrap)
    if path is None:
        raise UsageError(
            "a command-line agent runs in a sandbox, and bubblewrap is not installed",
            where=bwrap,
            do="install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), "
            f"pacman -S bubblewrap (Arch), apk add bubblewrap (Alpine); {_OTHERWISE}",
        )
    return path


def explain(said: str) -> UsageError:
    """The error that explains why a trial sandbox did not start."""
    for words, what, do in sorted(_SAID, key=lambda s: "proc" not in s[0][0]):
        if any(w in said for w in words):
            return UsageError(f"{what} ({said.strip()})", where="bubblewrap", do=f"{do}; {_OTHERWISE}")
    return UsageError(f"a trial sandbox did not start: {said.strip()}", where="bubblewrap", do=_OTHERWISE[3:])
