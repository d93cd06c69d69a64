# Writes crossed.json: mixed models of yes or no with crossed and nested random effects by lme4, and the CPU seconds that
# glmer took. Data are drawn by crossed_data.py; lme4's own VerbAgg and InstEval have these shapes. From the project's root:
#   python -m tests.reference.crossed_data FOLDER && Rscript tests/reference/crossed.R FOLDER
# Programs: R 4.2.2, lme4 1.1-31.
suppressMessages({ library(lme4); library(jsonlite) })
folder <- commandArgs(TRUE)[1]
read <- function(name) read.csv(file.path(folder, paste0(name, ".csv")), stringsAsFactors = TRUE)
options(contrasts = c("contr.treatment", "contr.poly"))  # each level against the first, as the models print them
tell <- function(formula, data, ...) {
  cpu <- sum(system.time(fit <- suppressMessages(glmer(formula, data, binomial, ...)))[c(1, 2)])
  list(formula = paste(deparse(formula, 500), collapse = ""), rows = nrow(data), names = names(fixef(fit)),
       beta = unname(fixef(fit)), se = unname(sqrt(diag(as.matrix(vcov(fit))))),
       sd = lapply(VarCorr(fit), function(one) unname(attr(one, "stddev"))), loglik = as.numeric(logLik(fit)), cpu = cpu)
}
V <- read("verbal"); L <- read("lectures"); T <- read("timing")
out <- list(
  lme4 = as.character(packageVersion("lme4")), R = R.version.string,
  verbal = tell(y ~ anger + gender + behaviour + situation + (1 | person) + (1 | item), V),
  verbal_nagq = tell(y ~ anger + gender + behaviour + situation + (1 | person), V, nAGQ = 9),
  lectures = tell(y ~ service + (1 | student) + (1 | lecturer), L),
  timing_crossed = tell(y ~ x * g + (1 | person) + (1 | item), T),
  timing_nested = tell(y ~ x * g + (1 | team / person), T))
writeLines(toJSON(out, digits = NA, auto_unbox = TRUE, pretty = FALSE), "tests/reference/crossed.json")
