# Writes counts.json: tests of two-way tables, exact, matched and stratified tests, and score intervals.
# Run from this folder: Rscript counts.R. Tables are written by rows.
# Programs: R 4.2.2, coin 1.4-2, rstatix 0.7.2, vcd 1.4-11.
suppressPackageStartupMessages({library(vcd); library(jsonlite)})
rows <- function(m) unname(lapply(seq_len(nrow(m)), function(i) unname(m[i, ])))
quiet <- suppressWarnings

two_way <- function(label, m) {
  pearson <- quiet(chisq.test(m, correct = FALSE)); yates <- quiet(chisq.test(m, correct = TRUE))
  all <- assocstats(as.table(m))
  list(label = label, n = rows(m), x2 = unname(pearson$statistic), df = unname(pearson$parameter), p = pearson$p.value,
       expected = rows(pearson$expected), pearson = rows(pearson$residuals), adjusted = rows(pearson$stdres),
       yates = unname(yates$statistic), p_yates = yates$p.value,
       g2 = all$chisq_tests["Likelihood Ratio", "X^2"], p_g2 = all$chisq_tests["Likelihood Ratio", "P(> X^2)"], v = all$cramer)
}
set.seed(11)
tables <- list(two_way("walk-aways of selfish agents", matrix(c(19, 22, 10, 77, 68, 93), 3)),
               two_way("2x2", matrix(c(5, 19, 92, 77), 2)), two_way("2x2 small", matrix(c(3, 1, 1, 3), 2)),
               two_way("hair and eyes", unclass(margin.table(HairEyeColor, 1:2))))
for (s in list(c(2, 2), c(2, 3), c(3, 4), c(4, 4), c(5, 3)))
  tables[[length(tables) + 1]] <- two_way(paste("random", s[1], s[2]), matrix(rpois(prod(s), 9) + 1, s[1]))

gof <- lapply(list(list(c(89, 37, 30, 28, 2), c(40, 20, 20, 15, 5)), list(c(12, 9, 20), c(1, 1, 1))), function(case) {
  t <- quiet(chisq.test(case[[1]], p = case[[2]], rescale.p = TRUE))
  list(n = case[[1]], probabilities = case[[2]], x2 = unname(t$statistic), df = unname(t$parameter), p = t$p.value,
       adjusted = unname(t$stdres), expected = unname(t$expected))
})

exact <- list()
fisher_case <- function(m) {
  out <- list(n = rows(m), p = fisher.test(m, workspace = 2e7)$p.value)
  if (all(dim(m) == 2)) {
    out$less <- fisher.test(m, alternative = "less")$p.value
    out$greater <- fisher.test(m, alternative = "greater")$p.value
    two <- fisher.test(m); out$odds_ratio <- unname(two$estimate); out$interval <- as.vector(two$conf.int)
  }
  out
}
job <- matrix(c(1, 2, 1, 0, 3, 3, 6, 1, 10, 10, 14, 9, 6, 7, 12, 11), 4)  # Agresti (2002), job satisfaction, in ?fisher.test
exact <- list(fisher_case(job), fisher_case(matrix(c(3, 1, 1, 3), 2)), fisher_case(matrix(c(5, 19, 92, 77), 2)),
              fisher_case(matrix(c(19, 22, 10, 77, 68, 93), 3)))
set.seed(12)
for (s in list(c(2, 2), c(2, 2), c(2, 5), c(3, 3), c(3, 4), c(4, 3), c(3, 5), c(2, 7), c(4, 5))) {
  repeat {
    m <- matrix(rpois(prod(s), 2.5), s[1])
    if (all(rowSums(m) > 0, colSums(m) > 0)) break
  }
  exact[[length(exact) + 1]] <- fisher_case(m)
}

