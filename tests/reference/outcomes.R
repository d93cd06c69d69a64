# Writes outcomes.json: regressions of yes or no, counts and ordered answers, estimating equations for clusters, robust
# analyses of variance, linear models, repeated factors and what follows Friedman's test.
# Run from the project's root: Rscript tests/reference/outcomes.R (R 4.2.2, car 3.1.1, sandwich, clubSandwich, MASS,
# geepack, emmeans, numDeriv, jsonlite). Data are drawn or typed here and written beside the results.
# Programs: R 4.2.2, car 3.1-1, clubSandwich 0.5.8, emmeans 1.8.4-1, geepack 1.3.9, MASS 7.3-58.2, numDeriv 2016.8-1.1, sandwich 3.0-2.
suppressPackageStartupMessages({
  library(jsonlite); library(car); library(sandwich); library(clubSandwich); library(MASS); library(geepack)
  library(emmeans); library(numDeriv)
})
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
save <- function(x, file) writeLines(toJSON(full(x), auto_unbox = TRUE, json_verbatim = TRUE, pretty = TRUE), file)
set.seed(8)
options(contrasts = c("contr.treatment", "contr.poly"))
draw <- function(n) {
  d <- data.frame(g = sample(c("a", "b", "c"), n, TRUE), h = sample(c("p", "q"), n, TRUE), x = round(rnorm(n), 2),
    z = round(runif(n, 0, 5), 2))
  d$yes <- rbinom(n, 1, plogis(-.3 + .8 * d$x + .6 * (d$g == "b") - .5 * (d$h == "q")))
  d$count <- rnbinom(n, size = 2, mu = exp(.9 + .3 * d$x + .4 * (d$g == "c")))
  d$rating <- cut(d$x + (d$g == "b") + rlogis(n), c(-Inf, -1, 0, 1, 2, Inf), labels = FALSE)
  d$y <- round(3 + d$x * (1 + (d$g == "b")) + .5 * d$z + rnorm(n) * (1 + (d$g == "c")), 2)
  d
}
frames <- list(middle = draw(90), small = draw(44), large = draw(300))
formulas <- c("x", "g", "g * h", "x + g + h", "x * h + z", "g * x")
sums <- function(d) { for (v in c("g", "h")) { d[[v]] <- factor(d[[v]]); contrasts(d[[v]]) <- contr.sum(nlevels(d[[v]])) }; d }
# The term's columns, factors coded to sum to zero and numbers from their means, taken out of the model: the
# likelihood-ratio test of type III.
without <- function(rhs, d) {
  for (v in c("x", "z")) d[[v]] <- d[[v]] - mean(d[[v]])
  m <- model.matrix(as.formula(paste("~", rhs)), d)
  lapply(seq_len(max(attr(m, "assign"))), function(k) m[, attr(m, "assign") != k, drop = FALSE])
}
labels <- function(rhs) attr(terms(as.formula(paste("~", rhs))), "term.labels")
tight <- glm.control(epsilon = 1e-14, maxit = 200)
profiled <- function(x, y, family, j, fit, level = .95) {
  q <- qchisq(level, 1); b <- coef(fit)[j]; s <- sqrt(diag(vcov(fit)))[j]
  lost <- function(v) glm.fit(x[, -j, drop = FALSE], y, family = family, offset = v * x[, j], control = tight)$deviance -
    deviance(fit) - q
  c(uniroot(lost, c(b - 12 * s, b), tol = 1e-12)$root, uniroot(lost, c(b, b + 12 * s), tol = 1e-12)$root)
}
# vcov() has the weights of the last step but one; these are those of the coefficients.
spread <- function(fit) { x <- model.matrix(fit); mu <- fitted(fit); solve(crossprod(x, x * fit$family$variance(mu))) }
ame <- function(fit, d, rhs, v, inverse) {
  mean_of <- function(beta, data) mean(inverse(model.matrix(as.formula(paste("~", rhs)), data) %*% beta))
  if (is.numeric(d[[v]])) {
    up <- d; up[[v]] <- up[[v]] + 1; m <- function(data) model.matrix(as.formula(paste("~", rhs)), data)
    here <- m(d); by <- m(up) - here  # columns are linear in each variable
    steep <- if (identical(inverse, plogis)) dlogis else exp
    slope <- function(beta) mean(steep(here %*% beta) * (by %*% beta))
    of <- list(slope)
  } else of <- lapply(levels(d[[v]])[-1], function(l) { force(l); function(beta) {
    a <- d; b <- d; a[[v]][] <- l; b[[v]][] <- levels(d[[v]])[1]; mean_of(beta, a) - mean_of(beta, b) } })
  lapply(of, function(f) { j <- jacobian(f, coef(fit)); list(value = f(coef(fit)), se = sqrt((j %*% spread(fit) %*% t(j))[1])) })
}
glms <- list()
for (s in c("middle", "large")) for (rhs in formulas) for (family in c("binomial", "poisson")) {
  d <- frames[[s]]; d$g <- factor(d$g); d$h <- factor(d$h)
  outcome <- if (family == "binomial") "yes" else "count"
  fit <- glm(as.formula(paste(outcome, "~", rhs)), family = family, data = d, control = tight)
  x <- model.matrix(fit); y <- d[[outcome]]; kind <- get(family)()
  tests <- lapply(without(rhs, sums(d)), function(m) { o <- glm.fit(m, y, family = kind, control = tight)
    list(statistic = o$deviance - deviance(fit), df = ncol(x) - o$rank) })
  ends <- sapply(seq_len(ncol(x)), function(j) profiled(x, y, kind, j, fit))
  inverse <- if (family == "binomial") plogis else exp
  effects <- lapply(all.vars(as.formula(paste("~", rhs))), function(v) list(of = v, effects = ame(fit, d, rhs, v, inverse)))
  glms[[length(glms) + 1]] <- list(data = s, rhs = rhs, family = family, b = unname(coef(fit)),
    se = unname(sqrt(diag(spread(fit)))), loglik = as.numeric(logLik(fit)), terms = as.list(labels(rhs)), tests = tests,
    low = ends[1, ], high = ends[2, ], ame = effects)
}
polrs <- list()
for (s in c("middle", "large")) for (rhs in formulas) {
  d <- frames[[s]]; d$r <- factor(d$rating)
  tune <- list(reltol = 1e-16, maxit = 5000)
  fit <- polr(as.formula(paste("r ~", rhs)), data = d, Hess = TRUE, control = tune)
  tests <- lapply(without(rhs, sums(d)), function(m) { d$m <- m[, -1, drop = FALSE]
    o <- if (ncol(m) > 1) polr(r ~ m, data = d, control = tune) else polr(r ~ 1, data = d, control = tune)
    list(statistic = deviance(o) - deviance(fit), df = length(coef(fit)) - (ncol(m) - 1)) })
  polrs[[length(polrs) + 1]] <- list(data = s, rhs = rhs, b = unname(coef(fit)), zeta = unname(fit$zeta),
    se = unname(sqrt(diag(vcov(fit)))[seq_along(coef(fit))]), loglik = as.numeric(logLik(fit)),
    terms = as.list(labels(rhs)), tests = tests)
}
# Quasi-Poisson F: Pearson's dispersion, type III.
quasi <- list()
for (s in names(frames)) for (rhs in c("g", "h", "g * h")) {
  d <- sums(frames[[s]])
  fit <- glm(as.formula(paste("count ~", rhs)), family = quasipoisson, data = d, control = tight)
  a <- Anova(fit, type = 3, test.statistic = "F", error.estimate = "pearson")
  keep <- rownames(a) != "Residuals"
  entry <- list(data = s, by = as.list(all.vars(as.formula(paste("~", rhs)))), terms = as.list(rownames(a)[keep]),
    f = a[keep, "F values"], df = a[keep, "Df"], p = a[keep, "Pr(>F)"], dispersion = summary(fit)$dispersion,
    df2 = df.residual(fit))
  if (rhs != "g * h") {
    e <- pairs(emmeans(fit, as.formula(paste("~", rhs))), adjust = "none"); e <- as.data.frame(e)
    entry$pairs <- list(log = e$estimate, se = e$SE)
  }
  quasi[[length(quasi) + 1]] <- entry
}
# Estimating equations: geepack's with working independence; Mancl and DeRouen's covariance written out from the paper,
# at the correlation and scale that moments with divisors less the coefficients give (iterated to a fixed point).
clustered <- list(
  twelve = data.frame(id = c(1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 7, 7, 7, 8, 8, 9, 9, 10, 10, 10, 11, 12, 12, 12, 12),
    x = c(1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1),
    t = rep(0:1, c(13, 17)), yes = c(1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0)))
