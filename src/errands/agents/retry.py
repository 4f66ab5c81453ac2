"""When a model call is tried again, and what it means when it is not: the published policy.

| what happened | tries | then the attempt |
|---|---|---|
| status 408, 429, 500, 502, 503, 504, 520 to 524, 529 | 5 | is blocked |
| the connection broke off once the call was sent | 5 | is blocked |
| an answer that cannot be read | 3 | is blocked |
| no connection: refused, no such host, nothing within 4 s | 2 | is blocked |
| no answer within 120 s | 2 | is blocked |
| status 401, 402, 403, 404; credit or quota used up; the key or model refused by any other status | 1 | is blocked |
| any other 4xx to the first call of an attempt: the endpoint does not take what we send | 1 | is blocked |
| the conversation has outgrown the model; a filter that withheld the answer; any other 4xx | 1 | ends: `agent_error` |

Between tries pass 0.5, 1, 2, 4, at most 8 seconds; or what the endpoint asks for by `Retry-After`, up to 30. A try that
the attempt's time leaves no room for is not waited for. Libraries below do not try again by themselves, so what is
recorded as retries is all there was. Blocked attempts are never scored: `--resume` sits
those of a run that was stopped again.
"""

from __future__ import annotations

from dataclasses import dataclass

from .endpoints import clean

AGAIN = (408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529)
REFUSED = (401, 402, 403, 404)
FIRST_S, LONGEST_S, ASKED_S = 0.5, 8.0, 30.0
CALL_S = 120.0
TRIES = {"status": 5, "lost": 5, "unreadable": 3, "unreachable": 2, "silent": 2}
DO = {
    "401": "check the key",
    "402": "check the account's credit",
    "403": "check what the key may do",
    "404": "check the model's name and the base URL",
    "quota": "check the account's credit",
    "unreachable": "check that the server is there, and the base URL",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """What one try came to. `kind` is stable (a status or a word): it tells like from unlike.

    `tries`: how often such a call is made at most. `own`: it is the agent's own end, not the endpoint's fault.
    `sent`: the endpoint may have worked on it, and so may charge for it. `asked`: seconds it asked us to wait.
    """

    kind: str
    text: str
    tries: int = 1
    own: bool = False
    sent: bool = False
    asked: float | None = None

    @property
    def do(self) -> str:
        """What the operator can do."""
        return DO.get(self.kind, "try again later with --resume")

    def wait(self, failed: int) -> float | None:
        """Seconds to the next try after so many failed ones; None where there is none."""
        if failed >= self.tries:
            return None
        if self.asked is not None:
            return min(max(self.asked, 0.0), ASKED_S)
        return float(min(FIRST_S * 2 ** (failed - 1), LONGEST_S))


def trouble_of(why: BaseException, *, first: bool) -> Trouble | None:
    """What an exception of the library means; None where it is none of the endpoint's or the agent's doing.

    `first`: no call of this attempt was answered yet.
    """
    from pydantic_ai import exceptions as x

    text = _text(why)
    if isinstance(why, TimeoutError | x.ModelRequestTimeout):
        return Trouble("silent", f"no answer within {CALL_S:.0f} s", TRIES["silent"], sent=True)
    if isinstance(why, x.ModelContextWindowExceededError | x.ContentFilterError):
        return Trouble("refused", text, own=True)
    if isinstance(why, x.ModelConnectionError):
        if why.phase in ("connect", "pool"):
            return Trouble("unreachable", text, TRIES["unreachable"])
        return Trouble("lost", text, TRIES["lost"], sent=True)
    if isinstance(why, x.ModelHTTPError):
        return _status(why, text, first)
    if isinstance(why, x.ModelRateLimitError | x.ModelUnavailableError | x.ModelServerError):
        return Trouble("error", text, TRIES["status"], asked=why.retry_after)  # told in the body of an answer
    if isinstance(why, x.UnexpectedModelBehavior | x.ModelAPIError):
        return Trouble("unreadable", text, TRIES["unreadable"], sent=True)
    return None


def _status(why: object, text: str, first: bool) -> Trouble:
    """What an answer with an error status means."""
    from pydantic_ai import exceptions as x

    assert isinstance(why, x.ModelHTTPError)
    kind = str(why.status_code)
    if isinstance(why, x.ModelQuotaExceededError):
        return Trouble("quota", text)
    if why.status_code in REFUSED or isinstance(why, x.ModelAuthenticationError | x.ModelNotFoundError):
        return Trouble(kind, text)
    if why.status_code in AGAIN:
        return Trouble(kind, text, TRIES["status"], asked=why.retry_after)
    return Trouble(kind, text, own=why.status_code < 500 and not first)


def _text(why: BaseException) -> str:
    """What the endpoint said, in a line, without our key."""
    body = getattr(why, "body", None)
    said = body.get("error", body) if isinstance(body, dict) else body
    said = said.get("message", said) if isinstance(said, dict) else said
    while not said and why.__cause__ is not None:  # what a connection failed of stands at the bottom
        why = why.__cause__
    return clean(" ".join(str(said or why or type(why).__name__).split()))[:300].rstrip(".")
