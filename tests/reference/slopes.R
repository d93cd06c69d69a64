# Writes slopes.json: random slopes and nested intercepts of known and of drawn data, and what R makes of them.
# Run from the project's root: Rscript tests/reference/slopes.R
# Data are drawn here and rounded, so that the file holds all that a test needs. Satterthwaite from lmerTest, Kenward and
# Roger from pbkrtest, terms in sum-to-zero coding.
# Programs: R 4.2.2, lme4 1.1-31, lmerTest 3.1-3, nlme 3.1-162, pbkrtest 0.5.2.

suppressMessages({ library(lme4); library(lmerTest); library(pbkrtest); library(jsonlite) })
options(contrasts = c("contr.sum", "contr.poly"))
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-13, maxfun = 1e6), check.conv.singular = "ignore",
                     calc.derivs = FALSE, check.rankX = "stop.deficient", check.nobs.vs.nRE = "ignore")

# bobyqa can stop in a valley where variances are of unlike size: the best of several starts, and again from there.
best <- function(formula, rows, reml, starts) {
  fits <- lapply(starts, function(start) lmerTest::lmer(formula, rows, REML = reml, control = tight, start = start))
  fit <- fits[[which.max(sapply(fits, logLik))]]
  if (length(starts) > 1) for (i in 1:3)
    fit <- lmerTest::lmer(formula, rows, REML = reml, control = tight, start = getME(fit, "theta"))
  fit
}

# bobyqa only comes near a correlation of 1 where the likelihood is flat to its last digits.
singular <- function(fit) isSingular(fit, tol = 1e-5) || any(sapply(VarCorr(fit), function(v) min(svd(cov2cor(v))$d) < 1e-6))

study <- function(name, rows, fixed, random, starts = list(NULL)) {
  formula <- as.formula(paste(fixed, "+", random))
  fit <- best(formula, rows, TRUE, starts)
  ml <- best(formula, rows, FALSE, starts)
  both <- coef(summary(fit)); p <- nrow(both); v <- vcovAdj(fit)
  kr <- t(sapply(seq_len(p), function(i) { L <- matrix(diag(p)[i, ], 1); c(sqrt(as.numeric(L %*% v %*% t(L))), Lb_ddf(L, vcov(fit), v)) }))
  place <- attr(model.matrix(fit), "assign"); terms <- attr(terms(fit), "term.labels")
  tests <- lapply(seq_along(terms), function(t) {
    found <- getKR(KRmodcomp(fit, diag(p)[place == t, , drop = FALSE]))
    list(term = terms[t], f = found$Fstat, df1 = found$ndf, df2 = found$ddf, scale = found$F.scaling)
  })
  list(name = name, fixed = fixed, random = random, singular = singular(fit), singular_ml = singular(ml),
       rows = as.list(data.frame(lapply(rows, function(c) if (is.factor(c)) as.character(c) else c))),
       reml = as.numeric(-2 * logLik(fit)), ml = as.numeric(-2 * logLik(ml)), sigma2 = sigma(fit)^2,
       covariance = lapply(VarCorr(fit), function(m) as.numeric(m)), b = unname(both[, 1]), se = unname(both[, 2]), df = unname(both[, 3]),
       b_ml = unname(fixef(ml)), se_ml = unname(coef(summary(ml))[, 2]), df_ml = unname(coef(summary(ml))[, 3]),
       kr_se = unname(kr[, 1]), kr_df = unname(kr[, 2]), tests = tests)
}

draw <- function(seed, clusters, most, slope) {
  set.seed(seed)
  size <- sample(2:most, clusters, replace = TRUE)
  j <- rep(seq_len(clusters), size); n <- length(j)
  a <- sample(rep(c("p", "q", "r"), length.out = clusters))[j]
  x <- round(rnorm(n), 2)
  y <- round(5 + x + (a == "q") + rnorm(clusters)[j] + slope * rnorm(clusters)[j] * x + rnorm(n), 2)
  data.frame(j = paste0("c", j), a = a, x = x, y = y)
}

nested <- function(seed, sessions, pairs) {
  set.seed(seed)
  many <- sample(2:pairs, sessions, replace = TRUE)
  pair <- rep(seq_len(sum(many)), each = 2); s <- rep(rep(seq_len(sessions), many), each = 2); n <- length(s)
  within <- unlist(lapply(many, seq_len)); x <- round(rnorm(n), 2)
  y <- round(3 + x + rnorm(sessions)[s] + rnorm(sum(many))[pair] + rnorm(n), 2)
  data.frame(s = paste0("s", s), pair = paste0("p", rep(within, each = 2)), role = rep(c("b", "s"), n / 2), x = x, y = y)
}

sleep <- data.frame(y = lme4::sleepstudy$Reaction, x = lme4::sleepstudy$Days, j = as.character(lme4::sleepstudy$Subject))
ortho <- as.data.frame(nlme::Orthodont)
ortho <- data.frame(y = ortho$distance, x = ortho$age - 11, j = as.character(ortho$Subject), a = as.character(ortho$Sex))
out <- list(study("sleepstudy (Belenky et al. 2003)", sleep, "y ~ x", "(1 + x | j)"),
            study("Orthodont (Potthoff and Roy 1964)", ortho, "y ~ x * a", "(1 + x | j)"),
            study("sleepstudy, uncorrelated", sleep, "y ~ x", "(1 | j) + (0 + x | j)"))
for (i in 1:7) out <- c(out, list(study(paste("slopes", i), draw(500 + i, c(9, 14, 22)[i %% 3 + 1], c(6, 9)[i %% 2 + 1], c(.3, .8)[i %% 2 + 1]),
                                        c("y ~ a + x", "y ~ a * x", "y ~ x")[i %% 3 + 1], "(1 + x | j)")))
for (i in 1:5) out <- c(out, list(study(paste("nested", i), nested(600 + i, c(6, 9)[i %% 2 + 1], c(4, 7)[i %% 2 + 1]),
                                        c("y ~ role + x", "y ~ role * x")[i %% 2 + 1], "(1 | s/pair)")))
# Variances of unlike size in one term, and few clusters.
for (i in 1:2) out <- c(out, list(study(paste("unlike", i), draw(520 + i, 7, 8, 40), "y ~ x", "(1 + x | j)",
                                        list(NULL, c(1, 20, 5), c(1, -20, 5), c(3, 40, 20), c(.3, 3, 40)))))
write(toJSON(list(r = as.character(getRversion()),
                  versions = sapply(c("lme4", "lmerTest", "pbkrtest"), function(p) as.character(packageVersion(p))), designs = out),
             digits = NA, auto_unbox = TRUE), "tests/reference/slopes.json")
for (one in out) cat(one$name, one$singular, one$singular_ml, one$reml, one$kr_df, "|", one$df, "\n")
