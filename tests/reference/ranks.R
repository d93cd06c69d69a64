# Writes ranks.json: Mann-Whitney, Wilcoxon, Kruskal-Wallis with Dunn, Friedman, and their effect sizes.
# Run from the project's root: Rscript tests/reference/ranks.R
# (R 4.2.2, coin 1.4.2, effectsize 0.8.3, rstatix 0.7.2, jsonlite). The data stand beside the results.
# Programs: R 4.2.2, coin 1.4-2, effectsize 0.8.3, rstatix 0.7.2.
suppressPackageStartupMessages({
  library(jsonlite)
  library(coin)
  library(effectsize)
})
options(warn = -1) # "cannot compute exact p-value with ties": coin does, below

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

set.seed(31)
two <- list(
  untied = list(a = round(rnorm(8, 1), 4), b = round(rnorm(11), 4)),
  small = list(a = c(1.1, 2.7), b = c(0.4, 3.9, 4.2, 5.0)),
  larger = list(a = round(rnorm(33, 0.6), 5), b = round(rnorm(28), 5)),
  points = list(a = rpois(14, 6), b = rpois(9, 4)),
  likert = list(a = sample(1:5, 20, TRUE, c(1, 2, 4, 3, 2)), b = sample(1:5, 25, TRUE, c(4, 3, 2, 1, 1))),
  binary = list(a = rbinom(12, 1, 0.7), b = rbinom(15, 1, 0.3)),
  many = list(a = sample(1:9, 80, TRUE), b = sample(2:10, 70, TRUE))
)
pairs <- list(
  untied = list(a = round(rnorm(12, 1), 4), b = round(rnorm(12), 4)),
  larger = list(a = round(rnorm(31, 0.3), 5), b = round(rnorm(31), 5)),
  zeros = list(a = rpois(16, 6), b = rpois(16, 5)),
  likert = list(a = sample(1:5, 24, TRUE, c(1, 2, 4, 3, 2)), b = sample(1:5, 24, TRUE, c(4, 3, 2, 1, 1))),
  many = list(a = sample(1:9, 70, TRUE), b = sample(1:8, 70, TRUE))
)
alternatives <- c("two.sided", "greater", "less")
has_ties <- function(x) anyDuplicated(x) > 0

interval <- function(r) list(low = r$conf.int[1], high = r$conf.int[2], estimate = unname(r$estimate))
mann_whitney <- list()
for (name in names(two)) {
  a <- two[[name]]$a
  b <- two[[name]]$b
  y <- c(a, b)
  g <- factor(rep(c("a", "b"), c(length(a), length(b))))
  for (alternative in alternatives) {
    for (correct in c(TRUE, FALSE)) {
      r <- wilcox.test(a, b, exact = FALSE, correct = correct, alternative = alternative,
        conf.int = TRUE, tol.root = 1e-12)
      mann_whitney[[length(mann_whitney) + 1]] <- c(
        list(sample = name, method = "asymptotic", alternative = alternative, continuity = correct,
          u = unname(r$statistic), p = r$p.value),
        interval(r)
      )
    }
    case <- list(sample = name, method = "exact", alternative = alternative, continuity = FALSE,
      u = unname(r$statistic))
    if (!has_ties(y)) {
      r <- wilcox.test(a, b, exact = TRUE, alternative = alternative, conf.int = TRUE)
      case <- c(case, interval(r))
    }
    if (name != "many") {
      case$p <- as.numeric(pvalue(wilcox_test(y ~ g, distribution = "exact", alternative = alternative)))
      if (!has_ties(y)) stopifnot(abs(case$p - r$p.value) < 1e-12)
      mann_whitney[[length(mann_whitney) + 1]] <- case
    }
  }
}

