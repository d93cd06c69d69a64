# Writes repeated.json: designs with one repeated factor and up to two between subjects, and what R makes of them.
# Run from the project's root: Rscript tests/reference/repeated.R
# Data are drawn here and rounded to two decimals, so that the file holds all that a test needs.
# Programs: R 4.2.2, afex 1.2-1.

suppressMessages({
  library(afex); library(jsonlite)
})
options(contrasts = c("contr.sum", "contr.poly"))

draw <- function(seed, measures, levels, n) {
  # One row a subject, wide; cell sizes are drawn from n, measures are correlated unequally.
  set.seed(seed)
  cells <- if (length(levels)) do.call(expand.grid, c(rev(lapply(levels, seq_len)), KEEP.OUT.ATTRS = FALSE))[, rev(seq_along(levels)), drop = FALSE] else data.frame(none = 1)
  size <- n[sample.int(length(n), nrow(cells), replace = TRUE)]
  rows <- cells[rep(seq_len(nrow(cells)), size), , drop = FALSE]
  names(rows) <- if (length(levels)) names(levels) else "none"
  for (f in names(levels)) rows[[f]] <- paste0(f, rows[[f]])
  root <- matrix(rnorm(measures^2), measures) + diag(measures)
  mean <- matrix(rnorm(nrow(cells) * measures, 5), nrow(cells))[rep(seq_len(nrow(cells)), size), , drop = FALSE]
  y <- round(mean + matrix(rnorm(nrow(rows) * measures), nrow(rows)) %*% root, 2)
  long <- data.frame(subject = rep(paste0("s", seq_len(nrow(rows))), measures), rows[rep(seq_len(nrow(rows)), measures), , drop = FALSE],
                     time = rep(paste0("t", seq_len(measures)), each = nrow(rows)), y = c(y))
  long$none <- NULL
  rownames(long) <- NULL
  long
}

study <- function(name, long) {
  between <- setdiff(names(long), c("subject", "time", "y"))
  formula <- as.formula(paste("y ~", paste(c(between, "Error(subject / time)"), collapse = " * ") |>
                                sub(pattern = " \\* Error", replacement = " + Error")))
  formula <- if (length(between) == 2) as.formula(paste("y ~", between[1], "*", between[2], "+ Error(subject / time)")) else formula
  fit <- suppressWarnings(suppressMessages(aov_car(formula, long, type = 3, anova_table = list(correction = "none", es = c("ges", "pes")))))
  s <- suppressWarnings(summary(fit$Anova, multivariate = FALSE))
  u <- unclass(s$univariate.tests); terms <- setdiff(rownames(u), "(Intercept)")
  out <- list(name = name, between = I(between), rows = as.list(long), terms = terms,
              ss = u[terms, "Sum Sq"], df = u[terms, "num Df"], ss_error = u[terms, "Error SS"], df_error = u[terms, "den Df"],
              f = u[terms, "F value"], p = u[terms, "Pr(>F)"],
              ges = fit$anova_table[terms, "ges"], pes = fit$anova_table[terms, "pes"])
  out[c("ss", "df", "ss_error", "df_error", "f", "p")] <- lapply(out[c("ss", "df", "ss_error", "df_error", "f", "p")], unname)
  a <- s$pval.adjustments
  if (length(unique(long$time)) > 2) {
    out$adjusted <- list(terms = I(rownames(a)), epsilon_gg = a[1, "GG eps"], epsilon_hf = a[1, "HF eps"],
                         p_gg = I(unname(a[, "Pr(>F[GG])"])), p_hf = I(unname(a[, "Pr(>F[HF])"])),
                         mauchly_w = s$sphericity.tests[1, 1], mauchly_p = s$sphericity.tests[1, 2])
  }
  out
}

out <- list(
  versions = sapply(c("afex", "car"), function(p) as.character(packageVersion(p))),
  r = as.character(getRversion()),
  designs = list(
    study("three measures", draw(21, 3, list(), 9)),
    study("five measures", draw(22, 5, list(), 14)),
    study("two measures, one between", draw(23, 2, list(a = 3), 3:6)),
    study("four measures, one between", draw(24, 4, list(a = 2), 5:11)),
    study("three measures, two between", draw(25, 3, list(a = 2, b = 3), 2:8)),
    study("four measures, two between", draw(26, 4, list(a = 3, b = 2), 1:6)),
    study("three measures, equal cells", draw(27, 3, list(a = 2, b = 2), 5))
  )
)
write_json(out, "tests/reference/repeated.json", digits = NA, auto_unbox = TRUE)
