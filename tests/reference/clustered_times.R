# Writes clustered_times.json: F of clusters' summed martingale residuals, whole clusters in one group.
# Run from the project's root: Rscript tests/reference/clustered_times.R (R 4.2.2, survival, jsonlite). Data are drawn here.
# Programs: R 4.2.2, survival 3.5-3.
suppressPackageStartupMessages({ library(jsonlite); library(survival) })
set.seed(31)
cases <- lapply(1:6, function(i) {
  clusters <- 8 + 3 * i; size <- rep(c(3, 4, 3, 3, 2), length.out = clusters); groups <- 2 + i %% 2
  id <- rep(seq_len(clusters), size); g <- letters[1 + seq_len(clusters) %% groups][id]
  t <- ceiling(5 * rexp(length(id)) / rgamma(clusters, 2, 2)[id]); event <- rbinom(length(id), 1, .7)
  s <- if (i > 3) sample(1:2, length(id), TRUE) else rep(1, length(id))
  null <- if (i > 3) coxph(Surv(t, event) ~ 1 + strata(s), ties = "breslow") else coxph(Surv(t, event) ~ 1, ties = "breslow")
  score <- tapply(residuals(null, "martingale"), id, sum)
  a <- anova(lm(score ~ factor(tapply(g, id, `[`, 1))))
  list(data = list(t = t, event = event, id = id, g = g, s = s), strata = i > 3,
    f = a$`F value`[1], df = a$Df, p = a$`Pr(>F)`[1])
})
writeLines(toJSON(cases, auto_unbox = TRUE, digits = NA), "tests/reference/clustered_times.json")
