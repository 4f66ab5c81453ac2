# /// script
# dependencies = ["langchain==1.5.2", "langchain-anthropic==1.7.10", "langchain-mcp-adapters==0.3.2"]
# ///
"""LangChain's agent (LangGraph) over the Anthropic format, streamed; its own loop with the tools of an MCP server."""

import asyncio
import json
import os

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools


async def main() -> None:
    """Sit one errand; prints what the model used."""
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    server = {"transport": "streamable_http", "url": os.environ["MCP_URL"], "headers": headers}
    model = ChatAnthropic(
        model=os.environ["MODEL"],
        base_url=os.environ["MODEL_URL"].removesuffix("/v1"),
        api_key=os.environ["MODEL_KEY"],
        streaming=True,
    )
    used = UsageMetadataCallbackHandler()
    system = "End each turn with the tool end_turn. When it says that it is over, stop."
    async with MultiServerMCPClient({"errands": server}).session("errands") as session:
        agent = create_agent(model, await load_mcp_tools(session), system_prompt=system)
        prompt = {"messages": [{"role": "user", "content": os.environ["PROMPT"]}]}
        await agent.ainvoke(prompt, {"callbacks": [used], "recursion_limit": 200})
    (sums,) = used.usage_metadata.values()
    read, wrote = (sums["input_token_details"].get(k, 0) for k in ("cache_read", "cache_creation"))
    anew = sums["input_tokens"] - read - wrote
    print(
        json.dumps({"input": anew, "cache_read": read, "cache_write": wrote, "output": sums["output_tokens"]})
    )


asyncio.run(main())
