# Power of yes or no that repeats by person, by lme4: 40 people, 20 in each condition, 10 decisions each; mean shares of
# the population .35 and .65, SD of people 1.2 on the logit. Wald t on 38 df. Run once: Rscript power_decisions.R
# Programs: R 4.2.2, lme4 1.1-31.
suppressMessages(library(lme4))
suppressMessages(library(jsonlite))
set.seed(20)
typical <- function(p, sd) uniroot(function(eta) integrate(function(z) plogis(eta + sd * z) * dnorm(z), -8, 8)$value - p,
                                   c(-20, 20), tol = 1e-10)$root
people <- 40; decisions <- 10; sd <- 1.2; studies <- 300
eta <- c(typical(.35, sd), typical(.65, sd))
who <- rep(seq_len(people), each = decisions)
g <- (who %% 2)
one <- function() {
  y <- rbinom(length(who), 1, plogis(eta[g + 1] + rnorm(people, 0, sd)[who]))
  fit <- suppressMessages(suppressWarnings(glmer(y ~ g + (1 | who), family = binomial)))
  t <- fixef(fit)[["g"]] / sqrt(vcov(fit)[2, 2])
  2 * pt(-abs(t), people - 2) <= .05
}
hits <- sum(replicate(studies, one()))
cat(toJSON(list(studies = studies, hits = hits, eta = eta, lme4 = as.character(packageVersion("lme4"))),
           digits = NA, auto_unbox = TRUE), "\n")