matched <- lapply(list(matrix(c(794, 150, 86, 570), 2), matrix(c(20, 3, 11, 8), 2), matrix(c(4, 7, 2, 6), 2)), function(m) {
  plain <- mcnemar.test(m, correct = FALSE); yates <- mcnemar.test(m)
  list(n = rows(m), x2 = unname(plain$statistic), p = plain$p.value, x2_corrected = unname(yates$statistic),
       p_corrected = yates$p.value, p_exact = binom.test(m[1, 2], m[1, 2] + m[2, 1])$p.value)
})
set.seed(13)
bowker <- lapply(3:4, function(k) {
  m <- matrix(rpois(k^2, 6), k); t <- mcnemar.test(m)
  list(n = rows(m), x2 = unname(t$statistic), df = unname(t$parameter), p = t$p.value)
})

strata <- function(a) lapply(seq_len(dim(a)[3]), function(k) rows(a[, , k]))
rabbits <- array(c(0, 0, 6, 5, 3, 0, 3, 6, 6, 2, 0, 4, 5, 6, 1, 0, 2, 5, 0, 0), c(2, 2, 5))  # in ?mantelhaen.test
set.seed(14)
stratified <- lapply(list(rabbits, unclass(UCBAdmissions), array(rpois(2 * 2 * 4, 7) + 1, c(2, 2, 4))), function(a) {
  plain <- mantelhaen.test(a, correct = FALSE); yates <- mantelhaen.test(a, correct = TRUE)
  list(strata = strata(a), x2 = unname(plain$statistic), p = plain$p.value, x2_corrected = unname(yates$statistic),
       p_corrected = yates$p.value, odds_ratio = unname(plain$estimate), interval = as.vector(plain$conf.int))
})
generalized <- lapply(list(c(3, 3, 4), c(2, 4, 3), c(4, 2, 5)), function(s) {
  a <- array(rpois(prod(s), 6) + 1, s); t <- mantelhaen.test(a)
  list(strata = strata(a), x2 = unname(t$statistic), df = unname(t$parameter), p = t$p.value)
})

set.seed(15)
q <- lapply(3:5, function(k) {
  x <- matrix(rbinom(18 * k, 1, rep(seq(.3, .7, length.out = k), each = 18)), 18)
  long <- data.frame(y = as.vector(x), measure = factor(rep(seq_len(k), each = 18)), who = factor(rep(1:18, k)))
  t <- rstatix::cochran_qtest(long, y ~ measure | who)
  c <- coin::mh_test(factor(y) ~ measure | who, data = long)
  list(y = rows(x), q = unname(t$statistic), df = unname(t$df), p = as.numeric(coin::pvalue(c)))
})

wilson <- lapply(list(c(10, 103), c(0, 20), c(20, 20), c(1, 7), c(51, 103), c(399, 1000)), function(xn) {
  list(x = xn[1], n = xn[2], plain = as.vector(prop.test(xn[1], xn[2], correct = FALSE)$conf.int),
       corrected = as.vector(quiet(prop.test(xn[1], xn[2], correct = TRUE))$conf.int),
       level_90 = as.vector(quiet(prop.test(xn[1], xn[2], correct = FALSE, conf.level = .9))$conf.int))
})

large <- lapply(list(
  matrix(c(5, 9, 8, 7, 6, 9, 8, 4, 8, 7, 7, 6, 9, 5, 6, 10, 4, 8, 9, 7, 8), 3),
  matrix(c(9, 3, 6, 8, 2, 5, 7, 4, 6, 3, 1, 6, 8, 5, 4, 6, 2, 7, 5, 3), 4),
  matrix(c(3, 2, 4, 1, 2, 0, 5, 2, 3, 1, 2, 2, 1, 4, 3, 1, 3, 0, 2, 5, 2, 1, 3, 2, 4), 5)),
  function(m) list(n = rows(m), p = fisher.test(m, workspace = 2e8)$p.value))

cat(toJSON(list(R = R.version.string, two_way = tables, goodness = gof, fisher = exact, fisher_large = large, mcnemar = matched, bowker = bowker,
                stratified = stratified, generalized = generalized, cochran_q = q, wilson = wilson),
           digits = I(17), auto_unbox = TRUE), file = "counts.json")
