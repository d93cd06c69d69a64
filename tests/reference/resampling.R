# Writes resampling.json: exact permutation tests by coin, of scores that are whole numbers with ties.
# Run from the project's root: Rscript tests/reference/resampling.R
# Programs: R 4.2.2, coin 1.4-2.

suppressMessages({
  library(coin); library(jsonlite)
})

set.seed(51)
cases <- lapply(list(c(4, 4), c(3, 6), c(5, 5), c(7, 4), c(6, 8), c(8, 9)), function(n) {
  y <- c(rpois(n[1], 4), rpois(n[2], 6))
  g <- factor(rep(c("a", "b"), n))
  p <- function(test, side) as.numeric(pvalue(test(y ~ g, distribution = "exact", alternative = side)))
  sides <- c("two.sided", "greater", "less")
  list(a = y[g == "a"], b = y[g == "b"],
       mean = setNames(lapply(sides, function(s) p(oneway_test, s)), c("two-sided", "greater", "less")),
       rank = setNames(lapply(sides, function(s) p(wilcox_test, s)), c("two-sided", "greater", "less")))
})
write_json(cases, "tests/reference/resampling.json", digits = NA, auto_unbox = TRUE)
