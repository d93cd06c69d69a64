# Writes means.json: t-tests, one-way ANOVA and tests of equal variances, with standardized differences.
# Run from the project's root: Rscript tests/reference/means.R (R 4.2.2, effectsize 0.8.3, car 3.1.1, jsonlite).
# The data are drawn here and written beside the results, rounded to 3 digits, so that both sides read the same numbers.
# "sleep": Student (1908), "The probable error of a mean", Biometrika 6, table on p. 20 (hours of sleep gained).
# Programs: R 4.2.2, car 3.1-1, effectsize 0.8.3.
suppressPackageStartupMessages({
  library(jsonlite)
  library(effectsize)
})

# jsonlite stops at 15 digits; these are all 17, and infinities as text.
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
save <- function(x, file) {
  writeLines(toJSON(full(x), auto_unbox = TRUE, json_verbatim = TRUE, pretty = TRUE), file)
}

set.seed(20)
drug1 <- c(0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
drug2 <- c(1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)
samples <- list(
  sleep = list(a = drug1, b = drug2),
  unequal = list(a = round(rnorm(7, 10, 1), 3), b = round(rnorm(13, 11, 3), 3)),
  tiny = list(a = c(1.5, 2.25), b = c(4, 4.5, 7.125)),
  far = list(a = round(1e6 + rnorm(9), 3), b = round(1e6 + 0.8 + rnorm(11), 3)),
  integers = list(a = rpois(30, 6), b = rpois(22, 8)),
  apart = list(a = round(rnorm(25, 0), 3), b = round(rnorm(25, 9), 3))
)
alternatives <- c("two.sided", "greater", "less")

# The exact noncentral interval, by the same equations as effectsize solves by optimisation.
exact_ncp <- function(t, df, level = 0.95) {
  solve <- function(p) {
    uniroot(function(ncp) pt(t, df, ncp) - p, c(-37, 37), tol = 1e-13)$root
  }
  c(solve((1 + level) / 2), solve((1 - level) / 2))
}

test <- function(...) {
  r <- t.test(...)
  list(t = unname(r$statistic), df = unname(r$parameter), p = r$p.value, low = r$conf.int[1], high = r$conf.int[2])
}

t_cases <- list()
for (name in names(samples)) {
  a <- samples[[name]]$a
  b <- samples[[name]]$b
  for (alternative in alternatives) {
    for (method in c("welch", "student")) {
      t_cases[[length(t_cases) + 1]] <- c(
        list(sample = name, method = method, alternative = alternative, null = 0.5),
        test(a, b, alternative = alternative, var.equal = method == "student", mu = 0.5, conf.level = 0.9)
      )
    }
    t_cases[[length(t_cases) + 1]] <- c(
      list(sample = name, method = "one-sample", alternative = alternative, null = 1),
      test(a, alternative = alternative, mu = 1, conf.level = 0.9)
    )
    if (length(a) == length(b)) {
      t_cases[[length(t_cases) + 1]] <- c(
        list(sample = name, method = "paired", alternative = alternative, null = 0.5),
        test(a, b, paired = TRUE, alternative = alternative, mu = 0.5, conf.level = 0.9)
      )
    }
  }
}

effect <- function(r) list(value = r[[1]], low = r$CI_low, high = r$CI_high)
d_cases <- list()
add <- function(sample, method, kind, r, t, df, unit) {
  exact <- exact_ncp(t, df) * unit
  d_cases[[length(d_cases) + 1]] <<- c(
    list(sample = sample, method = method, kind = kind), effect(r), list(exact_low = exact[1], exact_high = exact[2])
  )
}
for (name in setdiff(names(samples), "apart")) {
  a <- samples[[name]]$a
  b <- samples[[name]]$b
  n <- c(length(a), length(b))
  v <- c(var(a), var(b))
  j <- function(df) exp(lgamma(df / 2) - log(sqrt(df / 2)) - lgamma((df - 1) / 2))
  student <- t.test(a, b, var.equal = TRUE)
  welch <- t.test(a, b)
  unit <- sqrt(sum(1 / n))
  add(name, "welch", "d", cohens_d(a, b), student$statistic, student$parameter, unit)
  add(name, "welch", "g", hedges_g(a, b), student$statistic, student$parameter, unit * j(student$parameter))
  add(
    name, "welch", "d_av", cohens_d(a, b, pooled_sd = FALSE), welch$statistic, welch$parameter,
    sqrt(sum(v / n) / mean(v))
  )
  add(name, "welch", "glass", glass_delta(a, b), welch$statistic, n[2] - 1, sqrt(sum(v / n) / v[2]))
  one <- t.test(a)
  if (abs(one$statistic) < 30) {
    add(name, "one-sample", "d", cohens_d(a), one$statistic, one$parameter, 1 / sqrt(n[1]))
    # With one degree of freedom d has no expectation: effectsize prints g = 0, ours refuses.
    if (one$parameter > 1) add(name, "one-sample", "g", hedges_g(a), one$statistic, one$parameter, j(one$parameter) / sqrt(n[1]))
  }
  if (n[1] == n[2]) {
    paired <- t.test(a, b, paired = TRUE)
    add(
      name, "paired", "d_z", cohens_d(a, b, paired = TRUE), paired$statistic, paired$parameter, 1 / sqrt(n[1])
    )
    add(
      name, "paired", "g_z", hedges_g(a, b, paired = TRUE), paired$statistic, paired$parameter,
      j(paired$parameter) / sqrt(n[1])
    )
  }
}

groups <- list(
  three = list(a = round(rnorm(6, 5), 3), b = round(rnorm(9, 6, 2), 3), c = round(rnorm(12, 7, 0.5), 3)),
  four = list(a = rpois(11, 4), b = rpois(7, 5), c = rpois(9, 9), d = rpois(20, 5)),
  two = samples$unequal
)
f_cases <- list()
for (name in names(groups)) {
  y <- unlist(groups[[name]], use.names = FALSE)
  g <- factor(rep(names(groups[[name]]), lengths(groups[[name]])))
  for (method in c("fisher", "welch")) {
    r <- oneway.test(y ~ g, var.equal = method == "fisher")
    f_cases[[length(f_cases) + 1]] <- list(
      groups = name, method = method, f = unname(r$statistic), df1 = unname(r$parameter[1]),
      df2 = unname(r$parameter[2]), p = r$p.value
    )
  }
  for (center in c("mean", "median")) {
    r <- car::leveneTest(y, g, center = get(center))
    f_cases[[length(f_cases) + 1]] <- list(
      groups = name, method = if (center == "mean") "levene" else "brown-forsythe", f = r$`F value`[1],
      df1 = r$Df[1], df2 = r$Df[2], p = r$`Pr(>F)`[1]
    )
  }
}

save(list(samples = samples, groups = groups, t = t_cases, d = d_cases, f = f_cases), "tests/reference/means.json")
