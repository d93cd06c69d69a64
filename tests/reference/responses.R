# Writes responses.json: mixed models of yes or no and of counts by lme4 and glmmTMB.
# Run from the project's root: Rscript tests/reference/responses.R
# Data: cbpp (Lesnoff et al., 2004, Veterinary Research 35, 349-362) and grouseticks (Elston et al., 2001, Parasitology
# 122, 563-569), both as they come with lme4 1.1-31 (GPL >= 2), one row an animal or a chick.
# Programs: R 4.2.2, glmmTMB 1.1.5, lme4 1.1-31.

suppressMessages({ library(lme4); library(glmmTMB); library(jsonlite) })
tight <- glmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e6), tolPwrss = 1e-11)

L <- cbpp[rep(1:nrow(cbpp), cbpp$size), ]
L$y <- unlist(mapply(function(i, s) c(rep(1, i), rep(0, s - i)), cbpp$incidence, cbpp$size))
told <- function(fit, nagq, link) list(
  link = link, nagq = nagq, beta = unname(fixef(fit)), se = unname(sqrt(diag(as.matrix(vcov(fit))))),
  sd = unname(attr(VarCorr(fit)[[1]], "stddev")), loglik = as.numeric(logLik(fit)))
herds <- list()
for (link in c("logit", "probit", "cloglog")) {
  for (nagq in c(9, 25)) {
    fit <- glmer(y ~ period + (1 | herd), L, binomial(link), nAGQ = nagq, control = tight)
    one <- told(fit, nagq, link)
    if (link == "logit" && nagq == 9) {
      r <- ranef(fit, condVar = TRUE)$herd
      one$modes <- r[[1]]
      one$mode_sd <- sqrt(c(attr(r, "postVar")))
    }
    herds[[length(herds) + 1]] <- one
  }
}
G <- grouseticks
brood <- told(glmer(TICKS ~ YEAR + cHEIGHT + (1 | BROOD), G, poisson, nAGQ = 25, control = tight), 25, "log")
crossed <- glmer(TICKS ~ YEAR + cHEIGHT + (1 | BROOD) + (1 | INDEX) + (1 | LOCATION), G, poisson, control = tight)
nb <- glmmTMB(TICKS ~ YEAR + cHEIGHT + (1 | BROOD), G, nbinom2)
out <- list(
  versions = c(lme4 = as.character(packageVersion("lme4")), glmmTMB = as.character(packageVersion("glmmTMB"))),
  cbpp = list(rows = list(herd = as.character(L$herd), period = as.character(L$period), y = L$y), fits = herds),
  grouseticks = list(
    rows = list(TICKS = G$TICKS, YEAR = as.character(G$YEAR), cHEIGHT = round(G$cHEIGHT, 10),
                BROOD = as.character(G$BROOD), INDEX = as.character(G$INDEX), LOCATION = as.character(G$LOCATION)),
    poisson = brood,
    crossed = list(beta = unname(fixef(crossed)), loglik = as.numeric(logLik(crossed)),
                   sds = lapply(VarCorr(crossed), function(v) unname(attr(v, "stddev")))),
    nb = list(beta = unname(fixef(nb)$cond), se = unname(sqrt(diag(vcov(nb)$cond))), theta = sigma(nb),
              loglik = as.numeric(logLik(nb)), sd = unname(attr(VarCorr(nb)$cond$BROOD, "stddev")))))
write(toJSON(out, digits = 12, auto_unbox = TRUE), "tests/reference/responses.json")
