# Writes designs.json: the 48 random designs of tests/stats/models/generators.py by lme4's glmer (Laplace), with the first
# warning where it gave one. From the project's root:
#   python -m tests.stats.models.generators FILE && Rscript tests/reference/designs.R FILE
# Programs: R 4.2.2, lme4 1.1-31.
suppressMessages({ library(lme4); library(jsonlite) })
D <- read.csv(commandArgs(TRUE)[1])
random <- c("(1 | who)", "(1 | who) + (1 | item)", "(1 | grp/who)", "(1 + x | who)")
tell <- function(seed) {
  first <- ""
  formula <- as.formula(paste("y ~ x + g +", random[seed %% 4 + 1]))
  family <- if (seed %% 3 < 2) binomial() else poisson()
  fit <- withCallingHandlers(glmer(formula, D[D$seed == seed, ], family),
    warning = function(w) { if (first == "") first <<- conditionMessage(w); invokeRestart("muffleWarning") },
    message = function(m) invokeRestart("muffleMessage"))
  list(seed = seed, rows = sum(D$seed == seed), sum = sum(D$y[D$seed == seed]), beta = unname(fixef(fit)),
       se = unname(sqrt(diag(as.matrix(vcov(fit))))), sd = unname(unlist(lapply(VarCorr(fit), function(v) attr(v, "stddev")))),
       loglik = as.numeric(logLik(fit)), singular = isSingular(fit), warning = first)
}
out <- list(lme4 = as.character(packageVersion("lme4")), R = R.version.string, designs = lapply(0:47, tell))
writeLines(toJSON(out, digits = NA, auto_unbox = TRUE, pretty = FALSE), "tests/reference/designs.json")
