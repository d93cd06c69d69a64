# Writes equivalence.json: pairs of one-sided tests against a lower and an upper bound, and their 90 % intervals.
# Run from the project's root: Rscript tests/reference/equivalence.R
# Programs: R 4.2.2.

suppressMessages(library(jsonlite))

two_one_sided <- function(test, bounds, ...) {
  # `test` is t.test, binom.test or prop.test as a function of the null and the side.
  low <- test(bounds[1], "greater", ...)
  high <- test(bounds[2], "less", ...)
  list(bounds = bounds, statistic_low = unname(low$statistic), p_low = low$p.value,
       statistic_high = unname(high$statistic), p_high = high$p.value, df = unname(low$parameter))
}

means <- function(label, x, y, bounds, method) {
  paired <- method == "paired"
  test <- function(mu, side, level = 0.95) {
    if (method == "one-sample") t.test(x, mu = mu, alternative = side, conf.level = level)
    else t.test(x, y, mu = mu, alternative = side, var.equal = method == "student", paired = paired, conf.level = level)
  }
  both <- test(0, "two.sided", level = 0.90)
  c(list(label = label, x = x, y = y, method = method, ends = as.vector(both$conf.int)), two_one_sided(test, bounds))
}

set.seed(31)
cases <- list()
for (method in c("welch", "student", "paired", "one-sample")) for (i in 1:5) {
  n <- sample(4:30, 2)
  if (method == "paired") n[2] <- n[1]
  x <- round(rnorm(n[1], 5, 1), 2)
  y <- round(rnorm(n[2], 5.2, runif(1, 0.5, 2)), 2)
  bounds <- if (method == "one-sample") round(5 + sort(runif(2, -1, 1)), 2) else round(sort(c(-runif(1), runif(1))), 2)
  cases[[length(cases) + 1]] <- means(paste(method, i), x, y, bounds, method)
}

proportions <- list()
for (i in 1:6) {
  n <- sample(10:120, 1)
  x <- rbinom(1, n, 0.5)
  bounds <- c(0.5 - round(runif(1, 0.05, 0.3), 2), 0.5 + round(runif(1, 0.05, 0.3), 2))
  # prop.test gives chi-squared without a sign; its root has the sign of the distance from the null.
  score <- two_one_sided(function(p, side) suppressWarnings(prop.test(x, n, p, alternative = side, correct = FALSE)), bounds)
  exact <- two_one_sided(function(p, side) binom.test(x, n, p, alternative = side), bounds)
  proportions[[i]] <- list(x = x, n = n, bounds = bounds, score_low = score$p_low, score_high = score$p_high,
                           exact_low = exact$p_low, exact_high = exact$p_high,
                           wilson = as.vector(suppressWarnings(prop.test(x, n, conf.level = 0.9, correct = FALSE))$conf.int),
                           clopper = as.vector(binom.test(x, n, conf.level = 0.9)$conf.int))
}

write_json(list(means = cases, proportions = proportions), "tests/reference/equivalence.json",
           digits = NA, auto_unbox = TRUE)
