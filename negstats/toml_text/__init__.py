"""Reading TOML that anybody may have written: plans, mappings, designs; bounded, with the line of the fault."""

from negstats.toml_text.lines import Path, field_of, lines_of, nearest_line
from negstats.toml_text.reading import MOST_BYTES, TomlError, read_text, read_toml, text_of

__all__ = [
    "MOST_BYTES",
    "Path",
    "TomlError",
    "field_of",
    "lines_of",
    "nearest_line",
    "read_text",
    "read_toml",
    "text_of",
]
