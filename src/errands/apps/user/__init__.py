"""The user, as far as a tool reaches: ask a question, or show staged things and ask for a yes.

The answers come from whoever listens to these signals (the simulated user of `people`).
"""

from __future__ import annotations

from typing import Annotated, Any

from errands.core.canon import digest
from errands.core.errors import ToolError
from errands.world import App, World

user = App("user", __name__, schema="", scopes=("user.ask",))


def _answer(w: World, signal: str, **payload: Any) -> dict[str, Any]:
    answers = w.signal(signal, **payload)
    return dict(answers[0]) if answers else {"answer": "", "note": "the user does not answer"}


@user.read()
def profile(w: World) -> dict[str, str]:
    """Who your user is: name, e-mail address, time zone."""
    return {"name": w.meta["owner_name"], "email": w.meta["owner"], "zone": w.zone}


@user.write("user.ask", cost=60_000)
def ask_user(
    w: World, question: Annotated[str, "one clear question, or what you want to show"]
) -> dict[str, Any]:
    """Ask the user something; the answer comes back at once. Same as asking in your reply."""
    if not question.strip():
        raise ToolError(
            "invalid", "the question is empty", field="question", value=question, expected="a question"
        )
    return _answer(w, "user.asked", text=question)


@user.write("user.ask", cost=60_000)
def request_approval(
    w: World,
    items: Annotated[
        list[str],
        "ids of what is prepared and waits for a yes: drafts, notices, quotes, orders, planned calls",
    ],
    message: Annotated[str, "what you want to say with it"] = "",
) -> dict[str, Any]:
    """Show staged things to the user, exactly as they are now, and ask whether they may go out."""
    if not 0 < len(items) <= 50:
        raise ToolError(
            "invalid",
            f"{len(items)} items cannot be approved at once",
            field="items",
            expected="between 1 and 50 ids of staged things",
        )
    shown = []
    for ident in dict.fromkeys(items):
        found = w.find_staged(ident)
        if found is None:
            raise ToolError(
                "not_found",
                f"nothing is staged under {ident!r}",
                field="items",
                value=ident,
                expected="ids of what is prepared and has not gone out",
            )
        kind, picture = found
        shown.append(
            {
                "id": ident,
                "staged": kind,
                "digest": digest(picture.content),
                "text": picture.text,
                "handles": list(picture.handles),
            }
        )
    return _answer(w, "user.approval_requested", items=shown, text=message)
