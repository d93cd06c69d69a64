# Writes loglinear.json: hierarchical log-linear models fitted by MASS::loglm, and Poisson models by glm.
# Run from this folder: Rscript loglinear.R
# Tables are written row-major (the last dimension varies fastest), with their dim. Models are lists of 0-based places.
# Programs: R 4.2.2, MASS 7.3-58.2.
suppressPackageStartupMessages({library(MASS); library(jsonlite)})

flat <- function(a) as.vector(aperm(a, rev(seq_along(dim(a)))))
named <- function(a) { dimnames(a) <- NULL; names <- LETTERS[seq_along(dim(a))]
  dimnames(a) <- setNames(lapply(dim(a), function(k) paste0("l", 1:k)), names); as.table(a) }
term <- function(g) paste(LETTERS[g + 1], collapse = "*")
formula_of <- function(model, lhs = "") as.formula(paste(lhs, "~", paste(sapply(model, term), collapse = " + ")))

# Degrees of freedom that these data give: cells fitted above 0 less the rank of the design there
rank_df <- function(fit, model) {
  frame <- as.data.frame(as.table(fit)); keep <- frame$Freq > 1e-9
  x <- model.matrix(formula_of(model), frame)
  sum(keep) - qr(x[keep, , drop = FALSE])$rank
}

fit_case <- function(label, a, model, start = NULL, glm_too = TRUE) {
  a <- named(a)
  args <- list(formula_of(model), data = a, fit = TRUE, eps = 1e-12, iter = 20000)
  if (!is.null(start)) { dimnames(start) <- dimnames(a); args$start <- start }
  m <- suppressWarnings(do.call(loglm, args))
  fit <- fitted(m); there <- fit > 1e-9  # loglm's own X^2 is NaN where a cell is fitted as 0
  x2 <- sum((unclass(a)[there] - fit[there])^2 / fit[there])
  out <- list(label = label, dim = dim(a), n = flat(unclass(a)), model = model, g2 = m$lrt, x2 = x2, df_loglm = m$df,
              df = rank_df(fitted(m), model), fitted = flat(unclass(fitted(m))))
  if (!is.null(start)) { out$possible <- flat(start) > 0; glm_too <- FALSE }
  if (glm_too) {
    frame <- as.data.frame(a)
    contrasts <- setNames(rep(list("contr.sum"), length(dim(a))), LETTERS[seq_along(dim(a))])
    g <- glm(formula_of(model, "Freq"), poisson, frame, contrasts = contrasts, epsilon = 1e-15, maxit = 200)
    shaped <- function(v) flat(array(v, dim(a)))
    out <- c(out, list(aic = AIC(g), pearson = shaped(residuals(g, "pearson")), deviance = shaped(residuals(g, "deviance")),
                       adjusted = if (m$df > 0) shaped(rstandard(g, type = "pearson")) else NULL,
                       constant = unname(coef(summary(g))[1, 1:2]),
                       coef = coef(summary(g))[, 1:2], coef_names = names(coef(g))))
    dimnames(out$coef) <- NULL
  }
  out
}

order_k <- function(d, k) { if (k == 0) list() else combn(0:(d - 1), k, simplify = FALSE) }
cases <- list()
add <- function(...) cases[[length(cases) + 1]] <<- fit_case(...)

# Data sets of R; their counts are in the public domain as printed tables (see each help page for the source)
add("HairEyeColor mutual", unclass(HairEyeColor), order_k(3, 1))
add("HairEyeColor two-way", unclass(HairEyeColor), order_k(3, 2))
add("HairEyeColor sex apart", unclass(HairEyeColor), list(c(0, 1), 2))
add("UCBAdmissions mutual", unclass(UCBAdmissions), order_k(3, 1))
add("UCBAdmissions given department", unclass(UCBAdmissions), list(c(0, 2), c(1, 2)))
add("UCBAdmissions two-way", unclass(UCBAdmissions), order_k(3, 2))
add("Titanic two-way", unclass(Titanic), order_k(4, 2), glm_too = FALSE)
add("Titanic three-way", unclass(Titanic), order_k(4, 3), glm_too = FALSE)
crew <- array(1, dim(Titanic)); crew[4, , 1, ] <- 0
add("Titanic two-way, no child in the crew", unclass(Titanic), order_k(4, 2), start = crew)
field <- aperm(array(c(48, 28, 29, 20, 114, 10, 7, 14), c(2, 2, 2)))  # dance x animal x training
for (k in 1:3) add(paste("cats and dogs, order", k), field, order_k(3, k))

# Random full tables
set.seed(1)
shapes <- list(c(2, 2), c(3, 4), c(2, 3, 2), c(3, 3, 4), c(2, 2, 3, 2), c(3, 2, 2, 3), c(2, 2, 2, 2, 2), c(2, 3, 2, 2, 3))
for (s in shapes) {
  a <- array(rpois(prod(s), exp(rnorm(prod(s), 3, .6))) + 1, s); d <- length(s)
  for (k in seq_len(d)) if (k < d || d < 4) add(paste("random full", paste(s, collapse = "x"), "order", k), a, order_k(d, k))
  if (d == 4) add("random chain", a, list(c(0, 1), c(1, 2), c(2, 3)))
  if (d == 4) add("random cycle", a, list(c(0, 1), c(1, 2), c(2, 3), c(0, 3)))
  if (d == 5) add("random mixed", a, list(c(0, 1, 2), c(2, 3), c(3, 4), c(2, 4)))
}
# Random sparse tables; those whose estimate lies on the boundary without an empty margin are left out, for loglm creeps
set.seed(2)
for (s in shapes[-1]) {
  found <- 0
  while (found < 3) {
    a <- array(rpois(prod(s), 1.6), s); d <- length(s)
    if (any(sapply(seq_along(s), function(i) any(apply(a, i, sum) == 0))) || all(a > 0)) next
    k <- if (d == 2) 1 else min(2 + found %/% 2, d - 1)
    m <- tryCatch(loglm(formula_of(order_k(d, k)), named(a), fit = TRUE, eps = 1e-11, iter = 3000), warning = function(w) NULL)
    if (is.null(m)) next
    found <- found + 1
    add(paste("random sparse", paste(s, collapse = "x"), "order", k, "number", found), a, order_k(d, k), glm_too = FALSE)
  }
}
# Quasi-independence: a square table without its diagonal
set.seed(3)
square <- matrix(rpois(25, 12) + 1, 5); diag(square) <- 0
add("quasi-independence", square, order_k(2, 1), start = 1 - diag(5))

cat(toJSON(list(R = R.version.string, cases = cases), digits = I(17), auto_unbox = TRUE, null = "null"), file = "loglinear.json")
