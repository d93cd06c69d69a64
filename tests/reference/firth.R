# Writes firth.json: Firth's penalised logit by brglm (pl = TRUE; coefficients and errors), and ends of the 95 % profile
# interval of x, where 2 (l* - l*(x)) of the penalised likelihood, written out below and maximised by a simplex, is the
# quantile of chi-squared. The designs are in it. From the project's root: Rscript tests/reference/firth.R
# Programs: R 4.2.2, brglm 0.7.2.
suppressMessages({ library(brglm); library(jsonlite) })
penalised <- function(X, y, b) {
  eta <- as.vector(X %*% b)
  sum(plogis(ifelse(y == 1, eta, -eta), log.p = TRUE)) +
    .5 * as.numeric(determinant(t(X) %*% (X * (plogis(eta) * plogis(-eta))))$modulus)
}
ends <- function(X, y, b, j) {
  top <- penalised(X, y, b)
  from <- b[-j]
  gap <- function(value) {
    loss <- function(rest) { all <- b; all[-j] <- rest; all[j] <- value; -penalised(X, y, all) }
    if (length(from) == 1) return(2 * (top + optimize(loss, from + c(-400, 400), tol = 1e-12)$objective) - qchisq(.95, 1))
    # The others' likelihood can have two maxima (of design "two" it has): the higher one of three starts counts.
    fits <- lapply(list(c(0, 0), c(-15, 15), c(15, -15)), function(move) {
      start <- from + move
      for (i in 1:6) { fit <- optim(start, loss, control = list(reltol = 1e-15, maxit = 5000)); start <- fit$par }
      fit })
    2 * (top + min(sapply(fits, function(fit) fit$value))) - qchisq(.95, 1)
  }
  side <- function(step) { v <- b[j]; while (gap(v) < 0) v <- v + step; sort(c(v - step, v)) }
  one <- function(step) uniroot(gap, side(step), tol = 1e-9)$root
  c(one(-.5), one(.5))
}
designs <- list(
  separated = list(y = c(0, 0, 0, 0, 0, 1, 1, 1, 1, 1), x = 1:10),
  quasi = list(y = c(0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1), x = rep(0:1, each = 6)),
  overlap = list(y = c(0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1), x = c(.3, 1.2, -.4, .8, 2.1, .1, 1.7, .6, 1.1, 2.8, .2, 1.9)),
  rare = list(y = c(rep(0, 28), 1, 1), x = 1:30 / 10),
  two = list(y = c(0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1), x = c(1, 2, 5, 3, 6, 7, 8, 4, 1.5, 2.5, 9, 6.5, 3.5, 7.5),
             z = c(0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0)))
tell <- function(data) {
  formula <- if (is.null(data$z)) y ~ x else y ~ x + z
  fit <- suppressWarnings(brglm(formula, data = as.data.frame(data), family = binomial, pl = TRUE,
                                control.brglm = brglm.control(br.epsilon = 1e-12, br.maxit = 5000)))
  list(data = data, formula = paste(deparse(formula), collapse = ""), beta = unname(coef(fit)),
       se = unname(sqrt(diag(vcov(fit)))), profile = unname(ends(model.matrix(formula, as.data.frame(data)), data$y, coef(fit), 2)))
}
out <- list(brglm = as.character(packageVersion("brglm")), R = R.version.string, designs = lapply(designs, tell))
writeLines(toJSON(out, digits = NA, auto_unbox = TRUE, pretty = FALSE), "tests/reference/firth.json")
