# Writes agreement.json: kappas, intraclass correlations, reliability. Run from the project's root:
# Rscript tests/reference/agreement.R (R 4.2.2, psych 2.2.9, vcd 1.4-11, jsonlite). Data are drawn here and written beside.
# Programs: R 4.2.2, psych 2.2.9, vcd 1.4-11.
suppressPackageStartupMessages({ library(jsonlite); library(psych); library(vcd) })
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
set.seed(6)
kappas <- lapply(1:12, function(i) {
  c <- 2 + i %% 4; n <- 30 + 5 * i
  a <- sample(c, n, TRUE); b <- ifelse(runif(n) < .6, a, sample(c, n, TRUE))
  table <- table(factor(a, 1:c), factor(b, 1:c))
  e <- Kappa(table, weights = "Equal-Spacing"); f <- Kappa(table, weights = "Fleiss-Cohen")
  list(a = a, b = b, kappa = e$Unweighted[[1]], se = e$Unweighted[[2]], linear = e$Weighted[[1]], linear_se = e$Weighted[[2]],
    quadratic = f$Weighted[[1]], quadratic_se = f$Weighted[[2]])
})
ratings <- lapply(1:12, function(i) {
  n <- 5 + i; k <- 2 + i %% 4
  # the last targets hardly differ: the intraclass correlation may be negative
  m <- round(outer(rnorm(n, 0, c(2, 1, 0)[i %% 3 + 1]), rnorm(k, 0, c(1, 0, 3)[(i %/% 3) %% 3 + 1]), "+") + matrix(rnorm(n * k), n), 2)
  r <- ICC(m, lmer = FALSE, alpha = .1)$results
  list(ratings = lapply(1:k, function(j) m[, j]), icc = r$ICC, f = r$F, p = r$p, low = r[, "lower bound"], high = r[, "upper bound"])
})
scales <- lapply(1:8, function(i) {
  n <- 40 + 10 * i; k <- 3 + i %% 5
  x <- rnorm(n)
  m <- sapply(1:k, function(j) round(x * runif(1, .5, 2) + rnorm(n, 0, runif(1, .6, 1.5)), 2))
  colnames(m) <- paste0("i", 1:k)
  a <- suppressWarnings(suppressMessages(psych::alpha(as.data.frame(m))))
  f <- factanal(m, 1, control = list(nstart = 3, opt = list(factr = 1e3, maxit = 10000)))
  sd <- apply(m, 2, sd); lambda <- c(f$loadings) * sd; psi <- f$uniquenesses * sd^2
  if (sum(lambda) < 0) lambda <- -lambda
  list(items = lapply(1:k, function(j) m[, j]), alpha = a$total$raw_alpha, se = a$total$ase, rest = a$item.stats$r.drop,
    without = a$alpha.drop$raw_alpha, omega = sum(lambda)^2 / (sum(lambda)^2 + sum(psi)), loadings = unname(lambda),
    chisq = if (k > 3) unname(f$STATISTIC) else NA)
})
writeLines(toJSON(full(list(kappas = kappas, ratings = ratings, scales = scales)), auto_unbox = TRUE, json_verbatim = TRUE),
  "tests/reference/agreement.json")
