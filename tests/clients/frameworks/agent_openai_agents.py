# /// script
# dependencies = ["openai-agents==0.24.0"]
# ///
"""OpenAI Agents SDK over the Responses format: its own loop with the tools of an MCP server."""

import asyncio
import json
import os

from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled


async def main() -> None:
    """Sit one errand; prints what the model used."""
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=os.environ["MODEL_URL"], api_key=os.environ["MODEL_KEY"])
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    params = {"url": os.environ["MCP_URL"], "headers": headers}
    async with MCPServerStreamableHttp(params, name="errands", cache_tools_list=True) as server:
        agent = Agent(
            name="assistant",
            instructions="End each turn with the tool end_turn. When it says that it is over, stop.",
            model=OpenAIResponsesModel(model=os.environ["MODEL"], openai_client=client),
            mcp_servers=[server],
        )
        result = await Runner.run(agent, os.environ["PROMPT"], max_turns=100)
    used = result.context_wrapper.usage
    read, wrote = used.input_tokens_details.cached_tokens, used.input_tokens_details.cache_write_tokens
    anew = used.input_tokens - read - wrote
    print(json.dumps({"input": anew, "cache_read": read, "cache_write": wrote, "output": used.output_tokens}))


asyncio.run(main())
