"""Reading TOML that anybody may have written, bounded and with the line of the fault; and writing texts of it."""

from negstats.toml_text.lines import Path, field_of, lines_of, nearest_line
from negstats.toml_text.reading import MOST_BYTES, TomlError, read_text, read_toml, text_of
from negstats.toml_text.writing import key, listed, quoted, value_text

__all__ = [
    "MOST_BYTES",
    "Path",
    "TomlError",
    "field_of",
    "key",
    "lines_of",
    "listed",
    "nearest_line",
    "quoted",
    "read_text",
    "read_toml",
    "text_of",
    "value_text",
]
