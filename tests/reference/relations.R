# Writes relations.json: correlations, their differences, regression with robust errors, analysis of covariance.
# Run from the project's root: Rscript tests/reference/relations.R (R 4.2.2, psych 2.2.9, sandwich, clubSandwich 0.5.8,
# car 3.1.1, emmeans, jsonlite). Data are drawn or made here and written beside the results.
# Programs: R 4.2.2, car 3.1-1, clubSandwich 0.5.8, emmeans 1.8.4-1, psych 2.2.9, sandwich 3.0-2.
suppressPackageStartupMessages({
  library(jsonlite); library(psych); library(sandwich); library(clubSandwich); library(car); library(emmeans)
})
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
save <- function(x, file) writeLines(toJSON(full(x), auto_unbox = TRUE, json_verbatim = TRUE, pretty = TRUE), file)
set.seed(12)
small <- data.frame(x = c(2, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 18), z = c(5, 3, 6, 2, 7, 4, 8, 6, 9, 5, 10, 7),
  y = c(10, 12, 11, 17, 15, 20, 19, 24, 22, 27, 25, 31), w = c(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8))
e <- rnorm(40)
drawn <- data.frame(x = round(rnorm(40) + e, 3), z = round(rnorm(40) + e, 3), y = round(rnorm(40) - e / 2, 3),
  w = round(rnorm(40), 3))
ties <- data.frame(x = rpois(25, 2), z = rpois(25, 3), y = rpois(25, 1.5), w = rpois(25, 4))
far <- data.frame(x = 1e6 + round(rnorm(15), 3), z = round(1e6 + rnorm(15), 3), y = round(rnorm(15), 3), w = 1:15)
samples <- list(small = small, drawn = drawn, ties = ties, far = far)

pairs <- list(c("x", "y"), c("x", "z"), c("y", "w"))
cors <- list()
for (s in names(samples)) for (p in pairs) for (a in c("two.sided", "greater", "less")) {
  d <- samples[[s]]; u <- d[[p[1]]]; v <- d[[p[2]]]
  t <- cor.test(u, v, alternative = a, conf.level = .9)
  cors[[length(cors) + 1]] <- list(sample = s, x = p[1], y = p[2], alternative = a, kind = "pearson", method = "auto",
    r = t$estimate[[1]], statistic = t$statistic[[1]], p = t$p.value, low = t$conf.int[1], high = t$conf.int[2])
  t <- suppressWarnings(cor.test(u, v, alternative = a, method = "spearman", exact = FALSE))
  cors[[length(cors) + 1]] <- list(sample = s, x = p[1], y = p[2], alternative = a, kind = "spearman",
    method = "asymptotic", r = t$estimate[[1]], p = t$p.value)
  t <- suppressWarnings(cor.test(u, v, alternative = a, method = "kendall", exact = FALSE))
  cors[[length(cors) + 1]] <- list(sample = s, x = p[1], y = p[2], alternative = a, kind = "kendall",
    method = "asymptotic", r = t$estimate[[1]], statistic = t$statistic[[1]], p = t$p.value)
  if (!anyDuplicated(u) && !anyDuplicated(v)) {
    t <- cor.test(u, v, alternative = a, method = "kendall", exact = TRUE)
    cors[[length(cors) + 1]] <- list(sample = s, x = p[1], y = p[2], alternative = a, kind = "kendall",
      method = "exact", r = t$estimate[[1]], p = t$p.value)
  }
}
# Spearman's exact p for seven without ties, by all arrangements (R's own for n <= 9).
seven <- list(x = c(3.1, 4.5, 2.2, 9.7, 6.4, 7.3, 5.8), y = c(2.5, 1.9, 3.3, 8.8, 9.1, 4.2, 5.5))
exact <- lapply(c("two.sided", "greater", "less"), function(a) list(alternative = a,
  p = cor.test(seven$x, seven$y, method = "spearman", alternative = a, exact = TRUE)$p.value))

partials <- list()
for (s in names(samples)) for (controls in list("z", c("z", "w"))) {
  d <- samples[[s]]
  m <- lm(reformulate(c("x", controls), "y"), d); t <- summary(m)$coefficients["x", ]
  rx <- resid(lm(reformulate(controls, "x"), d)); ry <- resid(lm(reformulate(controls, "y"), d))
  partials[[length(partials) + 1]] <- list(sample = s, controls = as.list(controls), partial = cor(rx, ry),
    semi = cor(rx, d$y), t = t[["t value"]], p = t[["Pr(>|t|)"]])
}

