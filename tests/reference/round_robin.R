# Writes round_robin.json: variance partitions of round-robin groups of one size and of several, by TripleR.
# Run from the project's root: Rscript tests/reference/round_robin.R (R 4.2.2, TripleR 1.5.4, jsonlite). Data are drawn
# here. TripleR leaves out what follows from a negative variance, which is null then, and halves the p of a single
# group's relationship covariance.
# Programs: R 4.2.2, TripleR 1.5.4.
suppressPackageStartupMessages({ library(jsonlite); library(TripleR) })
set.seed(27)
one <- function(n, g) {
  a <- rnorm(n); b <- .5 * a + rnorm(n, 0, .7); z <- matrix(rnorm(n * n), n); e <- .8 * z + .5 * t(z)
  long <- expand.grid(actor = paste0("g", g, "p", seq_len(n)), partner = paste0("g", g, "p", seq_len(n)), stringsAsFactors = FALSE)
  long$y <- round(10 + c(outer(a, b, "+") + e), 2)
  long$group <- g
  subset(long, actor != partner)
}
table_of <- function(r) {
  v <- r$varComp[-4, ]
  list(estimate = v$estimate, share = v$standardized, se = v$se, t = v$t.value, p = v$p.value)
}
cases <- lapply(list(4, 5, 7, 12, c(6, 6, 6), c(4, 5, 9), c(4, 4, 5, 6, 10, 7), rep(5, 8)), function(sizes) {
  data <- do.call(rbind, Map(one, sizes, seq_along(sizes)))
  out <- list(data = as.list(data), sizes = sizes)
  if (length(sizes) == 1) {
    r <- suppressWarnings(RR(y ~ actor * partner, data = data, verbose = FALSE))
    e <- r$effects[order(as.character(r$effects$id)), ]
    out$lashley_bond <- table_of(r)
    out$effects <- list(id = as.character(e$id), actor = c(e[[2]]), partner = c(e[[3]]))
    out$reliability <- c(attr(r$effects[[2]], "reliability"), attr(r$effects[[3]], "reliability"))
  } else {
    out$lashley_bond <- table_of(suppressWarnings(RR(y ~ actor * partner | group, data = data, verbose = FALSE)))
    out$groups <- table_of(suppressWarnings(RR(y ~ actor * partner | group, data = data, verbose = FALSE, se = "SOREMO")))
  }
  out
})
writeLines(toJSON(cases, auto_unbox = TRUE, digits = NA, na = "null"), "tests/reference/round_robin.json")
