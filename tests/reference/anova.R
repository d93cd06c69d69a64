# Writes anova.json: factorial designs with unequal cells and what R makes of them.
# Run from the project's root: Rscript tests/reference/anova.R
# Data are drawn here and rounded to two decimals, so that the file holds all that a test needs.
# Programs: R 4.2.2, car 3.1-1, effectsize 0.8.3, emmeans 1.8.4-1.

suppressMessages({
  library(car); library(emmeans); library(effectsize); library(jsonlite)
})
options(contrasts = c("contr.sum", "contr.poly"))
emm_options(msg.interaction = FALSE, msg.nesting = FALSE)

draw <- function(seed, levels, n, sd = 1) {
  # One row an observation; cell sizes are drawn from n, effects are random, so no term is null.
  set.seed(seed)
  cells <- do.call(expand.grid, c(rev(lapply(levels, seq_len)), KEEP.OUT.ATTRS = FALSE))[, rev(seq_along(levels)), drop = FALSE]
  size <- n[sample.int(length(n), nrow(cells), replace = TRUE)]
  mean <- rnorm(nrow(cells), 5, sd)
  rows <- cells[rep(seq_len(nrow(cells)), size), , drop = FALSE]
  names(rows) <- names(levels)
  for (f in names(levels)) rows[[f]] <- factor(paste0(f, rows[[f]]), levels = paste0(f, seq_len(levels[[f]])))
  rows$y <- round(rnorm(nrow(rows), rep(mean, size), rep(runif(nrow(cells), 0.8, 2), size)), 2)
  rownames(rows) <- NULL
  rows
}

table_of <- function(a, terms) {
  # Sum of squares, df, F and p of each term, and the residual.
  a <- as.data.frame(a)
  ss <- a[[grep("Sum Sq", names(a))]]; df <- a[["Df"]]
  f <- a[[grep("^F", names(a))]]; p <- a[["Pr(>F)"]]
  at <- match(terms, rownames(a)); rest <- match("Residuals", rownames(a))
  list(terms = terms, ss = ss[at], df = df[at], f = f[at], p = p[at], ss_error = ss[rest], df_error = df[rest])
}

eta_interval <- function(f, df, df_error, level) {
  # Noncentral F, solved as far as R's pf goes (effectsize's own optimizer stops early: the second or third digit).
  solve_at <- function(area) {
    g <- function(ncp) pf(f, df, df_error, ncp) - area
    if (g(0) <= 0) 0 else uniroot(g, c(0, 50 + 10 * f * df), tol = 1e-13)$root
  }
  ncp <- c(solve_at((1 + level) / 2), solve_at((1 - level) / 2))
  ncp / (ncp + df_error)
}

effects_of <- function(model, type) {
  a <- if (type == 1) anova(model) else Anova(model, type = type)
  t <- table_of(a, attr(terms(model), "term.labels"))
  a <- suppressMessages(a)
  pick <- function(x, name) x[[name]][match(t$terms, x$Parameter)]
  t$partial_eta_squared <- pick(eta_squared(a, partial = TRUE, ci = NULL, verbose = FALSE), "Eta2_partial")
  t$eta_squared <- pick(eta_squared(a, partial = FALSE, ci = NULL, verbose = FALSE), "Eta2")
  t$omega_squared <- pick(omega_squared(a, partial = FALSE, ci = NULL, verbose = FALSE), "Omega2")
  t$partial_omega_squared <- pick(omega_squared(a, partial = TRUE, ci = NULL, verbose = FALSE), "Omega2_partial")
  for (level in c(90, 95)) {
    ends <- mapply(eta_interval, t$f, t$df, t$df_error, level / 100)
    t[[paste0("low_", level)]] <- ends[1, ]; t[[paste0("high_", level)]] <- ends[2, ]
  }
  t
}

margins_of <- function(model, of, weights) {
  e <- summary(emmeans(model, of, weights = weights), level = 0.9)
  list(of = of, weights = weights, levels = unname(lapply(seq_len(nrow(e)), function(i) as.character(unlist(e[i, of])))),
       mean = e$emmean, se = e$SE, df = e$df, low = e$lower.CL, high = e$upper.CL)
}

tests_of <- function(object, adjust, level = 0.95) {
  s <- as.data.frame(summary(object, infer = c(TRUE, TRUE), adjust = adjust, level = level))
  text <- s[, seq_len(match("estimate", names(s)) - 1), drop = FALSE]
  list(name = apply(text, 1, paste, collapse = " / "), adjust = adjust, estimate = s$estimate, se = s$SE, df = s$df, t = s$t.ratio, p_adjusted = s$p.value,
       low = s$lower.CL, high = s$upper.CL)
}

joint_of <- function(model, of, at) {
  j <- as.data.frame(joint_tests(model, by = at))
  j <- j[j[["model term"]] == of, ]
  # joint_tests rounds F to three decimals, so it is formed from the contrasts themselves.
  e <- emmeans(model, of, by = at)
  t <- test(contrast(e, "consec"), joint = TRUE, by = at)
  stopifnot(all(abs(round(t$F.ratio, 3) - j$F.ratio) < 2e-3))
  v <- lapply(split(seq_len(nrow(e@linfct)), e@grid[[at]]), function(rows) {
    l <- diff(e@linfct[rows, , drop = FALSE]); b <- l %*% e@bhat
    drop(t(b) %*% solve(l %*% e@V %*% t(l), b)) / nrow(l)
  })
  f <- unlist(v, use.names = FALSE)
  list(of = of, at = at, f = f, df = t$df1, df_error = t$df2, p = pf(f, t$df1, t$df2, lower.tail = FALSE))
}

adjustments <- c("none", "tukey", "scheffe", "bonferroni", "sidak", "holm", "BH")

