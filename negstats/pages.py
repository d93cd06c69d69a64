"""Pages that stand alone: templates whose text is escaped, and the hashes by which a policy names what they hold."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from negstats.sanitize import marked

if TYPE_CHECKING:
    import jinja2


def page_template(package: str, name: str, **options: Any) -> jinja2.Template:
    """Return a template of a package; what is filled into it is escaped, and a name that it lacks is an error.

    Parameters
    ----------
    package, name
        The package, and the path of the template's file in it.
    **options
        Further options of jinja2's environment.

    Returns
    -------
    jinja2.Template
        The template.
    """
    import jinja2

    source = files(package).joinpath(name).read_text("utf-8")
    return jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, **options).from_string(source)


def show_hidden(value: object) -> object:
    """Show what would hide, in all that is escaped; our own markup passes."""
    return marked(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def source_hash(source: str) -> str:
    """Return how a policy names a script or a style that stands in the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
