# Writes scales.json: polychoric correlations and omega with its standard error.
# Run from the project's root: Rscript tests/reference/scales.R (R 4.2.2, polycor 0.8-1, mvtnorm, numDeriv, lavaan
# 0.6-14, jsonlite). polycor's optimiser stops in the fourth digit: its numbers stand beside those of the likelihood
# written out with mvtnorm's TVPACK and solved by Newton's method.
# Programs: R 4.2.2, lavaan 0.6-14, mvtnorm 1.1-3, numDeriv 2016.8-1.1, polycor 0.8-1.
suppressMessages({ library(polycor); library(mvtnorm); library(numDeriv); library(lavaan); library(jsonlite) })
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
area <- function(a, b, r) if (a == Inf) pnorm(b) else if (b == Inf) pnorm(a) else
  pmvnorm(upper = c(a, b), corr = matrix(c(1, r, r, 1), 2), algorithm = TVPACK(abseps = 1e-14))[1]
chances <- function(w, rows, columns) {
  a <- c(-Inf, w[seq_len(rows - 1)], Inf); b <- c(-Inf, w[rows - 1 + seq_len(columns - 1)], Inf); r <- w[length(w)]
  P <- outer(seq_along(a), seq_along(b), Vectorize(function(i, j) if (a[i] == -Inf || b[j] == -Inf) 0 else area(a[i], b[j], r)))
  P[-1, -1] - P[-nrow(P), -1] - P[-1, -ncol(P)] + P[-nrow(P), -ncol(P)]
}
tables <- list(three = rbind(c(20, 10, 4), c(8, 15, 9), c(2, 9, 18)), tetra = rbind(c(30, 10), c(12, 40)),
  negative = rbind(c(3, 9, 14, 22), c(8, 11, 7, 2), c(15, 6, 1, 1)), zeros = rbind(c(12, 3, 0, 0, 1), c(4, 9, 6, 2, 0), c(0, 3, 8, 5, 4), c(0, 1, 2, 7, 11)),
  weak = rbind(c(40, 35, 20), c(30, 41, 28)))
polychorics <- lapply(names(tables), function(name) {
  t <- tables[[name]]; rows <- nrow(t); columns <- ncol(t); n <- sum(t)
  minus <- function(w) { P <- chances(w, rows, columns); -sum(ifelse(t > 0, t * log(pmax(P, 1e-300)), 0)) }
  margins <- c(qnorm(cumsum(rowSums(t))[-rows] / n), qnorm(cumsum(colSums(t))[-columns] / n))
  w <- nlminb(c(margins, .1), minus, upper = c(rep(Inf, length(margins)), .999), lower = c(rep(-Inf, length(margins)), -.999))$par
  for (step in 1:4) w <- w - solve(hessian(minus, w), grad(minus, w))
  J <- jacobian(function(v) c(chances(v, rows, columns)), w); P <- c(chances(w, rows, columns))
  se <- sqrt(diag(solve(n * t(J / P) %*% J)))[length(w)]
  # Two steps, as a function of the table's shares: how it changes with each share gives its variance.
  two <- function(share) { p <- matrix(share, rows); p <- p / sum(p)
    m <- c(qnorm(cumsum(rowSums(p))[-rows]), qnorm(cumsum(colSums(p))[-columns]))
    steep <- function(r) sum(p * (chances(c(m, r + 1e-5), rows, columns) - chances(c(m, r - 1e-5), rows, columns)) / 2e-5 / chances(c(m, r), rows, columns))
    uniroot(steep, w[length(w)] + c(-.1, .1), tol = 1e-13)$root }
  second <- two(c(t) / n); fitted <- c(chances(c(margins, second), rows, columns))
  g <- grad(two, fitted); two_se <- sqrt((sum(fitted * g^2) - sum(fitted * g)^2) / n)
  q <- qchisq(.95, 1); place <- length(w)
  lost <- function(r) { at <- nlminb(w[-place], function(v) minus(c(v, r)), control = list(rel.tol = 1e-14))$objective; 2 * (at - minus(w)) - q }
  ends <- c(uniroot(lost, c(max(-.995, w[place] - 6 * se), w[place]), tol = 1e-10)$root, uniroot(lost, c(w[place], min(.995, w[place] + 6 * se)), tol = 1e-10)$root)
  other <- polychor(t, ML = TRUE, std.err = TRUE)
  list(name = name, table = apply(t, 1, as.list), r = w[place], se = se, rows = w[seq_len(rows - 1)], columns = w[rows - 1 + seq_len(columns - 1)],
    loglik = -minus(w), low = ends[1], high = ends[2], two = second, two_se = two_se, independent = sum(ifelse(t > 0, t * log(outer(rowSums(t), colSums(t)) / n^2), 0)),
    polycor = c(other$rho, sqrt(other$var[1, 1])), polycor_two = polychor(t))
})
set.seed(12)
items <- function(n, l) { f <- rnorm(n); as.data.frame(sapply(l, function(x) round(3 + 1.5 * (x * f + sqrt(1 - x^2) * rnorm(n)), 1))) }
omegas <- lapply(list(items(40, c(.8, .7, .6, .75)), items(120, c(.5, .6, .4, .7, .3)), items(90, c(.7, .6, .65))), function(d) {
  k <- ncol(d); names(d) <- paste0("i", seq_len(k))
  l <- paste0("l", seq_len(k)); e <- paste0("e", seq_len(k))
  model <- paste0("f =~ NA*i1 + ", paste0(l, "*", names(d), collapse = " + "), "\nf ~~ 1*f\n", paste0(names(d), " ~~ ", e, "*", names(d), collapse = "\n"),
    "\nomega := (", paste(l, collapse = "+"), ")^2/((", paste(l, collapse = "+"), ")^2+", paste(e, collapse = "+"), ")")
  fit <- cfa(model, d, information = "expected")
  p <- parameterEstimates(fit); p <- p[p$label == "omega", ]
  list(items = as.list(d), omega = p$est, se = p$se)
})
writeLines(toJSON(full(list(polychorics = polychorics, omegas = omegas)), auto_unbox = TRUE, json_verbatim = TRUE, pretty = TRUE), "tests/reference/scales.json")
