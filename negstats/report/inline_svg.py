"""A figure as SVG for a page with a strict policy: no style, no link to elsewhere, unique ids.

Matplotlib writes ``style="..."`` on every mark, which such a policy refuses; each property becomes an attribute here.
Only elements and attributes that draw are kept.
"""

from __future__ import annotations

import io
import re
from typing import Any

import matplotlib as mpl
from lxml import etree
from matplotlib.axes import Axes

from negstats.errors import LogError
from negstats.plots.style import NO_DATE, SAVING, figure_of
from negstats.sanitize import line

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
KEPT = {"svg", "g", "defs", "path", "use", "rect", "circle", "line", "text", "tspan", "clipPath", "image", "pattern"}
DRAWN = {
    "id", "d", "transform", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "viewBox",
    "clip-path",
    "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
    "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "opacity", "href", "text-anchor",
    "font-family", "font-size", "font-style", "font-weight", "patternUnits", "preserveAspectRatio",
}  # fmt: skip
FONT = "DejaVu Sans, Verdana, sans-serif"
REFERENCE = re.compile(r"url\(#([^)]+)\)")
SHORTHAND = re.compile(r"(?:(?P<style>italic|oblique)\s+)?(?:(?P<weight>bold|\d{3})\s+)?(?P<size>[\d.]+)px\b.*")
PICTURE = "data:image/png;base64,"


def draw_svg(ax: Axes) -> bytes:
    """Return the figure of `ax` as an SVG file whose letters are text, so that it can be searched and edited."""
    buffer = io.BytesIO()
    settings: Any = {**SAVING, "svg.fonttype": "none"}
    with mpl.rc_context(settings):
        figure_of(ax).savefig(buffer, format="svg", metadata=NO_DATE[".svg"])
    return buffer.getvalue()


def inline_svg(file: bytes, name: str, label: str) -> str:
    """Return an SVG file of `draw_svg` as an element of a page.

    Parameters
    ----------
    file
        The file.
    name
        What its ids begin with; no other figure of the page may have the same.
    label
        What the figure shows, in words, for who cannot see it.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> text = inline_svg(draw_svg(plt.subplots()[1]), "H1", "an empty frame")
    >>> text[:5], 'role="img"' in text, "style=" in text
    ('<svg ', True, False)
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, huge_tree=True)
    root = etree.fromstring(file, parser)
    if root.tag != f"{SVG}svg":
        raise LogError("is not a figure in SVG", file=name)
    _clean(root, name)
    root.set("role", "img")
    root.set("aria-label", line(label, 5000))
    root.set("stroke-linejoin", "round")
    root.set("stroke-linecap", "butt")
    etree.cleanup_namespaces(root, top_nsmap={None: SVG[1:-1]})
    return str(etree.tostring(root, encoding="unicode"))


def _clean(element: Any, name: str) -> None:
    for child in list(element):
        tag = child.tag.removeprefix(SVG) if isinstance(child.tag, str) else ""
        if tag not in KEPT:
            element.remove(child)
        else:
            _clean(child, name)
    attributes = {key.removeprefix(XLINK): value for key, value in element.attrib.items()}
    element.attrib.clear()
    for key, value in {**attributes, **_properties(attributes.pop("style", ""))}.items():
        if key == "id":
            element.set("id", f"{name}-{value}")
        elif key == "href" and value.startswith("#"):
            element.set("href", f"#{name}-{value[1:]}")
        elif key in DRAWN and (key != "href" or value.startswith(PICTURE)):
            element.set(key, REFERENCE.sub(rf"url(#{name}-\1)", value))


def _properties(style: str) -> dict[str, str]:
    """Return the properties of a ``style`` as attributes; ``font`` is taken apart."""
    properties: dict[str, str] = {}
    for part in style.split(";"):
        key, _, value = (text.strip() for text in part.partition(":"))
        if key == "font" and (font := SHORTHAND.fullmatch(value)):
            properties |= {"font-size": font["size"], "font-family": FONT}
            properties |= {f"font-{one}": font[one] for one in ("style", "weight") if font[one]}
        elif key == "font-family":
            properties["font-family"] = FONT
        elif key == "font-size":
            properties["font-size"] = value.removesuffix("px")
        elif key in DRAWN:
            properties[key] = value
    return properties
