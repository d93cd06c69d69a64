# Writes cr2_singular.json: CR2 with degrees of freedom where a cluster's I - H cannot be inverted: a level with one
# cluster, and a coefficient for each cluster.
# Run from the project's root: Rscript tests/reference/cr2_singular.R (R 4.2.2, clubSandwich 0.5.8, jsonlite).
# Programs: R 4.2.2, clubSandwich 0.5.8.
suppressPackageStartupMessages({library(jsonlite); library(clubSandwich)})
set.seed(20)
j <- rep(1:7, c(4, 4, 3, 5, 4, 2, 4)); n <- length(j)
d <- data.frame(j = j, h = ifelse(j < 7, "a", "b"), x = round(rnorm(n), 3), z = round(rnorm(n) + j / 3, 3))
d$y <- round(rnorm(n) + rnorm(7)[j] + d$x / 2, 3)
tests <- list(
  list(formula = "y ~ h", terms = "hb"), list(formula = "y ~ h + x + z", terms = c("hb", "x", "z")),
  list(formula = "y ~ h + x + z", terms = c("x", "z")), list(formula = "y ~ factor(j) + x", terms = "x"),
  list(formula = "y ~ factor(j) + x + z", terms = c("x", "z")))
found <- lapply(tests, function(one) {
  m <- lm(as.formula(one$formula), d); v <- vcovCR(m, d$j, "CR2")
  w <- Wald_test(m, constrain_zero(one$terms, coefs = coef(m)), vcov = v, test = "HTZ")
  list(formula = one$formula, terms = as.list(one$terms), f = w$Fstat, df2 = w$df_denom, p = w$p_val)
})
write(toJSON(list(data = as.list(d), tests = found), digits = NA, auto_unbox = TRUE, pretty = TRUE),
  "tests/reference/cr2_singular.json")
