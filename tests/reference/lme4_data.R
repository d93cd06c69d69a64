# lme4's own data sets, which are under the GPL and so not in the project, and what lme4 finds in them.
# Rscript tests/reference/lme4_data.R FOLDER    writes the rows as CSV files, for tests/stats/models/test_mixed.py
# Rscript tests/reference/lme4_data.R           writes lme4_data.json; run it from the project's root
# VerbAgg: De Boeck and Wilson (2004). InstEval: lectures rated at ETH Zurich, here students 1 to 300. Penicillin: Davies and
# Goldsmith (1972). sleepstudy: Belenky et al. (2003). grouseticks: Elston et al. (2001). cbpp: Lesnoff et al. (2004).
# Programs: R 4.2.2, lme4 1.1.31.
suppressMessages({ library(lme4); library(jsonlite) })
L <- cbpp[rep(1:nrow(cbpp), cbpp$size), ]
L$y <- unlist(mapply(function(i, s) c(rep(1, i), rep(0, s - i)), cbpp$incidence, cbpp$size))
S <- subset(InstEval, as.integer(as.character(s)) <= 300)
data <- list(
  verbal = with(VerbAgg, data.frame(y = as.integer(r2 == "Y"), anger = Anger, gender = Gender, behaviour = btype,
                                    situation = situ, person = id, item = item)),
  lectures = with(S, data.frame(good = as.integer(y >= 4), mark = y, service = service, student = s, lecturer = d)),
  ratings = with(InstEval, data.frame(mark = y, service = service, student = s, lecturer = d)),
  sleep = with(sleepstudy, data.frame(reaction = Reaction, days = Days, subject = Subject)),
  penicillin = Penicillin, ticks = grouseticks, cbpp = L[c("y", "period", "herd")])
folder <- commandArgs(TRUE)
if (length(folder)) {
  for (name in names(data)) write.csv(data[[name]], file.path(folder[1], paste0(name, ".csv")), row.names = FALSE)
  quit(save = "no")
}
tight <- glmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e6), tolPwrss = 1e-11)
tell <- function(name, formula, family = NULL, ...) {
  # As the models print them: yes or no and counts each level against the first, numbers in sums to zero.
  options(contrasts = c(if (is.null(family)) "contr.sum" else "contr.treatment", "contr.poly"))
  rows <- data[[name]]
  for (one in names(rows)) if (is.character(rows[[one]])) rows[[one]] <- factor(rows[[one]])
  cpu <- sum(system.time(fit <- suppressWarnings(suppressMessages(
    if (is.null(family)) lmer(formula, rows, ...) else glmer(formula, rows, family, ...))))[c(1, 2)])
  list(data = name, formula = paste(deparse(formula, 500), collapse = ""), rows = nrow(rows),
       family = if (is.null(family)) "gaussian" else if (is.character(family)) family else family$family,
       link = if (is.null(family)) "identity" else if (is.character(family)) "log" else family$link,
       nagq = if (is.null(family)) 0 else fit@devcomp$dims[["nAGQ"]],
       names = names(fixef(fit)), beta = unname(fixef(fit)), se = unname(sqrt(diag(as.matrix(vcov(fit))))),
       sds = lapply(VarCorr(fit), function(v) unname(attr(v, "stddev"))),
       sigma = sigma(fit), loglik = as.numeric(logLik(fit)), cpu = cpu)
}
verbal <- y ~ anger + gender + behaviour + situation
fits <- list(
  verbal_crossed = tell("verbal", update(verbal, . ~ . + (1 | person) + (1 | item)), binomial()),
  verbal_slope = tell("verbal", update(verbal, . ~ . + (1 + situation | person) + (1 | item)), binomial(), control = tight),
  verbal_quadrature = tell("verbal", update(verbal, . ~ . + (1 | person)), binomial(), nAGQ = 9, control = tight),
  cbpp_logit = tell("cbpp", y ~ period + (1 | herd), binomial(), nAGQ = 9, control = tight),
  cbpp_probit = tell("cbpp", y ~ period + (1 | herd), binomial("probit"), nAGQ = 9, control = tight),
  cbpp_cloglog = tell("cbpp", y ~ period + (1 | herd), binomial("cloglog"), nAGQ = 9, control = tight),
  lectures = tell("lectures", good ~ service + (1 | student) + (1 | lecturer), binomial(), control = tight),
  lectures_marks = tell("lectures", mark ~ service + (1 | student) + (1 | lecturer), REML = TRUE),
  ticks = tell("ticks", TICKS ~ YEAR + cHEIGHT + (1 | BROOD) + (1 | INDEX) + (1 | LOCATION), "poisson", control = tight),
  sleep = tell("sleep", reaction ~ days + (1 + days | subject), REML = TRUE),
  penicillin = tell("penicillin", diameter ~ 1 + (1 | plate) + (1 | sample), REML = TRUE))
out <- list(lme4 = as.character(packageVersion("lme4")), R = R.version.string, fits = fits)
writeLines(toJSON(out, digits = 12, auto_unbox = TRUE, pretty = FALSE), "tests/reference/lme4_data.json")
