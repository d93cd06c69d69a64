# Writes counts_ordered.json: negative binomial counts, and whether odds of ordered answers are proportional, for the
# frames of outcomes.json.
# Run from the project's root: Rscript tests/reference/counts_ordered.R (R 4.2.2, MASS 7.3-58, ordinal 2022.11-16, car
# 3.1-1, sandwich, numDeriv, jsonlite).
# Programs: R 4.2.2, car 3.1-1, MASS 7.3-58.2, numDeriv 2016.8-1.1, ordinal 2022.11-16, sandwich 3.0-2.
suppressPackageStartupMessages({
  library(jsonlite); library(MASS); library(ordinal); library(car); library(sandwich); library(numDeriv)
})
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
save <- function(x, file) writeLines(toJSON(full(x), auto_unbox = TRUE, json_verbatim = TRUE, pretty = TRUE), file)
known <- fromJSON("tests/reference/outcomes.json")
frame <- function(name) {
  d <- as.data.frame(known$frames[[name]])
  d$g <- factor(d$g); d$h <- factor(d$h); d$w <- d$z + .5; d
}
# Factors coded to sum to zero, numbers from their means: tests of a term in an interaction are at the mean.
sums <- function(d) { contrasts(d$g) <- contr.sum(3); contrasts(d$h) <- contr.sum(2)
  for (v in c("x", "z")) d[[v]] <- d[[v]] - mean(d[[v]]); d }
