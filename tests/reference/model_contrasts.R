# Writes model_contrasts.json: means and contrasts of mixed models (Kenward and Roger), where a moderated slope differs
# from 0, and the two regressions of a mediation.
# Run from the project's root: Rscript tests/reference/model_contrasts.R (R 4.2.2, lme4, pbkrtest, emmeans, sandwich,
# jsonlite). Data are drawn here and written beside the results.
# Programs: R 4.2.2, emmeans 1.8.4-1, lme4 1.1-31, pbkrtest 0.5.2, sandwich 3.0-2.
suppressPackageStartupMessages({ library(jsonlite); library(lme4); library(pbkrtest); library(emmeans); library(sandwich) })
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
save <- function(x, file) writeLines(toJSON(full(x), auto_unbox = TRUE, json_verbatim = TRUE, pretty = TRUE), file)
set.seed(21)
emm_options(lmer.df = "kenward-roger")
n <- 70; id <- sort(sample(18, n, TRUE)); u <- rnorm(18, 0, 1.2)
d <- data.frame(id = id, g = sample(c("a", "b", "c"), n, TRUE), h = sample(c("p", "q"), n, TRUE), x = round(rnorm(n, 5), 2), m = round(runif(n, 0, 6), 2))
d$y <- round(u[id] + .5 * d$x + (d$g == "b") + rnorm(n), 2)
d$w <- round(.3 * d$x + .2 * d$m + .4 * d$x * (d$m - 3) + rnorm(n, 0, 1.5), 2)
mixed <- lapply(c("g * h", "g + x", "g * h + x"), function(rhs) {
  f <- lmer(as.formula(paste("y ~", rhs, "+ (1 | id)")), d, control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-13)))
  e <- emmeans(f, "g"); m <- as.data.frame(e); q <- as.data.frame(pairs(e))
  out <- list(rhs = rhs, mean = m$emmean, se = m$SE, df = m$df, difference = q$estimate, pair_se = q$SE, pair_df = q$df, p = q$p.value)
  if (grepl("h", rhs)) {
    # emmeans has df of its own for joint tests; these are Kenward and Roger's
    e <- contrast(emmeans(f, ~ g | h), "consec"); by <- e@grid$h
    j <- lapply(c("p", "q"), function(l) KRmodcomp(f, e@linfct[by == l, ])$stats)
    out$joint <- list(f = sapply(j, function(s) s$Fstat), df2 = sapply(j, function(s) s$ddf)) }
  out })
regions <- lapply(c("ordinary", "HC3"), function(kind) {
  f <- lm(w ~ x * m, d); V <- if (kind == "HC3") vcovHC(f, "HC3") else vcov(f); b <- coef(f); q <- qt(.975, f$df.residual)
  lost <- function(v) (b["x"] + b["x:m"] * v)^2 - q^2 * (V["x", "x"] + 2 * v * V["x", "x:m"] + v^2 * V["x:m", "x:m"])
  top <- -(b["x"]) / b["x:m"]
  list(kind = kind, low = unname(uniroot(lost, c(top - 50, top), tol = 1e-13)$root), high = unname(uniroot(lost, c(top, top + 50), tol = 1e-13)$root)) })
one <- summary(lm(m ~ x + y, d))$coefficients["x", ]; two <- summary(lm(w ~ m + x + y, d))$coefficients
mediation <- list(a = one[[1]], a_se = one[[2]], b = two["m", 1], b_se = two["m", 2], direct = two["x", 1], total = coef(lm(w ~ x + y, d))[["x"]])
save(list(frame = as.list(d), mixed = mixed, regions = regions, mediation = mediation), "tests/reference/model_contrasts.json")
