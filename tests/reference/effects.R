# Writes effects.json: variance explained by an F, effects of counts, r of t, conversions.
# Run from the project's root: Rscript tests/reference/effects.R (R 4.2.2, effectsize 0.8.3, jsonlite).
# Programs: R 4.2.2, effectsize 0.8.3.
suppressPackageStartupMessages({
  library(jsonlite)
  library(effectsize)
})
options(warn = -1) # pnt: "full precision may not have been achieved", while the optimiser looks around

# jsonlite stops at 15 digits; these are all 17, and infinities as text.
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
save <- function(x, file) {
  writeLines(toJSON(full(x), auto_unbox = TRUE, json_verbatim = TRUE, pretty = TRUE), file)
}

# The exact interval of a noncentrality, by the equations that effectsize solves by optimisation.
ncp_interval <- function(cdf, level, top) {
  solve <- function(p) {
    if (cdf(0) < p) return(0)
    uniroot(function(ncp) cdf(ncp) - p, c(0, top), tol = 1e-13)$root
  }
  c(solve((1 + level) / 2), solve((1 - level) / 2))
}

# Moore and Krupat (1971), the data of carData::Moore, type III: conformity by partner and F-scale.
f_tests <- list(
  c(0.85888, 2, 39), c(11.42497, 1, 39), c(4.18462, 2, 39), c(5.08, 1, 577), c(0.2, 3, 20), c(60, 2, 30), c(2.5, 4, 12.7)
)
explained <- list()
for (test in f_tests) {
  for (level in c(0.95, 0.9)) {
    ncp <- ncp_interval(function(ncp) pf(test[1], test[2], test[3], ncp), level, 2000)
    for (name in c("eta", "omega", "epsilon")) {
      r <- get(paste0("F_to_", name, "2"))(test[1], test[2], test[3], ci = level, alternative = "two.sided")
      case <- list(
        name = name, f = test[1], df1 = test[2], df2 = test[3], level = level,
        value = r[[1]], low = r$CI_low, high = r$CI_high
      )
      if (name == "eta") case <- c(case, list(exact_low = ncp[1] / (ncp[1] + test[3]), exact_high = ncp[2] / (ncp[2] + test[3])))
      explained[[length(explained) + 1]] <- case
    }
  }
}

tables <- list(
  walkaway = matrix(c(5, 19, 91, 78), 2), # rows are groups
  strong = matrix(c(30, 4, 6, 25), 2),
  agent_end = matrix(c(10, 25, 20, 15, 30, 5), 2),
  four = matrix(c(12, 5, 9, 3, 14, 8, 7, 6, 21, 2, 4, 16), 4)
)
counts <- list()
for (name in names(tables)) {
  x <- tables[[name]]
  chi2 <- unname(chisq.test(x, correct = FALSE)$statistic)
  n <- sum(x)
  k <- min(dim(x)) - 1
  df <- prod(dim(x) - 1)
  v <- cramers_v(x, adjust = FALSE, alternative = "two.sided")
  ncp <- ncp_interval(function(ncp) pchisq(chi2, df, ncp), 0.95, 2000)
  case <- list(
    table = name, rows = apply(x, 1, as.list), chi2 = chi2,
    v = v[[1]], v_low = v$CI_low, v_high = v$CI_high,
    exact_low = sqrt(ncp[1] / n / k), exact_high = min(1, sqrt(ncp[2] / n / k))
  )
  if (all(dim(x) == 2)) {
    odds <- oddsratio(x)
    risk <- riskratio(t(x)) # effectsize takes columns as groups
    share <- prop.test(x[, 1], rowSums(x), correct = FALSE)
    case <- c(case, list(
      phi = phi(x, adjust = FALSE)[[1]],
      odds_ratio = odds[[1]], odds_low = odds$CI_low, odds_high = odds$CI_high,
      risk_ratio = risk[[1]], risk_low = risk$CI_low, risk_high = risk$CI_high,
      risk_difference = unname(share$estimate[1] - share$estimate[2])
    ))
  }
  counts[[length(counts) + 1]] <- case
}

correlations <- lapply(list(c(2.46, 65), c(-0.4, 12), c(7, 30)), function(x) {
  r <- t_to_r(x[1], x[2])
  list(t = x[1], df = x[2], value = r[[1]], low = r$CI_low, high = r$CI_high)
})

conversions <- list(
  list(value = 0.5, source = "d", to = "r", result = d_to_r(0.5)),
  list(value = -0.5, source = "d", to = "r", n = c(10, 40), result = d_to_r(-0.5, 10, 40)),
  list(value = 0.3, source = "r", to = "d", result = r_to_d(0.3)),
  list(value = 0.3, source = "r", to = "d", n = c(7, 12), result = r_to_d(0.3, 7, 12)),
  list(value = 0.8, source = "d", to = "odds_ratio", result = d_to_oddsratio(0.8)),
  list(value = 0.8, source = "d", to = "log_odds_ratio", result = d_to_oddsratio(0.8, log = TRUE)),
  list(value = 2.5, source = "odds_ratio", to = "d", result = oddsratio_to_d(2.5)),
  list(value = 2.5, source = "odds_ratio", to = "r", result = oddsratio_to_r(2.5)),
  list(value = -0.7, source = "log_odds_ratio", to = "r", result = logoddsratio_to_r(-0.7)),
  list(value = 0.3, source = "r", to = "odds_ratio", result = r_to_oddsratio(0.3)),
  list(value = -0.6, source = "d", to = "common_language", result = d_to_p_superiority(-0.6)),
  list(value = 0.4, source = "rank_biserial", to = "common_language", result = rb_to_p_superiority(0.4)),
  list(value = 0.2, source = "eta_squared", to = "f", result = eta2_to_f(0.2)),
  list(value = 0.25, source = "f", to = "eta_squared", result = f_to_eta2(0.25))
)

save(
  list(explained = explained, counts = counts, correlations = correlations, conversions = conversions),
  "tests/reference/effects.json"
)
