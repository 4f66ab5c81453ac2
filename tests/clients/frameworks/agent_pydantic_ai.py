# /// script
# dependencies = ["pydantic-ai-slim[openai,mcp]==2.68.0"]
# ///
"""Pydantic AI over the Chat Completions format: its own loop with the tools of an MCP server."""

import asyncio
import json
import os

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits


async def main() -> None:
    """Sit one errand; prints what the model used."""
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    server = MCPToolset(os.environ["MCP_URL"], headers=headers)
    provider = OpenAIProvider(base_url=os.environ["MODEL_URL"], api_key=os.environ["MODEL_KEY"])
    agent = Agent(
        OpenAIChatModel(os.environ["MODEL"], provider=provider),
        system_prompt="End each turn with the tool end_turn. When it says that it is over, stop.",
        toolsets=[server],
    )
    async with agent:
        result = await agent.run(os.environ["PROMPT"], usage_limits=UsageLimits(request_limit=200))
    used = result.usage
    read, wrote = used.cache_read_tokens, used.cache_write_tokens
    anew = used.input_tokens - read - wrote
    print(json.dumps({"input": anew, "cache_read": read, "cache_write": wrote, "output": used.output_tokens}))


asyncio.run(main())
