"""What every worker of a model's run needs, imported once in the process from which workers are forked."""

import pydantic_ai.direct
import pydantic_ai.models.openai
import pydantic_ai.providers.openai  # noqa: F401
from genai_prices.data_snapshot import get_snapshot

get_snapshot()
