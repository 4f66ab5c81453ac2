from .core.errors import ToolError as ToolError
from .exam.desk import NoAccess as NoAccess
from .records import load_run as load_run

__version__: str
__all__ = ["NoAccess", "ToolError", "__version__", "load_run"]
