"""The errors a person or an agent may meet, each saying what was wrong, where, and what to do."""

from __future__ import annotations

from typing import Any


class ErrandsError(Exception):
    """A problem that the reader of the message can act on.

    `what` was wrong, `where` (file, field, attempt), what was `expected`, and what to `do` about it.
    """

    def __init__(self, what: str, *, where: str = "", expected: str = "", do: str = "") -> None:
        self.what, self.where, self.expected, self.do = what, where, expected, do
        super().__init__(what, where, expected, do)

    def __reduce__(self) -> tuple[Any, ...]:
        """So that a worker's error arrives as it was raised."""
        return _again, (type(self), self.args)

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        tail = [f"expected {self.expected}"] if self.expected else []
        tail += [self.do] if self.do else []
        return ". ".join([head.rstrip("."), *tail])


def _again(kind: type[ErrandsError], args: tuple[str, str, str, str]) -> ErrandsError:
    what, where, expected, do = args
    return kind(what, where=where, expected=expected, do=do)


class UsageError(ErrandsError):
    """The command or call was wrong (exit code 2)."""


class TaskError(ErrandsError):
    """A task folder, market folder or word bank is malformed, or its solver finds no single answer."""


class SchemaError(ErrandsError):
    """An app's schema uses something the ledger cannot follow."""


class EvidenceError(ErrandsError):
    """A bundle or run folder is not what was sealed."""


class ClosedError(ErrandsError):
    """The sitting has ended; nothing enters any more."""


class WorldFault(ErrandsError):
    """A bug of ours inside the world: the attempt ends `invalid` and is never graded."""


class ToolError(Exception):
    """The world's answer to a call that cannot be done: recorded, and it changes nothing.

    `code` is one of a small set that real services use (`invalid`, `not_found`, `permission`, `conflict`,
    `unavailable`, `timeout`, `unknown_tool`, `limit`); `field` and `value` name what was wrong.
    """

    def __init__(
        self, code: str, message: str, *, field: str = "", value: Any = None, expected: str = ""
    ) -> None:
        self.code, self.message, self.field, self.value, self.expected = code, message, field, value, expected
        super().__init__(code, message)

    def body(self) -> dict[str, Any]:
        """The error as an agent reads it."""
        out: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.field:
            out["field"] = self.field
        if self.value is not None:
            out["value"] = self.value if isinstance(self.value, (int, bool)) else str(self.value)[:200]
        if self.expected:
            out["expected"] = self.expected
        return out

    def __str__(self) -> str:
        place = f" (field {self.field!r})" if self.field else ""
        want = f"; expected {self.expected}" if self.expected else ""
        return f"{self.code}: {self.message}{place}{want}"
