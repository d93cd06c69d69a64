# Writes bayes.json: Bayes factors by R's BayesFactor 0.9.12. Run from the project's root: Rscript tests/reference/bayes.R
# Data are drawn here and rounded. Models of several effects are sampled (a million draws): their error is beside them.
# Programs: R 4.2.2, BayesFactor 0.9.12-4.4.

suppressMessages({ library(BayesFactor); library(jsonlite) })
options(BFprogress = FALSE)
set.seed(11)
value <- function(bf) list(bf = unname(exp(bf@bayesFactor$bf)), error = unname(bf@bayesFactor$error), names = names(bf@numerator))

one <- data.frame(g = rep(c("a", "b", "c"), c(8, 11, 9)))
one$y <- round(rnorm(28) + 0.7 * (one$g == "c"), 2)
one$g <- factor(one$g)
two <- expand.grid(i = 1:7, a = c("p", "q"), b = c("u", "v", "w"))[-c(1, 9, 30), c("a", "b")]
two$y <- round(rnorm(nrow(two)) + 0.8 * (two$a == "q") + 0.5 * (two$b == "w") * (two$a == "p"), 2)
two$a <- factor(two$a); two$b <- factor(two$b)
rep1 <- expand.grid(id = factor(1:14), m = factor(c("m1", "m2", "m3")))
rep1$y <- round(rnorm(14)[rep1$id] + rnorm(42, 0, 0.8) + 0.5 * (rep1$m == "m3"), 2)
wide <- reshape(rep1, idvar = "id", timevar = "m", direction = "wide")

repeated <- anovaBF(y ~ m + id, rep1, whichRandom = "id", iterations = 1e6)
tables <- list(matrix(c(12, 5, 3, 9, 4, 11), 2), matrix(c(20, 8, 11, 17), 2))
sampled <- function(m) {
  one <- function(kind, ...) unname(exp(contingencyTableBF(m, sampleType = kind, ...)@bayesFactor$bf))
  list(table = apply(m, 1, function(r) r, simplify = FALSE), poisson = one("poisson"), joint = one("jointMulti"),
       rows = one("indepMulti", fixedMargin = "rows"), columns = one("indepMulti", fixedMargin = "cols"))
}
x <- round(rnorm(25), 2); y <- round(0.5 * x + rnorm(25), 2)
correlation <- list(r = cor(x, y), n = 25)
for (scale in c("medium", "wide", "ultrawide"))
  correlation[[scale]] <- unname(exp(correlationBF(x, y, rscale = scale)@bayesFactor$bf))
write(toJSON(list(
  version = as.character(packageVersion("BayesFactor")),
  one_way = list(rows = one, medium = value(anovaBF(y ~ g, one)), wide = value(anovaBF(y ~ g, one, rscaleFixed = "wide"))),
  two_way = list(rows = two, all = value(anovaBF(y ~ a * b, two, whichModels = "withmain", iterations = 1e6))),
  repeated = list(wide = as.matrix(wide[, 2:4]), bf = value(repeated)),
  correlation = correlation,
  regression = list(list(n = 40, p = 2, r2 = 0.22, medium = exp(linearReg.R2stat(40, 2, 0.22)$bf)),
                    list(n = 200, p = 5, r2 = 0.03, medium = exp(linearReg.R2stat(200, 5, 0.03)$bf),
                         wide = exp(linearReg.R2stat(200, 5, 0.03, rscale = 0.5)$bf))),
  tables = lapply(tables, sampled),
  t = list(list(t = 2.3, n1 = 20, n2 = 24, medium = unname(exp(ttest.tstat(2.3, 20, 24)$bf))),
           list(t = -0.4, n1 = 31, n2 = 0, medium = unname(exp(ttest.tstat(-0.4, 31)$bf))))
), digits = 12, auto_unbox = TRUE), "tests/reference/bayes.json")
