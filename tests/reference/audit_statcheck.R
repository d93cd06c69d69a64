# Writes audit_statcheck.json: what statcheck says of sentences of ours. Run from the project's root:
# Rscript tests/reference/audit_statcheck.R (R 4.2.2, statcheck 1.6.0, jsonlite).
# Programs: R 4.2.2, statcheck 1.6.0.
suppressPackageStartupMessages({ library(jsonlite); library(statcheck) })
case <- function(text, ...) list(text = text, options = list(...))
cases <- list(
  case("They differed, t(28) = 2.20, p = .036."),
  case("They differed, t(28) = 2.20, p = .046."),
  case("They differed, t(28) = 2.20, p = .360."),
  case("They differed, t(27.4) = 2.20, p = .036."),
  case("They differed, F(1, 28) = 4.60, p = .041."),
  case("They differed, F(2, 28) = 4.60, p = .410."),
  case("They were alike, r(28) = .38, p = .038."),
  case("They were alike, r(28) = .38, p = .008."),
  case("They left, χ2(1, N = 94) = 4.67, p = .031."),
  case("They left, χ2(1, N = 94) = 4.67, p = .198."),
  case("They left, χ2(1) = 4.67, p = .031."),
  case("They left, χ2(1, N = 1,234) = 4.67, p = .198."),
  case("They left, G2(2) = 7.63, p = .022."),
  case("They differed, z = 2.31, p = .021."),
  case("They were unlike, Q(1) = 4.67, p = .031."),
  case("They were unlike, Qb(1) = 4.67, p = .198."),
  case("They differed, t(28) = 2.20, p < .05."),
  case("They did not, t(28) = 2.20, p > .05."),
  case("They did not, t(28) = 2.20, ns."),
  case("They did not, t(28) = 1.20, ns."),
  case("They did not, F(1, 28) < 1, p = .410."),
  case("They differed, t(28) = 2.2, p = .034."),
  case("They differed, t(28) = −2.20, p = .036."),
  case("They differed, t(32) = 1.74, p = .046."),
  case("They differed, t(32) = 2.74, p = .005."),
  case("They differed (one-tailed), t(32) = 1.74, p = .046."),
  case("They differed (one-tailed), t(32) = 1.74, p = .460."),
  case("They differed, t(32) = 1.74, p = .046.", OneTailedTests = TRUE),
  case("They differed (one-tailed), t(32) = 1.74, p = .046.", OneTailedTxt = TRUE),
  case("They did not, t(28) = 2.05, p = .05."),
  case("They differed, t(28) = 2.00, p = .05."),
  case("They differed, F(2, 28) = 2.34, p = .05."),
  case("They differed, F(2, 28) = 2.34, p = .05.", pEqualAlphaSig = FALSE),
  case("They differed, t(28) = 6.20, p = .000."),
  case("They differed, t(28) = 6.20, p = .000.", pZeroError = FALSE),
  case("They differed, t(28) = 6.20, p < .000."),
  case("Comparisons were Bonferroni-corrected. They differed, t(28) = 2.20, p = .109."),
  case("All p-values were corrected after Holm. They differed, t(28) = 2.80, p = .028."),
  case("They were alike, r(28) = 1.38, p = .001."),
  case("They differed, t(28) = 2.20, p = 1.36."),
  case("They differed, t(28) = 2.20; p = .036."),
  case("They differed, t[28] = 2.20, p = .036."),
  case("They differed, t28 = 2.20, p = .036."),
  case("They differed, t(28) = 2.20, d = 0.80, p = .036."),
  case("They differed, F(1, 28) = 4.60, MSE = 2.31, p = .041."),
  case("They differed (p = .036, t(28) = 2.20)."),
  case("They differed, t = 2.20, df = 28, p = .036."),
  case("They differed, F(1, 28) = 4.60, η2p = .14, p = .041."),
  case("They differed, t(28) = 2,20, p = ,036."),
  case("They left, chi-square(1) = 4.67, p = .031."),
  case("They were alike, rs(28) = .38, p = .038."),
  case("They differed, F(1, 473) = 3,193, p < .001."),
  case("They differed, ts(28) > 2.20, ps < .05."),
  case("They differed, z = 2.31, p = 2.1e-2.")
)
said <- function(case) {
  found <- suppressMessages(do.call(statcheck, c(list(case$text, messages = FALSE), case$options)))
  if (is.null(found) || NROW(found) == 0) return("not found")
  if (nrow(found) != 1) stop(case$text)
  if (isTRUE(found$decision_error)) "decision error" else if (isTRUE(found$error)) "inconsistent" else "consistent"
}
written <- lapply(cases, function(case) list(text = case$text, options = case$options, statcheck = said(case)))
write(toJSON(written, auto_unbox = TRUE, pretty = TRUE), "tests/reference/audit_statcheck.json")
