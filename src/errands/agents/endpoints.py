"""A model's endpoint: from `<provider>/<model>` and the environment to a client of the multi-provider library.

| variable | what it is |
|---|---|
| `ERRANDS_MODEL_BASE_URL` | the server to ask, whatever the provider: a proxy, a server of one's own |
| `ERRANDS_MODEL_API_KEY` | its key; with a base URL of ours the only one that is sent |
| `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `ANTHROPIC_API_KEY`, … | the provider's own, where those are not set |

Providers are those of `pydantic-ai` (`openai` speaks OpenAI Responses, `openai-chat` Chat Completions), and
`openai-compatible`: any server that speaks Chat Completions, at `ERRANDS_MODEL_BASE_URL`, with or without a key.
"""

from __future__ import annotations

import difflib
import inspect
import os
import ssl
import typing
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from errands.core.errors import UsageError

from .prices import INSTALL, PRIVATE

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider

BASE_URL, API_KEY = "ERRANDS_MODEL_BASE_URL", "ERRANDS_MODEL_API_KEY"
COMPATIBLE = "openai-compatible"
# The wire formats that tests prove against a server; other providers go the library's own way.
CHAT, RESPONSES, MESSAGES = ("openai-chat", COMPATIBLE), ("openai", "openai-responses"), ("anthropic",)
CONNECT_S = 4.0
CLOSE_S = 0.5


@dataclass
class Endpoint:
    """One model of one provider, as the environment reaches it. `spec` is what the user typed; `host` is known
    after `check`.
    """

    spec: str
    provider: str
    model: str
    base_url: str = ""
    key: str = field(default="", repr=False)
    host: str = ""

    def check(self) -> None:
        """Raise `UsageError` where the library, the provider or a key is missing."""
        try:
            import httpx2
            import pydantic_ai.direct  # noqa: F401
        except ImportError:
            raise UsageError(
                "the library that speaks to models is not installed", where=self.spec, do=INSTALL
            ) from None
        model = self._model(httpx2.AsyncClient(verify=_trust()))
        url = model.base_url or self.base_url
        self.host = urlsplit(url).netloc.rpartition("@")[2] or self.provider

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Model]:
        """A client for one attempt. Its connections are closed when it ends."""
        import asyncio

        import httpx2

        timeout = httpx2.Timeout(600, connect=CONNECT_S)
        http = httpx2.AsyncClient(verify=_trust(), timeout=timeout, follow_redirects=True)
        model, stack = self._model(http), AsyncExitStack()
        try:
            await stack.enter_async_context(model)
            yield model
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_S):
                    await http.aclose()
                    await stack.aclose()

    # ---- the library -------------------------------------------------------------------------------------------------

    def _model(self, http: Any) -> Model:
        """The library's model. `http` serves the providers whose wire formats are proven; others bring their own."""
        from pydantic_ai.exceptions import UserError

        try:
            return self._built(http)
        except ImportError as why:
            raise UsageError(
                f"what speaks to {self.provider} is not installed: {why}", where=self.spec, do=INSTALL
            ) from None
        except UserError as why:
            raise UsageError(str(why).rstrip("."), where=self.spec, do=f"or set {API_KEY}") from None

    def _built(self, http: Any) -> Model:
        from pydantic_ai.models import infer_model
        from pydantic_ai.profiles import ModelProfile

        as_it_is = ModelProfile(json_schema_transformer=None)  # agents get the schemas that the task grants
        if self.provider in CHAT:
            from pydantic_ai.models.openai import OpenAIChatModel

            return OpenAIChatModel(self.model, provider=self._provider(http), profile=as_it_is)
        if self.provider in RESPONSES:
            from pydantic_ai.models.openai import OpenAIResponsesModel

            return OpenAIResponsesModel(self.model, provider=self._provider(http), profile=as_it_is)
        if self.provider in MESSAGES:
            from pydantic_ai.models.anthropic import AnthropicModel

            return AnthropicModel(self.model, provider=self._provider(http), profile=as_it_is)
        return infer_model(f"{self.provider}:{self.model}", lambda _: self._provider(None))

    def _provider(self, http: Any) -> Provider[Any]:
        """The library's provider with our key and base URL, whose client never tries again by itself."""
        given: dict[str, Any] = {"base_url": self.base_url, "api_key": self.key}
        given = {name: value for name, value in given.items() if value}
        if http is not None:
            given["http_client"] = http
        if self.provider == COMPATIBLE:
            from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

            return _patient(OpenAICompatibleProvider(COMPATIBLE, **given))
        kind = _provider_class(self.provider, self.spec)
        taken = inspect.signature(kind.__init__).parameters
        for name, variable in (("base_url", BASE_URL), ("api_key", API_KEY)):
            if name in given and name not in taken:
                raise UsageError(f"{self.provider} takes no {variable}", where=self.spec)
        return _patient(kind(**given))


def endpoint_of(spec: str, rest: str) -> Endpoint:
    """The endpoint of `<provider>/<model>` in this environment; `UsageError` says what is wrong with it."""
    provider, _, model = rest.partition("/")
    if not provider or not model:
        raise UsageError(
            "the model is not named",
            where=spec,
            expected="model:<provider>/<name>, as model:openai/gpt-5-mini",
        )
    url, key = os.environ.get(BASE_URL, "").strip(), os.environ.get(API_KEY, "").strip()
    if provider == COMPATIBLE and not url:
        raise UsageError(f"{BASE_URL} is not set", where=spec, expected="the server's URL, often up to /v1")
    if url and not url.startswith(("http://", "https://")):
        raise UsageError(f"{url!r} is no URL", where=BASE_URL, expected="http://… or https://…")
    if url and not key and provider not in PRIVATE:
        raise UsageError(
            f"{API_KEY} is not set",
            where=spec,
            expected=f"the key of {url}: a provider's own key is not sent to another server",
            do="any text will do where the server wants none",
        )
    if provider in (*MESSAGES, "google"):  # they add the version themselves
        url = url.rstrip("/").removesuffix("/v1").removesuffix("/v1beta")
    return Endpoint(spec, provider, model, url, key)


def clean(text: str) -> str:
    """A text of an endpoint without any of our keys in it."""
    for name, value in os.environ.items():
        if name.endswith("_API_KEY") and len(value) > 7:
            text = text.replace(value, "…")
    return text


def _provider_class(name: str, spec: str) -> type[Provider[Any]]:
    from pydantic_ai.providers import infer_provider_class

    try:
        return infer_provider_class(name)
    except ValueError:
        known = _providers()
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        raise UsageError(
            f"there is no provider {name!r}",
            where=spec,
            expected=f"one of {', '.join(known)}",
            do=f"did you mean {', '.join(near)}?" if near else f"{COMPATIBLE} is for servers of your own",
        ) from None


def _providers() -> list[str]:
    """Names of providers whose models can be asked."""
    from pydantic_ai.models import KnownModelName, OpenAIChatCompatibleProvider

    named = {str(n).partition(":")[0] for n in typing.get_args(KnownModelName.__value__)}
    more = {*typing.get_args(OpenAIChatCompatibleProvider.__value__), *CHAT, *RESPONSES, *MESSAGES}
    return sorted(n for n in named | more if "/" not in n and not n.endswith("-decisions") and n != "test")


def _patient(provider: Provider[Any]) -> Provider[Any]:
    """A provider whose client never tries again by itself: what is tried again is counted."""
    if hasattr(provider.client, "max_retries"):
        provider.client.max_retries = 0
    return provider


@cache  # it costs more than anything else of a client
def _trust() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()
