from .folder import write
from .tables import write_table

__all__ = ["write", "write_table"]
