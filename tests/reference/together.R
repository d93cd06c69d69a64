# Writes together.json: what compares several things at once. One-sided Bayes factors, Dunnett's comparisons, equal odds
# ratios in strata, meta-analysis.
# Run from the project's root: Rscript tests/reference/together.R (R 4.2.2, BayesFactor 0.9.12, mvtnorm, metafor 3.8.1,
# jsonlite). Data are drawn or typed here and written beside the results.
# Programs: R 4.2.2, BayesFactor 0.9.12-4.4, metafor 3.8-1, mvtnorm 1.1-3.
suppressPackageStartupMessages({ library(jsonlite); library(BayesFactor); library(mvtnorm); library(metafor) })
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
save <- function(x, file) writeLines(toJSON(full(x), auto_unbox = TRUE, json_verbatim = TRUE, pretty = TRUE), file)
set.seed(5)
# BayesFactor approximates where t is large, to three digits or fewer, so these samples are not far apart.
samples <- list(list(a = c(1, 2, 3, 4, -1), b = c(0, 1, 2, -2, 1)), list(a = round(rnorm(20, .3), 2), b = round(rnorm(14), 2)),
  list(a = round(rnorm(30, .2), 2), b = round(rnorm(30), 2)))
one_sided <- lapply(samples, function(s) lapply(c(.707, 1), function(r) {
  two <- exp(ttestBF(s$a, s$b, nullInterval = c(0, Inf), rscale = r)@bayesFactor$bf)
  one <- exp(ttestBF(s$a, nullInterval = c(0, Inf), rscale = r)@bayesFactor$bf)
  list(a = s$a, b = s$b, r = r, greater = two[1], less = two[2], one_greater = one[1], one_less = one[2]) }))
dunnett <- lapply(list(c(6, 6, 6, 6), c(10, 4, 7), c(5, 9, 8, 6, 12)), function(n) {
  g <- rep(letters[seq_along(n)], n); y <- round(rnorm(sum(n)) + (g == "b"), 2); m <- tapply(y, g, mean); k <- length(n)
  df <- sum(n) - k; s <- sqrt(sum((y - m[g])^2) / df)
  t <- (m[-1] - m[1]) / (s * sqrt(1 / n[-1] + 1 / n[1])); lambda <- sqrt(n[-1] / (n[-1] + n[1]))
  R <- outer(lambda, lambda); diag(R) <- 1
  tune <- GenzBretz(maxpts = 2e5, abseps = 1e-6)
  list(y = y, g = g, t = unname(t), p = sapply(t, function(v) 1 - pmvt(-rep(abs(v), k - 1), rep(abs(v), k - 1), df = df, corr = R, algorithm = tune)[1])) })
strata <- lapply(1:4, function(i) { n <- array(rpois(4 * (i + 1), 9) + 1, c(2, 2, i + 1))
  m <- rma.mh(ai = n[1, 1, ], bi = n[1, 2, ], ci = n[2, 1, ], di = n[2, 2, ], measure = "OR", correct = FALSE)
  list(n = as.vector(aperm(n, c(3, 2, 1))), k = i + 1, statistic = m$TA, p = m$TAp, odds = exp(as.numeric(m$beta))) })
meta <- lapply(list(list(y = c(.62, .10, .95, .31, -.25, .75, .12), v = c(.040, .025, .090, .030, .050, .060, .020)),
  list(y = c(.2, .3, .25, .28), v = c(.05, .04, .06, .03)), list(y = round(rnorm(15, .4, .5), 3), v = round(runif(15, .01, .2), 3)),
  list(y = c(-1, 2.5, .4), v = c(.1, .3, .05))), function(d) {
  tune <- list(threshold = 1e-14, maxiter = 10000)
  m <- rma(d$y, d$v, method = "REML", test = "knha", control = tune); z <- rma(d$y, d$v, method = "REML", control = tune); f <- rma(d$y, d$v, method = "FE")
  p <- predict(m); ci <- confint(m, control = list(tol = 1e-13, tau2.max = 1e5))$random["tau^2", ]
  list(y = d$y, v = d$v, tau2 = m$tau2, mean = as.numeric(m$beta), se = m$se, plain = z$se, p = m$pval, z_p = z$pval, low = m$ci.lb, high = m$ci.ub,
    pi_low = p$pi.lb, pi_high = p$pi.ub, q = m$QE, q_p = m$QEp, i2 = m$I2, tau_low = ci[["ci.lb"]], tau_high = ci[["ci.ub"]],
    fixed = as.numeric(f$beta), fixed_se = f$se) })
save(list(one_sided = unlist(one_sided, recursive = FALSE), dunnett = dunnett, strata = strata, meta = meta), "tests/reference/together.json")