wilcoxon <- list()
for (name in names(pairs)) {
  a <- pairs[[name]]$a
  b <- pairs[[name]]$b
  d <- a - b
  for (alternative in alternatives) {
    for (correct in c(TRUE, FALSE)) {
      r <- wilcox.test(a, b, paired = TRUE, exact = FALSE, correct = correct, alternative = alternative,
        conf.int = TRUE, tol.root = 1e-12)
      case <- list(sample = name, method = "asymptotic", zero_method = "drop", alternative = alternative,
        continuity = correct, t_plus = unname(r$statistic), p = r$p.value)
      # R drops zeros before it estimates the shift; ours keeps them: comparable where there are none.
      if (!any(d == 0)) case <- c(case, interval(r))
      wilcoxon[[length(wilcoxon) + 1]] <- case
    }
    for (zeros in c("drop", "pratt")) {
      exact <- wilcoxsign_test(a ~ b, distribution = "exact", alternative = alternative,
        zero.method = if (zeros == "drop") "Wilcoxon" else "Pratt")
      case <- list(sample = name, method = "exact", zero_method = zeros, alternative = alternative,
        continuity = FALSE, p = as.numeric(pvalue(exact)))
      if (zeros == "drop" && !any(d == 0) && !has_ties(abs(d))) {
        r <- wilcox.test(a, b, paired = TRUE, exact = TRUE, alternative = alternative, conf.int = TRUE)
        case <- c(case, list(t_plus = unname(r$statistic)), interval(r))
      }
      wilcoxon[[length(wilcoxon) + 1]] <- case
      z <- wilcoxsign_test(a ~ b, alternative = alternative,
        zero.method = if (zeros == "drop") "Wilcoxon" else "Pratt")
      wilcoxon[[length(wilcoxon) + 1]] <- list(sample = name, method = "asymptotic", zero_method = zeros,
        alternative = alternative, continuity = FALSE, z = as.numeric(statistic(z)), p = as.numeric(pvalue(z)))
    }
  }
}

rank_biserial_cases <- list()
for (name in names(two)) {
  for (level in c(0.95, 0.9)) {
    r <- rank_biserial(two[[name]]$a, two[[name]]$b, ci = level)
    rank_biserial_cases[[length(rank_biserial_cases) + 1]] <- list(
      sample = name, paired = FALSE, level = level, value = r[[1]], low = r$CI_low, high = r$CI_high
    )
  }
}
for (name in names(pairs)) {
  r <- rank_biserial(pairs[[name]]$a, pairs[[name]]$b, paired = TRUE)
  rank_biserial_cases[[length(rank_biserial_cases) + 1]] <- list(
    sample = name, paired = TRUE, level = 0.95, value = r[[1]], low = r$CI_low, high = r$CI_high
  )
}

groups <- list(
  untied = list(a = round(rnorm(6, 1), 4), b = round(rnorm(8), 4), c = round(rnorm(11, 0.5), 4)),
  points = list(a = rpois(9, 4), b = rpois(12, 6), c = rpois(7, 5), d = rpois(10, 8))
)
kruskal <- list()
for (name in names(groups)) {
  y <- unlist(groups[[name]], use.names = FALSE)
  g <- factor(rep(names(groups[[name]]), lengths(groups[[name]])))
  r <- kruskal.test(y, g)
  case <- list(groups = name, h = unname(r$statistic), df = unname(r$parameter), p = r$p.value,
    epsilon = rank_epsilon_squared(y, g, ci = NULL)[[1]], eta = rank_eta_squared(y, g, ci = NULL)[[1]])
  for (adjust in c("none", "holm", "bonferroni", "BH")) {
    dunn <- rstatix::dunn_test(data.frame(y = y, g = g), y ~ g, p.adjust.method = adjust, detailed = TRUE)
    case$z <- -dunn$statistic # rstatix: second minus first
    # rstatix rounds p; the same adjustment of unrounded p
    case[[paste0("p_", tolower(adjust))]] <- p.adjust(2 * pnorm(-abs(dunn$statistic)), adjust)
  }
  kruskal[[length(kruskal) + 1]] <- case
}

measures <- list(
  untied = lapply(list(a = 1, b = 0, c = 0.5), function(m) round(rnorm(9, m), 4)),
  likert = lapply(list(a = 2, b = 3, c = 3, d = 4), function(m) pmin(5, pmax(1, rpois(14, m))))
)
friedman <- lapply(names(measures), function(name) {
  y <- do.call(cbind, measures[[name]])
  r <- friedman.test(y)
  long <- data.frame(y = c(y), g = factor(rep(colnames(y), each = nrow(y))), b = factor(rep(1:nrow(y), ncol(y))))
  w <- rstatix::friedman_effsize(long, y ~ g | b)$effsize
  list(measures = name, chi2 = unname(r$statistic), df = unname(r$parameter), p = r$p.value, w = unname(w))
})

save(
  list(two = two, pairs = pairs, groups = groups, measures = measures, mann_whitney = mann_whitney,
    wilcoxon = wilcoxon, rank_biserial = rank_biserial_cases, kruskal = kruskal, friedman = friedman),
  "tests/reference/ranks.json"
)
