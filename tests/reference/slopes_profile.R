# Writes slopes_profile.json: profile intervals of SDs and correlations of random effects, and what lme4 predicts for
# clusters and rows, for designs of slopes.json.
# Run from the project's root: Rscript tests/reference/slopes_profile.R (R 4.2.2, lme4 1.1-31, jsonlite).
# lme4's confint() profiles ML alone and interpolates; its ends stand beside those of the criterion written out over
# dense matrices, whose ends are solved to nine digits.
# Programs: R 4.2.2, lme4 1.1-31.
suppressMessages({ library(lme4); library(jsonlite) })
options(contrasts = c("contr.sum", "contr.poly"))
known <- fromJSON("tests/reference/slopes.json", simplifyVector = FALSE)$designs
tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-13, maxfun = 1e6), calc.derivs = FALSE)
out <- list()
for (name in c("sleepstudy (Belenky et al. 2003)", "slopes 4", "slopes 5", "nested 1")) {
  one <- Filter(function(d) d$name == name, known)[[1]]
  rows <- as.data.frame(lapply(one$rows, unlist)); n <- nrow(rows)
  formula <- as.formula(paste(one$fixed, "+", one$random))
  slope <- !grepl("/", one$random)
  X <- model.matrix(as.formula(sub("^y ", "", one$fixed)), rows)
  same <- if (slope) outer(rows$j, rows$j, "==") else list(outer(rows$s, rows$s, "=="), outer(paste(rows$s, rows$pair), paste(rows$s, rows$pair), "=="))
  # w: (SD, SD, atanh correlation, ln sigma) of a slope, (SD, SD, ln sigma) of nested intercepts.
  deviance <- function(sd, r, sigma, reml) {
    V <- if (slope) same * (sd[1]^2 + r * sd[1] * sd[2] * outer(rows$x, rows$x, "+") + sd[2]^2 * outer(rows$x, rows$x))
         else same[[1]] * sd[1]^2 + same[[2]] * sd[2]^2
    R <- chol(V + diag(n) * sigma^2); A <- backsolve(R, X, transpose = TRUE); b <- backsolve(R, rows$y, transpose = TRUE)
    q <- qr(A); e <- qr.resid(q, b)
    d <- 2 * sum(log(diag(R))) + sum(e^2) + n * log(2 * pi)
    if (reml) d + 2 * sum(log(abs(diag(qr.R(q))))) - ncol(X) * log(2 * pi) else d
  }
  for (reml in c(FALSE, TRUE)) {
    fit <- lmer(formula, rows, REML = reml, control = tight)
    vc <- as.data.frame(VarCorr(fit)); sigma0 <- sigma(fit)
    sd0 <- if (slope) vc$sdcor[1:2] else vc$sdcor[match(c("s", "pair:s"), vc$grp)]
    r0 <- if (slope) vc$sdcor[3] else 0
    best <- deviance(sd0, r0, sigma0, reml); q <- qchisq(.95, 1)
    full <- function(w) deviance(w[1:2], if (slope) tanh(w[3]) else 0, exp(w[length(w)]), reml)
    start <- c(sd0, if (slope) atanh(max(-.99, min(.99, r0))), log(sigma0))
    least <- function(place, value) {
      inner <- function(v) { w <- start; w[place] <- value; w[-place] <- v; full(w) }
      a <- optim(start[-place], inner, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000))
      b <- nlminb(a$par, inner, control = list(rel.tol = 1e-15, x.tol = 1e-12, eval.max = 1000)); min(a$value, b$objective) - best - q
    }
    end <- function(place, at, side) {
      step <- if (place == length(start)) .1 else if (slope && place == 3) .5 else max(sd0[place], .1) / 2
      floor <- if (place < 3 && side < 0) 0 else -Inf
      far <- at
      repeat { far <- max(far + side * step, floor)
        if (least(place, far) > 0) break
        if (far == floor || (slope && place == 3 && abs(far) > 6)) return(NA); step <- step * 1.5 }
      uniroot(function(v) least(place, v), sort(c(at, far)), tol = 1e-10)$root
    }
    entry <- list(name = name, reml = reml, deviance = best)
    for (p in 1:2) { lo <- end(p, sd0[p], -1); entry[[c("first", "second")[p]]] <- c(if (is.na(lo)) 0 else lo, end(p, sd0[p], 1)) }
    entry$sigma <- exp(c(end(length(start), log(sigma0), -1), end(length(start), log(sigma0), 1)))
    if (slope) entry$r <- { e <- tanh(c(end(3, start[3], -1), end(3, start[3], 1))); e[is.na(e)] <- c(-1, 1)[is.na(e)]; e }
    if (!reml && grepl("sleep", name)) entry$lme4 <- unname(confint(fit, parm = "theta_", method = "profile", quiet = TRUE))
    u <- ranef(fit, condVar = FALSE)
    entry$ranef <- lapply(u, function(t) list(level = rownames(t), values = lapply(as.list(t), as.numeric)))
    entry$fitted <- unname(fitted(fit))
    out[[length(out) + 1]] <- entry
    cat(name, reml, unlist(entry[c("first", "second", "sigma", "r")]), "\n")
  }
}
write(toJSON(out, digits = NA, auto_unbox = TRUE), "tests/reference/slopes_profile.json")