study <- function(name, data) {
  factors <- setdiff(names(data), "y")
  model <- lm(as.formula(paste("y ~", paste(factors, collapse = " * "))), data)
  a <- factors[1]; last <- factors[length(factors)]
  most <- factors[which.max(sapply(data[factors], nlevels))]
  k <- nlevels(data[[most]])
  e <- emmeans(model, most)
  out <- list(name = name, factors = factors, rows = as.list(data))
  out$rows[factors] <- lapply(data[factors], as.character)
  out$types <- lapply(1:3, function(type) effects_of(model, type))
  out$margins <- c(
    lapply(c("equal", "proportional", "cells"), function(w) margins_of(model, most, w)),
    if (length(factors) > 1) list(margins_of(model, c(last, a), "equal"))
  )
  out$most <- most
  out$pairwise <- lapply(adjustments, function(adj) tests_of(pairs(e), adj))
  scores <- c(1, 2, 4, 7)[seq_len(k)]
  poly <- contr.poly(k, scores = scores)
  out$polynomial <- c(list(scores = scores), tests_of(contrast(e, as.list(as.data.frame(poly))), "none"))
  weights <- c(1, -0.25, -0.75, 0)[seq_len(k)]
  out$custom <- c(list(weights = weights), tests_of(contrast(e, list(weights)), "none"))
  if (length(factors) > 1) {
    other <- setdiff(factors, most)[1]
    cells <- emmeans(model, c(most, other))
    out$interaction <- c(list(of = c(most, other)), tests_of(contrast(cells, interaction = "pairwise"), "holm"))
    out$simple <- joint_of(model, most, other)
    within <- emmeans(model, most, by = other)
    out$pairwise_at <- c(list(at = other), tests_of(pairs(within), "tukey"))
    # Own error: the same design on the rows of one level alone.
    level <- levels(data[[other]])[1]
    rest <- setdiff(factors, other)
    own <- lm(as.formula(paste("y ~", paste(rest, collapse = " * "))), droplevels(data[data[[other]] == level, ]))
    out$own <- c(list(at = other, level = level, f = Anova(own, type = 3)[most, "F value"]),
                 tests_of(pairs(emmeans(own, most)), "none"))
  }
  out
}

games_howell <- function(name, data, f) {
  # Welch's t of each pair (t.test) against the studentized range (ptukey).
  levels <- levels(data[[f]]); pairs <- combn(levels, 2)
  tests <- apply(pairs, 2, function(pair) t.test(data$y[data[[f]] == pair[1]], data$y[data[[f]] == pair[2]]))
  t <- sapply(tests, function(x) unname(x$statistic)); df <- sapply(tests, function(x) unname(x$parameter))
  se <- sapply(tests, function(x) unname(x$stderr))
  reach <- qtukey(0.95, length(levels), df) / sqrt(2) * se
  list(name = name, of = f, t = t, df = df, se = se, p = sapply(tests, function(x) x$p.value),
       p_adjusted = ptukey(sqrt(2) * abs(t), length(levels), df, lower.tail = FALSE),
       low = t * se - reach, high = t * se + reach)
}

nested <- function(name, data) {
  # Empty cells: type I by anova(); type II as the models with and without each term, df by rank.
  factors <- setdiff(names(data), "y")
  model <- lm(as.formula(paste("y ~", paste(factors, collapse = " * "))), data)
  terms <- attr(terms(model), "term.labels"); sets <- strsplit(terms, ":")
  ssr <- function(kept) {
    m <- lm(as.formula(paste("y ~", paste(c("1", kept), collapse = " + "))), data)
    c(deviance(m), df.residual(m))
  }
  second <- lapply(seq_along(terms), function(i) {
    others <- terms[!sapply(sets, function(s) all(sets[[i]] %in% s))]
    ssr(others) - ssr(c(others, terms[i]))
  })
  ss <- sapply(second, `[`, 1); df <- sapply(second, `[`, 2)
  f <- (ss / df) / (deviance(model) / df.residual(model))
  rows <- as.list(data); rows[factors] <- lapply(data[factors], as.character)
  list(name = name, factors = factors, rows = rows, type_1 = table_of(anova(model), terms),
       type_2 = list(terms = terms, ss = ss, df = df, f = f,
                     p = pf(f, df, df.residual(model), lower.tail = FALSE),
                     ss_error = deviance(model), df_error = df.residual(model)))
}

one <- draw(11, list(a = 4), 3:9)
two <- draw(12, list(a = 2, b = 3), 2:9)
three <- draw(13, list(a = 2, b = 3, c = 2), 2:7)
four <- draw(14, list(a = 2, b = 3, c = 2, d = 2), 1:6)
wide <- draw(15, list(a = 4, b = 3), 1:12)
even <- draw(16, list(a = 3, b = 2), 5)

gaps <- draw(17, list(a = 3, b = 3), 2:6)
gaps <- gaps[!(gaps$a == "a2" & gaps$b == "b3"), ]
holes <- draw(18, list(a = 2, b = 3, c = 3), 1:4)
holes <- holes[!(holes$a == "a1" & holes$b == "b2") & !(holes$b == "b3" & holes$c == "c1"), ]

out <- list(
  versions = sapply(c("car", "emmeans", "effectsize"), function(p) as.character(packageVersion(p))),
  r = as.character(getRversion()),
  designs = list(study("one", one), study("two", two), study("three", three), study("four", four),
                 study("wide", wide), study("even", even)),
  games_howell = list(games_howell("one", one, "a"), games_howell("wide", subset(wide, ave(y, a, FUN = length) > 1), "a")),
  empty = list(nested("gaps", gaps), nested("holes", holes))
)
write_json(out, "tests/reference/anova.json", digits = NA, auto_unbox = TRUE)
