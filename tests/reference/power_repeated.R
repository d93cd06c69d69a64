# Power of numbers and of answers in order that repeat by person, with and without items, by lme4, lmerTest and ordinal.
# Drawn as in negstats.stats.power.mixed; numbers and scores are tested by lmerTest (Satterthwaite), answers in order
# also by a cumulative logit mixed model (z). Run once: Rscript power_repeated.R
# Programs: R 4.2.2, coin 1.4-2, lme4 1.1-31, lmerTest 3.1-3, ordinal 2022.11-16.
suppressMessages({library(lme4); library(lmerTest); library(ordinal); library(jsonlite)})
set.seed(21)
studies <- 400
draw <- function(people, rows, items, sd, item_sd, slope_sd, within, effect) {
  who <- rep(seq_len(people), each = rows); number <- rep(seq_len(rows) - 1, people)
  f <- if (within) number %% 2 else (who - 1) %% 2
  item <- if (items) number %% items else 0 * number
  eta <- rnorm(people, 0, sd)[who] + (effect + rnorm(people, 0, slope_sd)[who]) * f
  if (items) eta <- eta + rnorm(items, 0, item_sd)[item + 1]
  data.frame(who = factor(who), item = factor(item), f = factor(f), eta = eta)
}
score <- function(d, formula) {
  fit <- suppressMessages(suppressWarnings(lmer(formula, d)))
  suppressMessages(suppressWarnings(anova(fit)[["Pr(>F)"]][1])) <= .05
}
cuts <- qlogis(cumsum(c(.1, .2, .3, .25, .15))[1:4])
answers <- function(d) 1 + rowSums(outer(d$eta + rlogis(nrow(d)), cuts, ">"))
number_items <- function() {
  d <- draw(30, 20, 20, 1, .5, 0, FALSE, .8); d$y <- d$eta + rnorm(nrow(d), 0, 1.5)
  score(d, y ~ f + (1 | who) + (1 | item))
}
number_within <- function() {
  d <- draw(20, 12, 12, 1, .5, .5, TRUE, .9); d$y <- d$eta + rnorm(nrow(d), 0, 1.5)
  score(d, y ~ f + (1 + f | who) + (1 | item))
}
ordered_people <- function() {
  d <- draw(40, 6, 0, 1.2, 0, 0, FALSE, 1); d$y <- answers(d); d$o <- factor(d$y, ordered = TRUE)
  z <- tryCatch(coef(summary(suppressWarnings(clmm(o ~ f + (1 | who), d))))["f1", "Pr(>|z|)"], error = function(e) 1)
  m <- aggregate(y ~ who + f, d, mean)
  c(score(d, y ~ f + (1 | who)), z <= .05, t.test(y ~ f, m)$p.value <= .05)
}
ordered_items <- function() {
  d <- draw(24, 12, 12, 1.2, .5, 0, TRUE, 1); d$y <- answers(d)
  score(d, y ~ f + (1 + f | who) + (1 | item))
}
ordered_pairs <- function() {
  d <- draw(40, 2, 0, 1.2, 0, 0, TRUE, 1); d$y <- answers(d)
  w <- d$y[d$f == 1] - d$y[d$f == 0]
  c(suppressWarnings(coin::pvalue(coin::wilcoxsign_test(d$y[d$f == 1] ~ d$y[d$f == 0], zero.method = "Pratt"))) <= .05)
}
out <- list(studies = studies,
  number_items = sum(replicate(studies, number_items())),
  number_within = sum(replicate(studies, number_within())),
  ordered_people = as.list(setNames(rowSums(replicate(studies, ordered_people())), c("scores", "clmm", "welch"))),
  ordered_items = sum(replicate(studies, ordered_items())),
  ordered_pairs = sum(replicate(studies, ordered_pairs())),
  lme4 = as.character(packageVersion("lme4")), ordinal = as.character(packageVersion("ordinal")))
cat(toJSON(out, digits = NA, auto_unbox = TRUE), "\n")
