"""The works behind the tests of a report, as references and as BibTeX: those that were used, and no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Work = tuple[str, str, int, str, str, str, str]  # authors, title, year, journal, volume, pages, doi

WORKS: Mapping[str, Work] = {
    "benjamini1995": (
        "Benjamini, Y. and Hochberg, Y.",
        "Controlling the false discovery rate: A practical and powerful approach to multiple testing",
        1995,
        "Journal of the Royal Statistical Society B",
        "57",
        "289–300",
        "10.1111/j.2517-6161.1995.tb02031.x",
    ),
    "bakdash2017": (
        "Bakdash, J. Z. and Marusich, L. R.",
        "Repeated measures correlation",
        2017,
        "Frontiers in Psychology",
        "8",
        "456",
        "10.3389/fpsyg.2017.00456",
    ),
    "box1954": (
        "Box, G. E. P.",
        "Some theorems on quadratic forms applied in the study of analysis of variance problems, II. Effects of "
        "inequality of variance and of correlation between errors in the two-way classification",
        1954,
        "Annals of Mathematical Statistics",
        "25",
        "484–498",
        "10.1214/aoms/1177728717",
    ),
    "brunner1997": (
        "Brunner, E. and Dette, H. and Munk, A.",
        "Box-type approximations in nonparametric factorial designs",
        1997,
        "Journal of the American Statistical Association",
        "92",
        "1494–1502",
        "10.1080/01621459.1997.10473671",
    ),
    "brunner2000": (
        "Brunner, E. and Munzel, U.",
        "The nonparametric Behrens–Fisher problem: Asymptotic theory and a small-sample approximation",
        2000,
        "Biometrical Journal",
        "42",
        "17–25",
        "10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U",
    ),
    "cochran1950": (
        "Cochran, W. G.",
        "The comparison of percentages in matched samples",
        1950,
        "Biometrika",
        "37",
        "256–266",
        "10.1093/biomet/37.3-4.256",
    ),
    "cox1972": (
        "Cox, D. R.",
        "Regression models and life-tables",
        1972,
        "Journal of the Royal Statistical Society B",
        "34",
        "187–202",
        "10.1111/j.2517-6161.1972.tb00899.x",
    ),
    "friedman1937": (
        "Friedman, M.",
        "The use of ranks to avoid the assumption of normality implicit in the analysis of variance",
        1937,
        "Journal of the American Statistical Association",
        "32",
        "675–701",
        "10.1080/01621459.1937.10503522",
    ),
    "games1976": (
        "Games, P. A. and Howell, J. F.",
        "Pairwise multiple comparison procedures with unequal N's and/or variances: A Monte Carlo study",
        1976,
        "Journal of Educational Statistics",
        "1",
        "113–125",
        "10.3102/10769986001002113",
    ),
    "gray1988": (
        "Gray, R. J.",
        "A class of K-sample tests for comparing the cumulative incidence of a competing risk",
        1988,
        "The Annals of Statistics",
        "16",
        "1141–1154",
        "10.1214/aos/1176350951",
    ),
    "greenhouse1959": (
        "Greenhouse, S. W. and Geisser, S.",
        "On methods in the analysis of profile data",
        1959,
        "Psychometrika",
        "24",
        "95–112",
        "10.1007/BF02289823",
    ),
    "hedges1981": (
        "Hedges, L. V.",
        "Distribution theory for Glass's estimator of effect size and related estimators",
        1981,
        "Journal of Educational Statistics",
        "6",
        "107–128",
        "10.3102/10769986006002107",
    ),
    "firth1993": (
        "Firth, D.",
        "Bias reduction of maximum likelihood estimates",
        1993,
        "Biometrika",
        "80",
        "27–38",
        "10.1093/biomet/80.1.27",
    ),
    "heinze2002": (
        "Heinze, G. and Schemper, M.",
        "A solution to the problem of separation in logistic regression",
        2002,
        "Statistics in Medicine",
        "21",
        "2409–2419",
        "10.1002/sim.1047",
    ),
    "holm1979": (
        "Holm, S.",
        "A simple sequentially rejective multiple test procedure",
        1979,
        "Scandinavian Journal of Statistics",
        "6",
        "65–70",
        "",
    ),
    "johansen1980": (
        "Johansen, S.",
        "The Welch–James approximation to the distribution of the residual sum of squares in a weighted linear "
        "regression",
        1980,
        "Biometrika",
        "67",
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
    "kruskal1952": (
        "Kruskal, W. H. and Wallis, W. A.",
        "Use of ranks in one-criterion variance analysis",
        1952,
        "Journal of the American Statistical Association",
        "47",
        "583–621",
        "10.1080/01621459.1952.10483441",
    ),
    "liang1986": (
        "Liang, K.-Y. and Zeger, S. L.",
        "Longitudinal data analysis using generalized linear models",
        1986,
        "Biometrika",
        "73",
        "13–22",
        "10.1093/biomet/73.1.13",
    ),
    "mackinnon1985": (
        "MacKinnon, J. G. and White, H.",
        "Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample properties",
        1985,
        "Journal of Econometrics",
        "29",
        "305–325",
        "10.1016/0304-4076(85)90158-7",
    ),
    "mancl2001": (
        "Mancl, L. A. and DeRouen, T. A.",
        "A covariance estimator for GEE with improved small-sample properties",
        2001,
        "Biometrics",
        "57",
        "126–134",
        "10.1111/j.0006-341X.2001.00126.x",
    ),
    "mann1947": (
        "Mann, H. B. and Whitney, D. R.",
        "On a test of whether one of two random variables is stochastically larger than the other",
        1947,
        "The Annals of Mathematical Statistics",
        "18",
        "50–60",
        "10.1214/aoms/1177730491",
    ),
    "mcnemar1947": (
        "McNemar, Q.",
        "Note on the sampling error of the difference between correlated proportions or percentages",
        1947,
        "Psychometrika",
        "12",
        "153–157",
        "10.1007/BF02295996",
    ),
    "newcombe1998": (
        "Newcombe, R. G.",
        "Interval estimation for the difference between independent proportions: Comparison of eleven methods",
        1998,
        "Statistics in Medicine",
        "17",
        "873–890",
        "10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I",
    ),
    "pustejovsky2018": (
        "Pustejovsky, J. E. and Tipton, E.",
        "Small-sample methods for cluster-robust variance estimation and hypothesis testing in fixed effects models",
        2018,
        "Journal of Business & Economic Statistics",
        "36",
        "672–683",
        "10.1080/07350015.2016.1247004",
    ),
    "schuirmann1987": (
        "Schuirmann, D. J.",
        "A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence of "
        "average bioavailability",
        1987,
        "Journal of Pharmacokinetics and Biopharmaceutics",
        "15",
        "657–680",
        "10.1007/BF01068419",
    ),
    "welch1947": (
        "Welch, B. L.",
        "The generalization of 'Student's' problem when several different population variances are involved",
        1947,
        "Biometrika",
        "34",
        "28–35",
        "10.1093/biomet/34.1-2.28",
    ),
    "welch1951": (
        "Welch, B. L.",
        "On the comparison of several mean values: An alternative approach",
        1951,
        "Biometrika",
        "38",
        "330–336",
        "10.1093/biomet/38.3-4.330",
    ),
    "wilcoxon1945": (
        "Wilcoxon, F.",
        "Individual comparisons by ranking methods",
        1945,
        "Biometrics Bulletin",
        "1",
        "80–83",
        "10.2307/3001968",
    ),
    "wilson1927": (
        "Wilson, E. B.",
        "Probable inference, the law of succession, and statistical inference",
        1927,
        "Journal of the American Statistical Association",
        "22",
        "209–212",
        "10.1080/01621459.1927.10502953",
    ),
}
# The works behind a method of results.json, an effect, an interval or a correction.
CITES: Mapping[str, tuple[str, ...]] = {
    "welch": ("welch1947",),
    "g": ("hedges1981",),
    "welch_anova": ("welch1951",),
    "games_howell": ("games1976",),
    "repeated": ("greenhouse1959",),
    "regression_cr2": ("pustejovsky2018",),
    "dyad": ("kenny2006",),
    "equivalence": ("schuirmann1987",),
    "mann_whitney": ("mann1947",),
    "wilcoxon": ("wilcoxon1945",),
    "kruskal_wallis": ("kruskal1952",),
    "brunner_munzel": ("brunner2000",),
    "friedman": ("friedman1937",),
    "mcnemar": ("mcnemar1947",),
    "cochran": ("cochran1950",),
    "gray": ("gray1988",),
    "cox": ("cox1972",),
    "logistic_firth": ("firth1993", "heinze2002"),
    "gee": ("liang1986", "mancl2001"),
    "welch_james": ("johansen1980",),
    "welch_james_ratios": ("johansen1980",),
    "box": ("box1954", "brunner1997"),
    "ancova": ("mackinnon1985",),
    "holm": ("holm1979",),
    "bh": ("benjamini1995",),
    "share": ("wilson1927",),
    "binomial": ("wilson1927",),
    "risk_difference": ("newcombe1998",),
    "within": ("bakdash2017",),
}


def cited(results: Mapping[str, Any]) -> list[str]:
    """Return the keys of the works behind the tests of a report, in alphabetical order."""
    names: set[str] = {family["correction"] for family in results.get("families") or ()}
    for entry in results["questions"]:
        for test in entry["tests"]:
            names |= {test["method"], str(test.get("correction") or ""), str(test["address"]).partition("#")[2]}
            names |= {str((test.get(part) or {}).get("name", "")) for part in ("estimate", "effect")}
            if test["method"] == "paired" and (test.get("effect") or {}).get("name") == "d_z":
                names.discard("g")
    return sorted({work for name in names for work in CITES.get(name, ())})


def reference_text(key: str) -> tuple[str, str, str]:
    """Return a work as a reference: what stands before its journal (or book), that, and what stands after.

    Examples
    --------
    >>> reference_text("cox1972")[1]
    'Journal of the Royal Statistical Society B, 34'
    """
    authors, title, year, journal, volume, pages, doi = WORKS[key]
    names = authors.split(" and ")
    author_names = names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"
    link = f" https://doi.org/{doi}" if doi else ""
    if not volume:
        return f"{author_names} ({year}). ", title, f". {journal}."
    return f"{author_names} ({year}). {title}. ", f"{journal}, {volume}", f", {pages}.{link}"


def bibtex(keys: Iterable[str]) -> str:
    """Return works as BibTeX."""
    entries = []
    for key in keys:
        authors, title, year, journal, volume, pages, doi = WORKS[key]
        kind, where = ("article", "journal") if volume else ("book", "publisher")
        fields = {
            "author": authors,
            "title": f"{{{title}}}",
            "year": str(year),
            where: journal,
            "volume": volume,
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
