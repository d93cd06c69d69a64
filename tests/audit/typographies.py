"""Results as journals print them: what is printed, apart from how it is printed, as hypothesis strategies.

A `Printing` is a result with its p; a `Typography` says how one paper prints all of its results: decimal points or
commas, signs and spaces, brackets or subscripts, markup or none, where p stands. Each is drawn apart from the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from negstats.audit.distributions import P_OF, SIGNED

LETTERS: Mapping[str, tuple[str, ...]] = {
    "t": ("t", "𝑡"),
    "f": ("F", "𝐹"),
    "r": ("r", "𝑟"),
    "z": ("z", "Z", "𝑧"),
    "p": ("p", "P", "𝑝", "p-value", "P value"),
}
CHI_SQUARED = (
    *("χ²", "χ2", "χ 2", "χ^2", "Χ²", "X²", "X2", "X^2", "x²", "𝜒2", "Chi²", "chi2", "chi^2", "chi-square"),
    *("Chi-Square", "chi-squared", "chi square", "Chi squared", "CHI-SQUARE", "χ-square", "Pearson χ²", "*χ*²"),
    *("χ<sup>2</sup>", "*χ*^2^", r"$\chi^2$", r"\(\chi^{2}\)"),
)
SPACES = ("", " ", "\u00a0", "\u2009", "\u202f", "\u2002", "\n", " \n")
MINUS_SIGNS = ("-", "−", "–", "‒", "\u2011", "- ", "− ", "&minus;")
MARKUP = ("{}", "*{}*", "_{}_", "**{}**", "<i>{}</i>", "<em>{}</em>", "${}$", r"\textit{{{}}}", r"\emph{{{}}}", "*{}* ")
RELATIONS: Mapping[str, tuple[str, ...]] = {
    "=": ("=", "＝"),
    "<": ("<", "&lt;", r"\lt", "＜", "˂"),
    ">": (">", "&gt;", "＞", "˃"),
}
DF_FORMS = (
    *("({})", " ({})", "[{}]", " [{}]", "( {} )", "（{}）", "₍{}₎", "<sub>{}</sub>", "_{{{}}}", "_{{({})}}"),
    *("(df = {})", "(df={})", " (d.f. = {})", "(df: {})"),
)
DF_BEHIND = (", df = {}", " (df = {})", ", d.f. = {}", "; df={}")
SENTENCES = (
    "They differed, {}.",
    "They did better ({}), as expected.",
    "It did [{}] in both.",
    "It rose: {}. It fell again.",
    "It did (see Fig. 2; {}).",
    "Ratings differed (M = 5.20, SD = 1.10 vs. M = 4.10, SD = 1.00), {}.",
    "{} at first.",
)
POWERS = (
    *("{} × 10^{}", "{} x 10^{}", "{}×10<sup>{}</sup>", "{}e{}", "{}E{}", r"{} \times 10^{{{}}}", "{} × 10^({})"),
    *("{}·10^{}", "{}*10^{}", "{} × 10{}"),
)


@dataclass(frozen=True)
class Printing:
    """A result: its kind, df, the size of its statistic as printed, the p that it has, and how p is printed."""

    kind: str
    df: tuple[int, ...]
    value: str
    is_negative: bool
    p: tuple[float, float]  # over the rounding of the value
    p_relation: str  # "=", "<", ">", or "ns"
    p_number: str

    @property
    def number(self) -> float:
        """The signed value."""
        return -float(self.value) if self.is_negative else float(self.value)

    @property
    def fits(self) -> bool:
        """Whether some p of the rounded value is what is printed."""
        return meets(self.p, self.p_relation, self.p_number)


def meets(p: tuple[float, float], relation: str, number: str) -> bool:
    """Return whether some p of a range is what is printed."""
    if relation == "ns":
        return p[1] > 0.05
    at, half = float(number), 0.5 * 10.0 ** -(len(number.partition(".")[2]))
    return {"=": p[0] <= at + half and p[1] >= at - half, "<": p[0] < at, ">": p[1] > at}[relation]


@st.composite
def printings(draw: st.DrawFn) -> Printing:
    """Draw a result whose p is that of its statistic before it was rounded."""
    kind = draw(st.sampled_from(("t", "f", "chi2", "r", "z")))
    # r with an index of one digit is the second of several, or r² that has lost its form.
    ranges = {"t": ((2, 300),), "f": ((1, 5), (5, 400)), "chi2": ((1, 7),), "r": ((10, 400),), "z": ()}[kind]
    df = tuple(draw(st.integers(*ends)) for ends in ranges)
    decimals = draw(st.integers(2, 3))
    unit = 10.0**-decimals
    size = draw(st.floats(0.05, {"r": 0.9, "chi2": 25.0, "f": 12.0}.get(kind, 5.0)))
    value = f"{size:.{decimals}f}"
    p_of: Callable[..., float] = P_OF[kind][1]
    least, p, most = (float(p_of(at, *df)) for at in (float(value) + unit / 2, size, float(value) - unit / 2))
    relation, number = draw(p_prints(p))
    return Printing(kind, df, value, kind in SIGNED and draw(st.booleans()), (least, most), relation, number)


@st.composite
def p_prints(draw: st.DrawFn, p: float) -> tuple[str, str]:
    """Draw how a p is printed: exactly, as a bound that it keeps, or as not significant."""
    exact = [f"{p:.{places}f}" for places in (2, 3, 4)] + [f"{p:.1e}"] * (p < 0.001)
    rows = [("=", number) for number in exact if float(number) > 0]
    rows += [("<", bound) for bound in ("0.05", "0.01", "0.001", "0.0001") if p < float(bound)][-1:]
    rows += [(">", "0.05"), ("ns", "")] if p > 0.05 else []
    return draw(st.sampled_from(rows))


@dataclass(frozen=True)
class Typography:
    """How a paper prints its results."""

    comma: bool
    leading_zero: bool
    space: str
    minus: str
    markup: str
    letters: Mapping[str, str]
    chi_squared: str
    df_form: str
    df_behind: str  # empty: df stand in brackets or below the line
    relations: Mapping[str, str]
    power: str
    not_significant: str
    separator: str
    p_first: bool

    def show(self, result: Printing) -> str:
        """Return a result as this paper prints it."""
        equals = f"{self.space}={self.space}"
        letter = self.chi_squared if result.kind == "chi2" else self.markup.format(self.letters[result.kind])
        pair = "; " if self.comma else ", "
        df = pair.join(map(str, result.df))
        has_df_behind = bool(self.df_behind) and result.kind in ("t", "chi2")
        # A subscript behind a formula that has ended is not a subscript of it.
        form = "({})" if letter.endswith(("$", ")")) and "(" not in self.df_form else self.df_form
        head = letter if not df or has_df_behind else letter + form.format(df)
        value = self.minus * result.is_negative + self._decimal(result.value, small=result.kind == "r")
        statistic = f"{head}{equals}{value}{self.df_behind.format(df) if has_df_behind else ''}"
        p = self._p(result)
        if self.p_first and result.p_relation != "ns" and not has_df_behind:
            return f"{p}, {statistic}"
        return f"{statistic} ({p})" if self.separator == "(" else f"{statistic}{self.separator}{p}"

    def _p(self, result: Printing) -> str:
        letter = self.markup.format(self.letters["p"]) if len(self.letters["p"]) == 1 else self.letters["p"]
        if result.p_relation == "ns":
            return self.not_significant.format(p=letter, equals=f"{self.space}={self.space}")
        return f"{letter}{self.space}{self.relations[result.p_relation]}{self.space}{self._p_number(result.p_number)}"

    def _p_number(self, number: str) -> str:
        if "e" not in number:
            return self._decimal(number, small=True)
        digits, _, exponent = number.partition("e")
        return self.power.format(self._decimal(digits, small=False), int(exponent))

    def _decimal(self, number: str, *, small: bool) -> str:
        number = number.removeprefix("0") if small and not self.leading_zero else number
        return number.replace(".", ",") if self.comma else number


@st.composite
def typographies(draw: st.DrawFn) -> Typography:
    """Draw how a paper prints its results."""
    comma = draw(st.booleans()) and draw(st.booleans())
    return Typography(
        comma=comma,
        leading_zero=draw(st.booleans()),
        space=draw(st.sampled_from(SPACES)),
        minus=draw(st.sampled_from(MINUS_SIGNS)),
        markup=draw(st.sampled_from(MARKUP)),
        letters={kind: draw(st.sampled_from(letters)) for kind, letters in LETTERS.items()},
        chi_squared=draw(st.sampled_from(CHI_SQUARED)),
        df_form=draw(st.sampled_from(DF_FORMS)),
        df_behind=draw(st.sampled_from(("", *DF_BEHIND))),
        relations={relation: draw(st.sampled_from(signs)) for relation, signs in RELATIONS.items()},
        power=draw(st.sampled_from(POWERS)),
        not_significant=draw(st.sampled_from(("n.s.", "ns", "NS", "{p}{equals}n.s.", "{p}{equals}ns"))),
        separator="; " if comma else draw(st.sampled_from((", ", "; ", ",", " , ", "("))),
        p_first=draw(st.booleans()) and draw(st.booleans()),
    )
