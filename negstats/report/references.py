"""The works behind the tests of a report, as references and as BibTeX: those that were used, and no others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from negstats.report.blocks import Paragraph
from negstats.report.prose import NO_BREAK, Prose, Run
from negstats.sanitize import line

Work = tuple[str, str, int, str, str, str, str]  # authors, title, year, journal, volume(issue), pages, doi

WORKS: Mapping[str, Work] = {
    "benjamini1995": (
        "Benjamini, Y. and Hochberg, Y.",
        "Controlling the false discovery rate: A practical and powerful approach to multiple testing",
        1995,
        "Journal of the Royal Statistical Society B",
        "57(1)",
        "289–300",
        "10.1111/j.2517-6161.1995.tb02031.x",
    ),
    "benjamini2001": (
        "Benjamini, Y. and Yekutieli, D.",
        "The control of the false discovery rate in multiple testing under dependency",
        2001,
        "The Annals of Statistics",
        "29(4)",
        "1165–1188",
        "10.1214/aos/1013699998",
    ),
    "box1954": (
        "Box, G. E. P.",
        "Some theorems on quadratic forms applied in the study of analysis of variance problems, II. Effects of "
        "inequality of variance and of correlation between errors in the two-way classification",
        1954,
        "Annals of Mathematical Statistics",
        "25(3)",
        "484–498",
        "10.1214/aoms/1177728717",
    ),
    "brunner1997": (
        "Brunner, E. and Dette, H. and Munk, A.",
        "Box-type approximations in nonparametric factorial designs",
        1997,
        "Journal of the American Statistical Association",
        "92(440)",
        "1494–1502",
        "10.1080/01621459.1997.10473671",
    ),
    "brunner2000": (
        "Brunner, E. and Munzel, U.",
        "The nonparametric Behrens–Fisher problem: Asymptotic theory and a small-sample approximation",
        2000,
        "Biometrical Journal",
        "42(1)",
        "17–25",
        "10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U",
    ),
    "gray1988": (
        "Gray, R. J.",
        "A class of K-sample tests for comparing the cumulative incidence of a competing risk",
        1988,
        "The Annals of Statistics",
        "16(3)",
        "1141–1154",
        "10.1214/aos/1176350951",
    ),
    "firth1993": (
        "Firth, D.",
        "Bias reduction of maximum likelihood estimates",
        1993,
        "Biometrika",
        "80(1)",
        "27–38",
        "10.1093/biomet/80.1.27",
    ),
    "heinze2002": (
        "Heinze, G. and Schemper, M.",
        "A solution to the problem of separation in logistic regression",
        2002,
        "Statistics in Medicine",
        "21(16)",
        "2409–2419",
        "10.1002/sim.1047",
    ),
    "hochberg1988": (
        "Hochberg, Y.",
        "A sharper Bonferroni procedure for multiple tests of significance",
        1988,
        "Biometrika",
        "75(4)",
        "800–802",
        "10.1093/biomet/75.4.800",
    ),
    "hommel1988": (
        "Hommel, G.",
        "A stagewise rejective multiple test procedure based on a modified Bonferroni test",
        1988,
        "Biometrika",
        "75(2)",
        "383–386",
        "10.1093/biomet/75.2.383",
    ),
    "hindriks2007": (
        "Hindriks, K. and Jonker, C. M. and Tykhonov, D.",
        "Negotiation dynamics: Analysis, concession tactics, and outcomes",
        2007,
        "Proceedings of the IEEE/WIC/ACM International Conference on Intelligent Agent Technology (pp. 427–433)",
        "",
        "",
        "10.1109/IAT.2007.50",
    ),
    "holm1979": (
        "Holm, S.",
        "A simple sequentially rejective multiple test procedure",
        1979,
        "Scandinavian Journal of Statistics",
        "6(2)",
        "65–70",
        "",
    ),
    "johansen1980": (
        "Johansen, S.",
        "The Welch–James approximation to the distribution of the residual sum of squares in a weighted linear "
        "regression",
        1980,
        "Biometrika",
        "67(1)",
        "85–92",
        "10.1093/biomet/67.1.85",
    ),
    "kenny2006": (
        "Kenny, D. A. and Kashy, D. A. and Cook, W. L.",
        "Dyadic data analysis",
        2006,
        "Guilford Press",
        "",
        "",
        "",
    ),
    "lakens2018": (
        "Lakens, D. and Scheel, A. M. and Isager, P. M.",
        "Equivalence testing for psychological research: A tutorial",
        2018,
        "Advances in Methods and Practices in Psychological Science",
        "1(2)",
        "259–269",
        "10.1177/2515245918770963",
    ),
    "liang1986": (
        "Liang, K.-Y. and Zeger, S. L.",
        "Longitudinal data analysis using generalized linear models",
        1986,
        "Biometrika",
        "73(1)",
        "13–22",
        "10.1093/biomet/73.1.13",
    ),
    "mackinnon1985": (
        "MacKinnon, J. G. and White, H.",
        "Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample properties",
        1985,
        "Journal of Econometrics",
        "29(3)",
        "305–325",
        "10.1016/0304-4076(85)90158-7",
    ),
    "mancl2001": (
        "Mancl, L. A. and DeRouen, T. A.",
        "A covariance estimator for GEE with improved small-sample properties",
        2001,
        "Biometrics",
        "57(1)",
        "126–134",
        "10.1111/j.0006-341X.2001.00126.x",
    ),
    "pustejovsky2018": (
        "Pustejovsky, J. E. and Tipton, E.",
        "Small-sample methods for cluster-robust variance estimation and hypothesis testing in fixed effects models",
        2018,
        "Journal of Business & Economic Statistics",
        "36(4)",
        "672–683",
        "10.1080/07350015.2016.1247004",
    ),
}
SOFTWARE = "negstats"
SOFTWARE_YEAR = 2026
# The works behind a method of results.json or a correction; well-known tests need none.
CITES: Mapping[str, tuple[str, ...]] = {
    "regression_cr2": ("pustejovsky2018",),
    "dyad": ("kenny2006",),
    "equivalence": ("lakens2018",),
    "brunner_munzel": ("brunner2000",),
    "gray": ("gray1988",),
    "logistic_firth": ("firth1993", "heinze2002"),
    "gee": ("liang1986", "mancl2001"),
    "welch_james": ("johansen1980",),
    "welch_james_ratios": ("johansen1980",),
    "box": ("box1954", "brunner1997"),
    "ancova": ("mackinnon1985",),
    "holm": ("holm1979",),
    "hochberg": ("hochberg1988",),
    "hommel": ("hommel1988",),
    "by": ("benjamini2001",),
    "bh": ("benjamini1995",),
}


def works_of(name: str) -> tuple[str, ...]:
    """Return the keys of the works behind a method or a correction."""
    return CITES.get(name, ())


def cited(text: str) -> list[str]:
    """Return the keys of the works that a text cites.

    Examples
    --------
    >>> cited("The two tests were corrected together (Holm, 1979).")
    ['holm1979']
    """
    plain = text.replace(NO_BREAK, " ")
    return sorted(key for key in WORKS if citation(key) in plain)


def citation(key: str) -> str:
    """Return how a work is cited in brackets.

    Examples
    --------
    >>> citation("holm1979"), citation("kenny2006"), citation("negstats")
    ('Holm, 1979', 'Kenny et al., 2006', 'The negstats developers, 2026')
    """
    if key == SOFTWARE:
        return f"The negstats developers, {SOFTWARE_YEAR}"
    authors, _, year, *_ = WORKS[key]
    names = [name.partition(",")[0] for name in authors.split(" and ")]
    return f"{names[0] if len(names) == 1 else ' & '.join(names) if len(names) == 2 else f'{names[0]} et al.'}, {year}"


def reference_text(key: str) -> tuple[str, str, str]:
    """Return a work as a reference: what stands before its journal (or book), that, and what stands after.

    Examples
    --------
    >>> reference_text("holm1979")[1]
    'Scandinavian Journal of Statistics, 6'
    """
    authors, title, year, journal, volume, pages, doi = WORKS[key]
    names = authors.split(" and ")
    author_names = names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"
    link = f" https://doi.org/{doi}" if doi else ""
    if not volume:
        return f"{author_names} ({year}). ", title, f". {journal}.{link}"
    volume, bracket, issue = volume.partition("(")
    return f"{author_names} ({year}). {title}. ", f"{journal}, {volume}", f"{bracket}{issue}, {pages}.{link}"


def references(works: Iterable[str], results: Mapping[str, Any]) -> Iterator[Paragraph]:
    """Yield the works that the text cites, and the software, in the order of the alphabet."""
    texts = [reference_text(key) for key in works]
    version = line(results["negstats"], 40)
    texts.append((f"The negstats developers. ({SOFTWARE_YEAR}). ", "negstats: The statistics of negotiation studies",
                  f" (Version\u00a0{version}) [Computer software]."))  # fmt: skip
    for before, title, after in sorted(texts, key=lambda text: text[0].removeprefix("The ").lower()):
        runs = (Run(before, named=True), Run(title, "i", named=True), Run(after, named=True))
        yield Paragraph(Prose(runs), "reference")


def bibtex(keys: Iterable[str]) -> str:
    """Return works as BibTeX, the software among them."""
    entries = []
    for key in keys:
        if key == SOFTWARE:
            title = "negstats: The statistics of negotiation studies"
            entries.append(
                f"@software{{{key},\n  author = {{{{The negstats developers}}}},\n  title = {{{{{title}}}}},\n"
                f"  year = {{{SOFTWARE_YEAR}}}\n}}"
            )
            continue
        authors, title, year, journal, volume, pages, doi = WORKS[key]
        kind, where = ("article", "journal") if volume else ("book", "publisher")
        fields = {
            "author": authors,
            "title": f"{{{title}}}",
            "year": str(year),
            where: journal,
            "volume": volume.partition("(")[0],
            "number": volume.partition("(")[2].removesuffix(")"),
            "pages": pages.replace("–", "--"),
            "doi": doi,
        }
        lines = [
            f"  {name} = {{{value.replace('–', '--').replace('&', chr(92) + '&')}}}"
            for name, value in fields.items()
            if value
        ]
        entries.append(f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}")
    return "\n\n".join(entries) + "\n" if entries else ""
