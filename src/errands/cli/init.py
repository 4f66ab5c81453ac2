"""`errands init my_agent.py`: an agent of twelve lines that runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from errands.core.errors import UsageError

from .screen import commands, console

AGENT = '''"""An agent for Errands: called once a turn; what it returns is said to the user."""


def agent(message, tools):
    """`tools.tools` lists what there is: name, description, parameters (a JSON Schema)."""
    names = [t.name for t in tools.tools]
    if "mail_search" in names:  # a tool is called by its name, and returns plain JSON
        found = tools.mail_search(query=message.split()[0])
        return f"I found {len(found['messages'])} mails, and did nothing yet."
    return f"I have {len(names)} tools, and did nothing yet."


# Your model goes in there. A call that cannot be done raises errands.ToolError, which says why.
'''


def init(file: Annotated[Path, typer.Argument(help="The Python file to write.")]) -> None:
    """Write an agent to begin with. It runs as it is."""
    if file.suffix != ".py":
        raise UsageError("this is no Python file", where=str(file), expected="a name that ends in .py")
    try:
        with file.open("x", encoding="utf-8") as f:
            f.write(AGENT)
    except FileExistsError:
        raise UsageError("this file exists already", where=str(file), do="choose another name") from None
    except OSError as why:
        raise UsageError(f"it cannot be written: {why.strerror}", where=str(file)) from None
    console().print(f" [bold]{file}[/] is an agent that runs.", soft_wrap=True)
    commands("Next", [f"errands check {file}", f"errands run {file} --quick"], width=8)