# Differences of dependent correlations: psych for pairs without a shared variable and for independent samples; Steiger's
# and Meng's formulas for a shared variable, written out as they are printed.
differences <- list()
for (s in names(samples)) {
  d <- samples[[s]]; n <- nrow(d); r <- cor(d)
  free <- r.test(n, r12 = r["x", "y"], r34 = r["z", "w"], r13 = r["x", "z"], r14 = r["x", "w"], r23 = r["y", "z"],
    r24 = r["y", "w"])
  differences[[length(differences) + 1]] <- list(sample = s, first = list("x", "y"), second = list("z", "w"),
    method = "steiger", z = free$z, p = free$p)
  a <- r["y", "x"]; b <- r["y", "z"]; k <- r["x", "z"]; m <- (a + b) / 2
  psi <- k * (1 - 2 * m^2) - m^2 * (1 - 2 * m^2 - k^2) / 2
  z <- (atanh(a) - atanh(b)) * sqrt(n - 3) / sqrt(2 - 2 * psi / (1 - m^2)^2)
  differences[[length(differences) + 1]] <- list(sample = s, first = list("y", "x"), second = list("y", "z"),
    method = "steiger", z = z, p = 2 * pnorm(-abs(z)))
  q <- (a^2 + b^2) / 2; f <- min(1, (1 - k) / (2 * (1 - q))); h <- (1 - f * q) / (1 - q)
  z <- (atanh(a) - atanh(b)) * sqrt((n - 3) / (2 * (1 - k) * h))
  c12 <- ((k - a * b / 2) * (1 - a^2 - b^2 - k^2) + k^3) / ((1 - a^2) * (1 - b^2))
  lim <- function(r, s) tanh(atanh(r) + s * qnorm(.975) / sqrt(n - 3))
  low <- a - b - sqrt((a - lim(a, -1))^2 + (lim(b, 1) - b)^2 - 2 * c12 * (a - lim(a, -1)) * (lim(b, 1) - b))
  high <- a - b + sqrt((lim(a, 1) - a)^2 + (b - lim(b, -1))^2 - 2 * c12 * (lim(a, 1) - a) * (b - lim(b, -1)))
  differences[[length(differences) + 1]] <- list(sample = s, first = list("y", "x"), second = list("y", "z"),
    method = "meng", z = z, p = 2 * pnorm(-abs(z)), low = low, high = high)
}
independent <- list()
for (one in list(c(.49, 145, .36, 84), c(-.3, 20, .5, 33), c(.9, 10, .91, 12))) {
  t <- r.test(one[2], one[1], r34 = one[3], n2 = one[4])
  independent[[length(independent) + 1]] <- list(r1 = one[1], n1 = one[2], r2 = one[3], n2 = one[4], z = t$z, p = t$p)
}

# Repeated-measures correlation: the analysis of covariance that defines it.
who <- rep(1:7, c(4, 3, 5, 1, 4, 2, 6)); u <- rnorm(7)[who]
repeated <- data.frame(who = who, x = round(rnorm(25) + u, 3)); repeated$y <- round(.6 * repeated$x - 2 * u + rnorm(25), 3)
m <- lm(y ~ factor(who) + x, repeated); a <- anova(m)
rr <- sign(coef(m)[["x"]]) * sqrt(a["x", 2] / (a["x", 2] + a["Residuals", 2])); free <- a["Residuals", 1]
rmcorr <- list(data = as.list(repeated), r = rr, df = free, p = a["x", 5],
  low = tanh(atanh(rr) - qnorm(.975) / sqrt(free - 1)), high = tanh(atanh(rr) + qnorm(.975) / sqrt(free - 1)))
matrix <- lapply(c("holm", "bonferroni", "BH"), function(m) {
  t <- corr.test(drawn, adjust = m); list(adjust = m, p = as.list(t$p[upper.tri(t$p)]))
})