without <- function(rhs, d) {
  m <- model.matrix(as.formula(paste("~", rhs)), d)
  lapply(seq_len(max(attr(m, "assign"))), function(k) m[, attr(m, "assign") != k, drop = FALSE])
}
tight <- glm.control(epsilon = 1e-14, maxit = 500)
# The likelihood of means and theta is MASS's own; theta by optimize() and the coefficients by glm.fit() in turn, since
# glm.nb() has no offset for a coefficient that is held, and stops at the eighth digit.
best <- function(x, y, offset = rep(0, length(y))) {
  ll <- function(log) {
    f <- suppressWarnings(glm.fit(x, y, family = negative.binomial(exp(log)), offset = offset, control = tight))
    sum(dnbinom(y, size = exp(log), mu = f$fitted.values, log = TRUE))
  }
  optimize(ll, c(-4, 8), maximum = TRUE, tol = 1e-7)$objective
}
# SE.theta of glm.nb has the information of the step before the last; this is the same at the estimate.
theta_se <- function(th, mu, y) sqrt(1 / sum(-trigamma(th + y) + trigamma(th) - 1 / th + 2 / (mu + th) - (y + th) / (mu + th)^2))
counts <- list()
for (s in c("middle", "large")) for (rhs in c("x", "g", "g * h", "x + g + h", "x * h + z")) for (rate in c(FALSE, TRUE)) {
  d <- frame(s); formula <- as.formula(paste("count ~", rhs, if (rate) "+ offset(log(w))"))
  fit <- glm.nb(formula, data = d, control = tight, init.theta = 2)
  x <- model.matrix(as.formula(paste("~", rhs)), d); y <- d$count; o <- if (rate) log(d$w) else rep(0, nrow(d))
  entry <- list(data = s, rhs = rhs, rate = rate, b = unname(coef(fit)), theta = fit$theta, theta_se = theta_se(fit$theta, fitted(fit), y),
    se = unname(sqrt(diag(vcov(fit)))), loglik = as.numeric(logLik(fit)),
    poisson = as.numeric(logLik(glm(formula, family = poisson, data = d, control = tight))),
    tests = lapply(without(rhs, sums(d)), function(m) list(df = ncol(x) - ncol(m), statistic = 2 * (as.numeric(logLik(fit)) - best(m, y, o)))))
  if (s == "middle" && rhs %in% c("x", "x + g + h")) {
    q <- qchisq(.95, 1); se <- sqrt(diag(vcov(fit)))
    ends <- sapply(seq_len(ncol(x)), function(j) {
      lost <- function(v) 2 * (as.numeric(logLik(fit)) - best(x[, -j, drop = FALSE], y, o + v * x[, j])) - q
      sapply(c(-1, 1), function(side) uniroot(lost, sort(coef(fit)[j] + side * c(0, 6) * se[j]), tol = 1e-10)$root)
    })
    entry$low <- ends[1, ]; entry$high <- ends[2, ]
    held <- function(alpha) { f <- glm.fit(x, y, family = negative.binomial(1 / alpha), offset = o, control = tight)
      2 * (as.numeric(logLik(fit)) - sum(dnbinom(y, size = 1 / alpha, mu = f$fitted.values, log = TRUE))) - q }
    a <- 1 / fit$theta
    entry$alpha <- c(uniroot(held, c(a / 50, a), tol = 1e-12)$root, uniroot(held, c(a, 50 * a), tol = 1e-12)$root)
    effect <- function(beta) { b <- exp(x %*% beta + o); mean(b * beta[2]) }
    j <- jacobian(effect, coef(fit)); entry$slope <- c(effect(coef(fit)), sqrt(j %*% vcov(fit) %*% t(j)))
  }
  counts[[length(counts) + 1]] <- entry
}
# Errors for clusters with working independence: sandwich's, and Mancl and DeRouen's written out from the paper.
clustered <- list()
for (s in names(known$clustered)) {
  d <- as.data.frame(known$clustered[[s]]); d$count <- d$count * (1 + 3 * (d$id %% 3 == 0))
  fit <- glm.nb(count ~ x + t, data = d, control = tight); x <- model.matrix(fit); mu <- fitted(fit)
  v <- mu + mu^2 / fit$theta; H <- crossprod(x, x * mu^2 / v); M <- matrix(0, 3, 3)
  for (i in split(seq_along(mu), d$id)) {
    D <- x[i, , drop = FALSE] * mu[i]; Vi <- diag(1 / v[i], length(i))
    e <- solve(diag(length(i)) - D %*% solve(H) %*% t(D) %*% Vi, d$count[i] - mu[i]); sc <- t(D) %*% Vi %*% e; M <- M + sc %*% t(sc)
  }
  clustered[[s]] <- list(count = d$count, theta = fit$theta, b = unname(coef(fit)),
    plain = unname(sqrt(diag(vcovCL(fit, d$id, type = "HC0", cadjust = FALSE)))), md = unname(sqrt(diag(solve(H) %*% M %*% solve(H)))))
}
# ordinal::clm by Newton's method to a gradient of 1e-10; polr's optimiser stops in the fifth digit. Brant's test from
# its definition (1990, p. 1173): car::poTest agrees for one column; for several it forgets to transpose a block.
brant <- function(x, y, k) {
  fits <- lapply(1:(k - 1), function(j) glm.fit(x, as.numeric(y > j), family = binomial(), control = tight))
  p <- ncol(x); V <- matrix(0, (k - 1) * p, (k - 1) * p); at <- function(j) (j - 1) * p + 1:p
  inverse <- function(f) solve(crossprod(x, x * f$fitted.values * (1 - f$fitted.values)))
  for (l in 1:(k - 1)) for (j in 1:l) {
    w <- fits[[l]]$fitted.values * (1 - fits[[j]]$fitted.values)
    B <- inverse(fits[[j]]) %*% crossprod(x, x * w) %*% inverse(fits[[l]]); V[at(j), at(l)] <- B; V[at(l), at(j)] <- t(B)
  }
  list(b = unlist(lapply(fits, function(f) f$coefficients)), V = V)
}
wald <- function(found, columns, k, p) {
  D <- do.call(rbind, lapply(2:(k - 1), function(j) t(sapply(columns, function(c) {
    r <- rep(0, (k - 1) * p); r[c] <- 1; r[(j - 1) * p + c] <- -1; r }))))
  S <- D %*% found$V %*% t(D); d <- D %*% found$b
  if (min(eigen(S, symmetric = TRUE)$values) <= 0) return(list(statistic = NaN, df = nrow(D)))
  list(statistic = as.numeric(t(d) %*% solve(S, d)), df = nrow(D))
}
ordered <- list()
for (s in c("middle", "large")) for (rhs in c("x", "g", "x + g + h", "x * h + z")) {
  d <- sums(frame(s)); d$r <- factor(d$rating); k <- nlevels(d$r)
  m <- model.matrix(as.formula(paste("~", rhs)), d); p <- ncol(m); assign <- attr(m, "assign")
  treat <- model.matrix(as.formula(paste("~", rhs)), frame(s))[, -1, drop = FALSE]
  d$m <- treat
  fit <- clm(r ~ m, data = d, control = clm.control(gradTol = 1e-10, maxIter = 200))
  found <- brant(m, as.integer(d$r), k)
  groups <- c(list(2:p), lapply(seq_len(max(assign)), function(a) which(assign == a)))
  entry <- list(data = s, rhs = rhs, b = unname(fit$beta), zeta = unname(fit$alpha), loglik = as.numeric(logLik(fit)),
    se = unname(sqrt(diag(vcov(fit)))[k - 1 + seq_along(fit$beta)]),
    brant = lapply(groups, function(columns) wald(found, columns, k, p)))
  if (max(assign) == 1) entry$brant <- entry$brant[-1]
  if (s == "large") entry$ratio <- lapply(if (max(assign) == 1) groups[-1] else groups, function(columns) {
    d$own <- m[, columns, drop = FALSE]; rest <- setdiff(2:p, columns); d$rest <- m[, rest, drop = FALSE]
    o <- clm(if (length(rest)) r ~ rest else r ~ 1, nominal = ~ own, data = d, control = clm.control(gradTol = 1e-9, maxIter = 500))
    list(statistic = 2 * (as.numeric(logLik(o)) - as.numeric(logLik(fit))), df = length(columns) * (k - 2))
  })
  # Average marginal effects on the share of each answer, by numerical derivatives of the shares.
  own <- frame(s); vc <- vcov(fit)
  shares <- function(w, data) { x <- model.matrix(as.formula(paste("~", rhs)), data)[, -1, drop = FALSE]
    below <- plogis(outer(-as.vector(x %*% w[-(1:(k - 1))]), w[1:(k - 1)], "+")); t(apply(cbind(0, below, 1), 1, diff)) }
  entry$ame <- lapply(all.vars(as.formula(paste("~", rhs))), function(v) {
    change <- if (is.numeric(own[[v]])) list(function(w) { up <- own; up[[v]] <- up[[v]] + 1; m <- function(d) model.matrix(as.formula(paste("~", rhs)), d)[, -1, drop = FALSE]
      eta <- as.vector(m(own) %*% w[-(1:(k - 1))]); by <- as.vector((m(up) - m(own)) %*% w[-(1:(k - 1))])
      colMeans(-by * t(apply(cbind(0, dlogis(outer(-eta, w[1:(k - 1)], "+")), 0), 1, diff))) })
    else lapply(levels(own[[v]])[-1], function(l) { force(l); function(w) { a <- own; b <- own; a[[v]][] <- l; b[[v]][] <- levels(own[[v]])[1]
      colMeans(shares(w, a) - shares(w, b)) } })
    w <- c(fit$alpha, fit$beta)
    list(of = v, value = unlist(lapply(change, function(f) f(w))), se = unlist(lapply(change, function(f) { j <- jacobian(f, w); sqrt(diag(j %*% vc %*% t(j))) })))
  })
  entry$potest <- poTest(polr(as.formula(paste("r ~", rhs)), data = d, Hess = TRUE))$chisq.p
  ordered[[length(ordered) + 1]] <- entry
}
save(list(counts = counts, clustered = clustered, ordered = ordered), "tests/reference/counts_ordered.json")
