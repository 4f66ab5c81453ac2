from .core.errors import ToolError as ToolError
from .records import load_run as load_run

__version__: str
__all__ = ["ToolError", "__version__", "load_run"]