clustered$twelve$count <- c(3, 1, 4, 0, 2, 5, 3, 2, 1, 0, 2, 1, 3, 4, 3, 1, 6, 2, 5, 4, 0, 1, 2, 3, 5, 4, 1, 3, 0, 2)
pairs_frame <- data.frame(id = rep(1:30, each = 2), x = round(rnorm(60), 2), t = rep(rbinom(30, 1, .5), each = 2))
u <- rep(rnorm(30), each = 2)
pairs_frame$yes <- rbinom(60, 1, plogis(pairs_frame$x + u)); pairs_frame$count <- rpois(60, exp(.5 + .3 * pairs_frame$x + .5 * u))
clustered$pairs <- pairs_frame
gees <- list()
for (s in names(clustered)) for (kind in c("yes", "count")) for (structure in c("exchangeable", "independence")) {
  d <- clustered[[s]]; y <- d[[kind]]; x <- cbind(1, d$x, d$t); ids <- split(seq_along(y), d$id); p <- 3
  b <- coef(glm(y ~ d$x + d$t, family = if (kind == "yes") binomial else poisson, control = tight)); alpha <- 0
  for (step in 1:2000) {
    eta <- as.vector(x %*% b); mu <- if (kind == "yes") plogis(eta) else exp(eta); v <- if (kind == "yes") mu * (1 - mu) else mu
    r <- (y - mu) / sqrt(v); phi <- sum(r^2) / (length(y) - p)
    if (structure == "exchangeable") {
      cross <- sum(sapply(ids, function(i) (sum(r[i])^2 - sum(r[i]^2)) / 2)); many <- sum(sapply(ids, function(i) choose(length(i), 2)))
      alpha <- cross / (phi * (many - p))
    }
    H <- matrix(0, p, p); U <- rep(0, p)
    for (i in ids) { k <- length(i); D <- x[i, , drop = FALSE] * v[i]; R <- diag(k) * (1 - alpha) + alpha
      Vi <- solve(phi * diag(sqrt(v[i]), k) %*% R %*% diag(sqrt(v[i]), k)); H <- H + t(D) %*% Vi %*% D; U <- U + t(D) %*% Vi %*% (y[i] - mu[i]) }
    change <- solve(H, U); b <- b + as.vector(change); if (max(abs(change)) < 1e-14) break
  }
  meat <- function(adjust) { M <- matrix(0, p, p); for (i in ids) { k <- length(i); D <- x[i, , drop = FALSE] * v[i]
    R <- diag(k) * (1 - alpha) + alpha; Vi <- solve(phi * diag(sqrt(v[i]), k) %*% R %*% diag(sqrt(v[i]), k)); e <- y[i] - mu[i]
    if (adjust) e <- solve(diag(k) - D %*% solve(H) %*% t(D) %*% Vi, e); sc <- t(D) %*% Vi %*% e; M <- M + sc %*% t(sc) }
    sqrt(diag(solve(H) %*% M %*% solve(H))) }
  entry <- list(data = s, kind = kind, structure = structure, b = unname(b), alpha = alpha, phi = phi, plain = meat(FALSE), md = meat(TRUE))
  if (structure == "independence") {
    g <- geeglm(y ~ x + t, id = id, data = transform(d, y = y), family = if (kind == "yes") binomial else poisson, corstr = "independence")
    entry$geepack <- unname(sqrt(diag(vcov(g))))
  }
  gees[[length(gees) + 1]] <- entry
}
# Type III with HC3, of factors alone and with centred covariates; CR2 joint tests.
linear <- list()
for (s in names(frames)) for (rhs in c("g", "g * h", "g + x", "g * h + x", "g * x", "x * z", "h * x + z")) {
  d <- sums(frames[[s]]); d$x <- d$x - mean(d$x); d$z <- d$z - mean(d$z); d$id <- rep_len(1:13, nrow(d))
  fit <- lm(as.formula(paste("y ~", rhs)), d)
  a <- Anova(fit, type = 3, singular.ok = FALSE); w <- suppressMessages(Anova(fit, type = 3, white.adjust = "hc3"))
  keep <- setdiff(rownames(a), c("(Intercept)", "Residuals"))
  v <- vcovCR(fit, d$id, "CR2"); at <- attr(model.matrix(fit), "assign")
  htz <- lapply(seq_along(keep), function(k) { m <- diag(length(at))[at == k, , drop = FALSE]
    t <- Wald_test(fit, constraints = m, vcov = v, test = "HTZ"); list(f = t$Fstat, df2 = t$df_denom) })
  entry <- list(data = s, rhs = rhs, terms = as.list(keep), f = a[keep, "F value"], hc3 = w[keep, "F"], df2 = df.residual(fit),
    htz = htz, b = unname(coef(fit)))
  if (grepl("g", rhs)) { e <- emmeans(fit, "g"); m <- as.data.frame(e); q <- as.data.frame(pairs(e))
    h <- as.data.frame(pairs(emmeans(fit, "g", vcov. = vcovHC(fit, "HC3")), adjust = "none"))
    entry$margins <- list(mean = m$emmean, se = m$SE); entry$pairs <- list(b = q$estimate, se = q$SE, p = q$p.value, hc3 = h$SE) }
  if (rhs %in% c("g * x", "h * x + z")) { by <- substr(rhs, 1, 1); t <- emtrends(fit, by, var = "x"); f <- as.data.frame(t)
    q <- as.data.frame(pairs(t)); entry$slopes <- list(b = f$x.trend, se = f$SE, difference = q$estimate, p = q$p.value) }
  linear[[length(linear) + 1]] <- entry
}
# Several repeated factors, alone and with a factor between.
wide <- matrix(round(rnorm(14 * 6, rep(c(0, .3, .5, .2, 1, 1.4), each = 14)) + rep(rnorm(14), 6), 2), 14)
idata <- expand.grid(b = factor(1:3), a = factor(1:2))
contrasts(idata$a) <- contr.sum(2); contrasts(idata$b) <- contr.sum(3)
group <- factor(rep(c("u", "v"), c(8, 6))); contrasts(group) <- contr.sum(2)
repeated <- lapply(list(alone = lm(wide ~ 1), between = lm(wide ~ group)), function(m) {
  a <- summary(Anova(m, idata = idata, idesign = ~ a * b, type = 3), multivariate = FALSE)
  u <- a$univariate.tests; e <- a$pval.adjustments
  list(terms = as.list(rownames(u)), f = u[, "F value"], df1 = u[, "num Df"], df2 = u[, "den Df"], p = u[, "Pr(>F)"],
    ss = u[, "Sum Sq"], error = u[, "Error SS"], corrected = as.list(rownames(e)), gg = e[, "GG eps"], hf = e[, "HF eps"], p_gg = e[, "Pr(>F[GG])"])
})
multi <- lm(wide ~ group)
em <- emmeans(multi, ~ rep.meas | group); ep <- as.data.frame(pairs(emmeans(multi, ~ rep.meas), adjust = "holm"))
follow <- list(mean = as.data.frame(em)$emmean, se = as.data.frame(em)$SE, difference = ep$estimate, pair_se = ep$SE, df = ep$df, p = ep$p.value)
# Conover after Friedman, from the formula in Conover (1999), eq. 5.8.6.
ranked <- t(apply(matrix(c(5, 7, 6, 9, 8, 4, 6, 3, 5, 4, 4, 6, 4, 6, 4, 4, 5, 6, 3, 6, 7, 7, 5, 8), 6), 1, rank))
A <- sum(ranked^2); R <- colSums(ranked); n <- 6; k <- 4
conover <- list(values = matrix(c(5, 7, 6, 9, 8, 4, 6, 3, 5, 4, 4, 6, 4, 6, 4, 4, 5, 6, 3, 6, 7, 7, 5, 8), 6), t = unlist(lapply(1:3, function(i)
  lapply((i + 1):4, function(j) (R[i] - R[j]) / sqrt(2 * n * (A - sum(R^2) / n) / ((n - 1) * (k - 1)))))))
shares <- lapply(list(c(7, 20, .5), c(0, 12, .3), c(12, 12, .7), c(31, 80, .25), c(3, 9, 1 / 3)), function(v) {
  t <- binom.test(v[1], v[2], v[3]); list(x = v[1], n = v[2], against = v[3], p = t$p.value, low = t$conf.int[1], high = t$conf.int[2],
    less = binom.test(v[1], v[2], v[3], "less")$p.value, greater = binom.test(v[1], v[2], v[3], "greater")$p.value) })
welch <- lapply(names(frames), function(s) { t <- oneway.test(y ~ g, frames[[s]]); list(data = s, f = t$statistic[[1]], df2 = t$parameter[[2]], p = t$p.value) })
save(list(frames = lapply(frames, as.list), clustered = lapply(clustered, as.list), glms = glms, polrs = polrs, quasi = quasi,
  gees = gees, linear = linear, wide = as.list(as.data.frame(wide)), repeated = repeated, follow = follow,
  conover = list(values = as.list(as.data.frame(conover$values)), t = conover$t), shares = shares, welch = welch),
  "tests/reference/outcomes.json")
