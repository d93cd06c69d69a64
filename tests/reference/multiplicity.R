# Writes multiplicity.json: p values, some of them missing or tied, as p.adjust corrects them.
# Run from the project's root: Rscript tests/reference/multiplicity.R
# Programs: R 4.2.2.

suppressMessages(library(jsonlite))

set.seed(41)
families <- list(
  c(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1),
  c(0.01, 0.01, 0.04, 0.04, 0.5),
  0.03,
  c(0.2, NA, 0.001, 0.03, NA, 0.04)
)
for (size in c(2, 5, 20)) families[[length(families) + 1]] <- signif(rbeta(size, 0.5, 3), 6)

methods <- c(bonferroni = "bonferroni", holm = "holm", "simes-hochberg" = "hochberg", hommel = "hommel", fdr_bh = "BH", fdr_by = "BY")
out <- lapply(families, function(p) list(p = I(p), adjusted = lapply(methods, function(m) I(p.adjust(p, m)))))
write_json(out, "tests/reference/multiplicity.json", digits = NA, auto_unbox = TRUE, na = "null")
