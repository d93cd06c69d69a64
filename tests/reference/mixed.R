# Writes mixed.json: random-intercept models of known and of drawn data, and what R makes of them.
# Run from the project's root: Rscript tests/reference/mixed.R
# Data are drawn here and rounded, so that the file holds all that a test needs. Satterthwaite from lmerTest, Kenward and
# Roger from pbkrtest; pairs with a negative correlation and two error variances from nlme::gls.
# Programs: R 4.2.2, lme4 1.1-31, lmerTest 3.1-3, nlme 3.1-162, pbkrtest 0.5.2.

suppressMessages({
  library(lme4); library(lmerTest); library(pbkrtest); library(nlme); library(jsonlite)
})
options(contrasts = c("contr.sum", "contr.poly"))
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-13, maxfun = 1e6), check.conv.singular = "ignore",
                     calc.derivs = FALSE, check.rankX = "stop.deficient")

draw <- function(seed, clusters, most, gamma, factors) {
  # Clusters of 1 to `most` rows; a covariate that varies within and between; factors between (a) and within (b).
  set.seed(seed)
  size <- sample.int(most, clusters, replace = TRUE)
  j <- rep(seq_len(clusters), size)
  a <- sample(rep(c("p", "q", "r"), length.out = clusters))[j]
  b <- sample(rep(c("u", "v"), length.out = length(j)))
  x <- round(rnorm(clusters)[j] + rnorm(length(j)), 2)
  y <- round(5 + x + (a == "q") + sqrt(gamma) * rnorm(clusters)[j] + rnorm(length(j)), 2)
  data.frame(j = paste0("c", j), a = a, b = b, x = x, y = y)
}

study <- function(name, rows, formula) {
  rows$j <- factor(rows$j)
  with_random <- as.formula(paste(formula, "+ (1 | j)"))
  fit <- lmerTest::lmer(with_random, rows, REML = TRUE, control = tight)
  ml <- lmerTest::lmer(with_random, rows, REML = FALSE, control = tight)
  sat <- summary(fit)$coefficients
  p <- nrow(sat)
  kr <- t(sapply(seq_len(p), function(i) {
    L <- matrix(diag(p)[i, ], 1)
    v <- vcovAdj(fit)
    c(sqrt(as.numeric(L %*% v %*% t(L))), Lb_ddf(L, vcov(fit), v))
  }))
  assign <- attr(model.matrix(fit), "assign")
  terms <- attr(terms(fit), "term.labels")
  tests <- lapply(seq_along(terms), function(t) {
    L <- diag(p)[assign == t, , drop = FALSE]
    test <- KRmodcomp(fit, L)$test["Ftest", ]
    stats <- getKR(KRmodcomp(fit, L))
    list(term = terms[t], f = stats$Fstat, df1 = stats$ndf, df2 = stats$ddf, scale = stats$F.scaling)
  })
  v <- as.data.frame(VarCorr(fit))$vcov; v_ml <- as.data.frame(VarCorr(ml))$vcov
  list(name = name, formula = formula, rows = as.list(data.frame(lapply(rows, function(c) if (is.factor(c)) as.character(c) else c))),
       reml = as.numeric(-2 * logLik(fit)), ml = as.numeric(-2 * logLik(ml)), tau2 = v[1], sigma2 = v[2], tau2_ml = v_ml[1],
       sigma2_ml = v_ml[2], names = rownames(sat), b = unname(sat[, 1]), se = unname(sat[, 2]), df = unname(sat[, 3]),
       b_ml = unname(fixef(ml)), se_ml = unname(sqrt(diag(as.matrix(vcov(ml))))),
       kr_se = unname(kr[, 1]), kr_df = unname(kr[, 2]), tests = tests)
}

plain <- function(frame) data.frame(lapply(as.data.frame(frame), function(c) if (is.factor(c)) as.character(c) else as.numeric(c)))
sleep <- plain(lme4::sleepstudy); names(sleep) <- c("y", "x", "j")
ortho <- plain(nlme::Orthodont)
ortho <- data.frame(y = ortho$distance, x = ortho$age - 11, j = ortho$Subject, a = ortho$Sex)

drawn <- list()
formulas <- c("y ~ x", "y ~ a + x", "y ~ a * b", "y ~ a * x", "y ~ a * x + b")
for (i in 1:60) {
  rows <- draw(100 + i, c(8, 12, 19)[i %% 3 + 1], c(3, 5)[i %% 2 + 1], c(0, .3, 1, 4)[i %% 4 + 1], 2)
  drawn[[i]] <- tryCatch(study(paste("drawn", i), rows, formulas[i %% 5 + 1]), error = function(e) NULL)
}
drawn <- Filter(Negate(is.null), drawn)

negative <- lapply(1:6, function(i) {
  set.seed(300 + i)
  n <- 10 + i
  j <- rep(seq_len(n), each = 2)
  shared <- rnorm(n)
  rows <- data.frame(j = paste0("c", j), x = round(rnorm(2 * n), 2))
  rows$y <- round(rows$x + rep(c(1, -1), n) * rep(shared, each = 2) * 1.5 + rnorm(2 * n), 2)
  fit <- gls(y ~ x, rows, correlation = corCompSymm(form = ~ 1 | j), control = glsControl(tolerance = 1e-12, msTol = 1e-14))
  rho <- as.numeric(coef(fit$modelStruct$corStruct, unconstrained = FALSE))
  list(rows = as.list(rows), b = unname(coef(fit)), se = unname(sqrt(diag(vcov(fit)))), reml = as.numeric(-2 * logLik(fit)), rho = rho)
})

out <- list(
  versions = sapply(c("lme4", "lmerTest", "pbkrtest", "nlme"), function(p) as.character(packageVersion(p))),
  r = as.character(getRversion()),
  designs = c(list(study("sleepstudy (Belenky et al. 2003)", sleep, "y ~ x"),
                   study("Orthodont (Potthoff and Roy 1964)", ortho, "y ~ x * a")), drawn),
  negative = negative
)
write(toJSON(out, digits = NA, auto_unbox = TRUE), "tests/reference/mixed.json")
cat(length(out$designs), "designs,", length(unlist(out)) , "numbers and names\n")
