"""Reading TOML that anybody may have written, bounded and with the line of the fault; and writing texts of it."""

from negstats.toml_text.lines import Path, field_of, lines_of, nearest_line
from negstats.toml_text.reading import MOST_BYTES, TomlError, read_text, read_toml, text_of
from negstats.toml_text.writing import key, one_or_list, table_text, value_text

__all__ = [
    "MOST_BYTES",
    "Path",
    "TomlError",
    "field_of",
    "key",
    "lines_of",
    "nearest_line",
    "one_or_list",
    "read_text",
    "read_toml",
    "table_text",
    "text_of",
    "value_text",
]