# Regression. D3: 28 clusters of one or two rows, made by rule.
rows <- list()
for (j in 1:28) for (i in 1:ifelse(j %% 5 == 0, 1, 2)) {
  x <- (i^2 + j^2 + i * j) %% 5
  rows[[length(rows) + 1]] <- data.frame(j = j, g = strsplit("abcabaa", "")[[1]][j %% 7 + 1], x = x,
    y = (11 * i^2 + 5 * j + 3 * i * j) %% 13 + 2 * x + 2 * (j^2 %% 7))
}
pairs3 <- do.call(rbind, rows)
k <- rep(1:9, c(1, 2, 7, 3, 3, 4, 1, 6, 5))
uneven <- data.frame(j = k, g = letters[1:3][k %% 3 + 1], x = round(rnorm(32), 3), z = round(rnorm(9)[k], 3))
uneven$y <- round(uneven$x + rnorm(9)[k] + rnorm(32) * (1 + abs(uneven$x)), 3)
frames <- list(pairs = pairs3, uneven = uneven)
models <- list()
for (one in list(list("pairs", "y ~ x + g"), list("pairs", "y ~ x * g"), list("uneven", "y ~ x + z"),
                 list("uneven", "y ~ g"), list("uneven", "y ~ x * z + g"), list("uneven", "y ~ x + I(x**2)"))) {
  d <- frames[[one[[1]]]]; m <- lm(as.formula(gsub("**", "^", one[[2]], fixed = TRUE)), d); s <- summary(m)
  robust <- lapply(c("CR0", "CR1", "CR1S", "CR2"), function(type) {
    V <- vcovCR(m, cluster = d$j, type = type); t <- coef_test(m, V, test = "Satterthwaite")
    list(type = type, se = as.list(t$SE), df = as.list(t$df_Satt))
  })
  V <- vcovCR(m, cluster = d$j, type = "CR2"); q <- 2:min(3, length(coef(m)))
  htz <- Wald_test(m, constrain_zero(q), V, test = "HTZ")
  models[[length(models) + 1]] <- list(data = one[[1]], formula = one[[2]], b = as.list(coef(m)[TRUE] |> unname()),
    se = as.list(unname(s$coefficients[, 2])), t = as.list(unname(s$coefficients[, 3])),
    p = as.list(unname(s$coefficients[, 4])), r2 = s$r.squared, adjusted = s$adj.r.squared, sigma = s$sigma,
    f = s$fstatistic[[1]], hc3 = as.list(unname(sqrt(diag(vcovHC(m, "HC3"))))), robust = robust, places = as.list(q - 1),
    htz = list(f = htz$Fstat, df1 = htz$df_num, df2 = htz$df_denom, p = htz$p_val),
    low = as.list(unname(confint(m)[, 1])), high = as.list(unname(confint(m)[, 2])))
}
m2 <- lm(y ~ x + z, uneven)
more <- list(vif = as.list(unname(vif(lm(y ~ x + z, small)))), delta = anova(lm(y ~ x, small), lm(y ~ x + z, small))[2, 5])
small$g <- rep(c("a", "b", "c"), 4)
covariance <- list()
for (one in list(list("small", small, "x"), list("small", small, c("x", "z")), list("uneven", uneven, "x"))) {
  d <- one[[2]]; covs <- one[[3]]
  a <- lm(reformulate(c(covs, "g"), "y"), d); own <- lm(as.formula(paste("y ~ (", paste(covs, collapse = "+"), ") * g")), d)
  f <- Anova(a, type = 2); h <- anova(a, own)
  e <- summary(emmeans(a, "g")); cc <- summary(contrast(emmeans(a, "g"), "pairwise", adjust = "tukey"))
  covariance[[length(covariance) + 1]] <- list(data = one[[1]], covariates = as.list(covs),
    f = f["g", "F value"], df1 = f["g", "Df"], df2 = f["Residuals", "Df"], p = f["g", "Pr(>F)"],
    fx = f[covs[1], "F value"], slopes = h[2, "F"], slopes_p = h[2, "Pr(>F)"], mean = as.list(e$emmean),
    se = as.list(e$SE), estimate = as.list(cc$estimate), estimate_se = as.list(cc$SE), tukey = as.list(cc$p.value))
}
save(list(samples = lapply(samples, as.list), correlations = cors, seven = seven, spearman_exact = exact,
  partials = partials, differences = differences, independent = independent, rmcorr = rmcorr, matrix = matrix,
  frames = lapply(frames, as.list), small = as.list(small), models = models, more = more, covariance = covariance),
  "tests/reference/relations.json")
