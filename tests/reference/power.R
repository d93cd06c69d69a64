# Writes power.json: power and sample sizes by R's own formulas.
# Run from the project's root: Rscript tests/reference/power.R
# Programs: R 4.2.2.

suppressMessages(library(jsonlite))

t_cases <- lapply(list(c(20, 0.5, 0.05), c(64, 0.5, 0.05), c(12, 1.2, 0.01), c(100, 0.2, 0.05), c(3, 0.8, 0.1)), function(x) {
  each <- lapply(c("two.sample", "one.sample", "paired"), function(type) lapply(c("two.sided", "one.sided"), function(side)
    power.t.test(x[1], x[2], 1, x[3], type = type, alternative = side, strict = TRUE)$power))
  list(n = x[1], d = x[2], alpha = x[3], power = each)
})
t_sizes <- lapply(list(c(0.5, 0.8, 0.05), c(0.2, 0.9, 0.05), c(1.1, 0.95, 0.01)), function(x)
  list(d = x[1], power = x[2], alpha = x[3],
       two = power.t.test(NULL, x[1], 1, x[3], x[2], strict = TRUE, tol = 1e-12)$n,
       one = power.t.test(NULL, x[1], 1, x[3], x[2], "one.sample", "one.sided", tol = 1e-12)$n))

anova_cases <- lapply(list(c(3, 10, 1, 3), c(4, 20, 0.5, 9), c(5, 6, 2, 10)), function(x)
  list(groups = x[1], n = x[2], between = x[3], within = x[4],
       power = power.anova.test(x[1], x[2], x[3], x[4])$power,
       needed = uniroot(function(n) power.anova.test(x[1], n, x[3], x[4])$power - 0.85, c(2, 1e4), tol = 1e-12)$root))

proportion_cases <- lapply(list(c(50, 0.5, 0.75), c(30, 0.1, 0.4), c(200, 0.85, 0.8)), function(x)
  list(n = x[1], p1 = x[2], p2 = x[3],
       two = power.prop.test(x[1], x[2], x[3], strict = TRUE)$power,
       one = power.prop.test(x[1], max(x[2:3]), min(x[2:3]), alternative = "one.sided")$power,
       needed = power.prop.test(p1 = x[2], p2 = x[3], power = 0.9, strict = TRUE, tol = 1e-12)$n))

# chi-squared: the noncentral distribution itself, which is all that there is to the formula.
chi2_cases <- lapply(list(c(100, 0.3, 1), c(143, 0.2, 2), c(400, 0.1, 6)), function(x)
  list(n = x[1], w = x[2], df = x[3], power = pchisq(qchisq(0.05, x[3], lower = FALSE), x[3], x[1] * x[2]^2, lower = FALSE)))

write_json(list(t = t_cases, t_sizes = t_sizes, anova = anova_cases, proportions = proportion_cases, chi2 = chi2_cases),
           "tests/reference/power.json", digits = NA, auto_unbox = TRUE)
