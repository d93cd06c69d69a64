r"""A report as LaTeX: one article that pdflatex, lualatex and xelatex compile beside the folder of its figures."""

from __future__ import annotations

from collections.abc import Iterator

from negstats.report.apa_table import Table, latex_prose, latex_table
from negstats.report.blocks import Code, Figure, Heading, Paragraph, Words
from negstats.report.tables import latex

GREEK = (
    ("α", "alpha"), ("β", "beta"), ("γ", "gamma"), ("δ", "delta"), ("ε", "varepsilon"), ("ζ", "zeta"), ("η", "eta"),
    ("θ", "theta"), ("ι", "iota"), ("κ", "kappa"), ("λ", "lambda"), ("μ", "mu"), ("ν", "nu"), ("ξ", "xi"), ("π", "pi"),
    ("ρ", "rho"), ("σ", "sigma"), ("τ", "tau"), ("υ", "upsilon"), ("φ", "varphi"), ("χ", "chi"), ("ψ", "psi"),
    ("ω", "omega"), ("Γ", "Gamma"), ("Δ", "Delta"), ("Θ", "Theta"), ("Λ", "Lambda"), ("Ξ", "Xi"), ("Π", "Pi"),
    ("Σ", "Sigma"), ("Φ", "Phi"), ("Ψ", "Psi"), ("Ω", "Omega"),
)  # fmt: skip
# Letters and signs of mathematics by their names in LaTeX.
SYMBOLS = {"≥": "ge", "≤": "le", "∞": "infty", **dict(GREEK), "→": "to", "×": "times"}
# What our own sentences need beyond ASCII, for pdflatex; a letter of the data that it does not know becomes a box.
SIGNS = {
    "−": r"\ensuremath{-}", **{sign: rf"\ensuremath{{\{name}}}" for sign, name in SYMBOLS.items()},
    "²": r"\textsuperscript{2}", "ₚ": r"\textsubscript{p}",
    "·": r"\textperiodcentered{}", "–": "--", "…": r"\ldots{}", "′": "'",
    **{raised: rf"\textsuperscript{{{digit}}}" for digit, raised in zip("013456789", "⁰¹³⁴⁵⁶⁷⁸⁹", strict=True)},
    "⁻": r"\textsuperscript{-}",
}  # fmt: skip

HEAD = r"""\documentclass[11pt]{article}
\usepackage[margin=2.4cm]{geometry}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[utf8]{inputenc}
  \usepackage[T1]{fontenc}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \usepackage{textcomp}
%SIGNS%
  \makeatletter
  \def\UTFviii@undefined@err#1{\fbox{?}}
  \makeatother
\else
  \usepackage{fontspec}
  \IfFontExistsTF{DejaVu Serif}{\setmainfont{DejaVu Serif}[Scale=0.9]}{}
\fi
\usepackage{array,booktabs,longtable,graphicx}
\newcolumntype{P}[1]{>{\raggedright\arraybackslash}p{#1}}
\setlength{\tabcolsep}{4pt}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5em}
\setlength{\emergencystretch}{6em}
\newcommand{\needlines}[1]{\par\vskip 0pt plus #1\baselineskip\penalty-100\vskip 0pt plus -#1\baselineskip
  \vskip #1\baselineskip\penalty9999\vskip -#1\baselineskip}
\begin{document}
"""
TITLES = {2: "\\section*", 3: "\\subsection*"}


def article(words: Words, folder: str = "figures") -> str:
    """Return the whole document.

    Parameters
    ----------
    words
        What the report says.
    folder
        Where the figures stand beside the document.
    """
    signs = "\n".join(f"  \\DeclareUnicodeCharacter{{{ord(sign):04X}}}{{{tex}}}" for sign, tex in SIGNS.items())
    return HEAD.replace("%SIGNS%", signs) + "\n\n".join(_parts(words, folder)) + "\n\n\\end{document}\n"


def _parts(words: Words, folder: str) -> Iterator[str]:
    yield rf"{{\LARGE {latex(words.title)}\par}}"
    on_top = [words.authors, words.state, words.size, words.source]
    yield latex(" · ".join(part for part in on_top if part))
    for block in words.blocks:
        match block:
            case Heading():
                yield f"{TITLES[block.level]}{{{latex_prose(block.text)}}}"
            case Paragraph():
                text = latex_prose(block.text)
                yield rf"{{\small {text}\par}}" if block.style in ("note", "reference") else text
            case Code():
                command = latex(block.text).replace("--", "-{}-")  # else a dash, which no shell takes
                yield rf"\texttt{{{command}}}"
            case Table():
                yield latex_table(block, words.numbers[block.key])
            case Figure():
                yield _figure(block, words.numbers[block.key], folder)


def _figure(figure: Figure, number: str, folder: str) -> str:
    drawing = figure.shown  # at the size of its drawing, also where that is wider than the text
    note = rf"{{\small\noindent\textit{{Note.}} {latex_prose(figure.note)}\par}}" if drawing.note else ""
    return (
        "\\medskip\\noindent\\begin{minipage}{\\linewidth}\n"  # so that title and note stay with it
        rf"\textbf{{Figure {number}}}\par\noindent\textit{{{latex(drawing.title)}}}\par\vspace{{1ex}}" + "\n"
        rf"\makebox[\linewidth][c]{{\includegraphics{{{folder}/\detokenize{{{drawing.name}.pdf}}}}}}" + "\n\n"
        f"{note}\n" + "\\end{minipage}\\par\\medskip"
    )
