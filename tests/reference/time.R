# Writes time.json: survival, log-rank, restricted means, cumulative incidence, Gray's test, Cox models.
# Run from the project's root: Rscript tests/reference/time.R (R 4.2.2, survival 3.5-3, cmprsk 2.2-11, jsonlite).
# Data are drawn here and written beside the results. Ends: 0 censored, 1 the event, 2 another end.
# Programs: R 4.2.2, cmprsk 2.2-11, survival 3.5-3.
suppressPackageStartupMessages({ library(jsonlite); library(survival); library(cmprsk) })
full <- function(x) {
  if (is.list(x)) return(lapply(x, full))
  if (!is.numeric(x)) return(x)
  text <- ifelse(is.finite(x), sprintf("%.17g", x), sprintf("\"%s\"", x))
  text <- if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
  structure(text, class = "json")
}
draw <- function(seed, n, groups, clusters, round) {
  set.seed(seed)
  id <- rep(seq_len(clusters), length.out = n)
  g <- sample(letters[seq_len(groups)], n, TRUE)
  s <- sample(c("u", "v", "w"), n, TRUE)
  x <- round(rnorm(n), 2)
  shared <- rnorm(clusters)[id]
  t <- pmin(rexp(n, exp(.4 * (g == "b") + .5 * x + .6 * shared) / 10), 25)
  e <- ifelse(t >= 25, 0, sample(0:2, n, TRUE, c(.2, .5, .3)))
  list(t = if (round) ceiling(t) else round(t, 4), e = e, g = g, s = s, x = x, id = id)
}
data <- list(
  small = list(t = c(3, 5, 5, 6, 8, 9, 11, 12, 12, 14, 15, 16, 18, 20, 20, 22, 24, 25, 26, 28),
    e = c(1, 1, 2, 1, 0, 2, 1, 1, 2, 0, 1, 2, 1, 1, 0, 2, 1, 0, 1, 0), g = rep(c("a", "b"), 10),
    s = rep(c("u", "v", "v", "u", "w"), 4), x = (0:19) %% 7, id = rep(1:10, each = 2)),
  two = draw(1, 60, 2, 20, TRUE), three = draw(2, 90, 3, 30, TRUE), fine = draw(3, 80, 2, 25, FALSE),
  four = draw(4, 150, 4, 40, TRUE), few = draw(5, 40, 3, 8, TRUE))

curves <- list(); ranks <- list(); incidences <- list(); grays <- list(); coxes <- list()
for (name in names(data)) {
  d <- as.data.frame(data[[name]])
  # Kaplan and Meier: other ends censored
  for (clustered in c(FALSE, TRUE)) for (level in c(.95, .8)) {
    fit <- if (clustered) survfit(Surv(t, e == 1) ~ g, d, cluster = id, conf.type = "log-log", conf.int = level)
      else survfit(Surv(t, e == 1) ~ g, d, conf.type = "log-log", conf.int = level)
    q <- quantile(fit, .5); u <- quantile(fit, .25)
    rm <- survival:::survmean(fit, rmean = 9)$matrix
    curves[[length(curves) + 1]] <- list(data = name, clustered = clustered, level = level, time = fit$time, share = fit$surv,
      se = if (fit$logse) fit$std.err * fit$surv else fit$std.err, low = fit$lower, high = fit$upper, strata = unname(fit$strata),
      median = c(q$quantile), median_low = c(q$lower), median_high = c(q$upper),
      quarter = c(u$quantile), quarter_low = c(u$lower), quarter_high = c(u$upper),
      rmean = unname(rm[, "rmean"]), rmean_se = unname(rm[, "se(rmean)"]))
  }
  for (rho in c(0, 1, .5)) for (strata in c(FALSE, TRUE)) {
    f <- if (strata) Surv(t, e == 1) ~ g + strata(s) else Surv(t, e == 1) ~ g
    l <- survdiff(f, d, rho = rho)
    o <- if (strata) rowSums(l$obs) else l$obs; ex <- if (strata) rowSums(l$exp) else l$exp
    ranks[[length(ranks) + 1]] <- list(data = name, rho = rho, strata = strata, chisq = l$chisq, observed = unname(o),
      expected = unname(ex), var = c(l$var), df = length(o) - 1)
    k <- if (strata) with(d, cuminc(t, e, g, s, rho)) else with(d, cuminc(t, e, g, rho = rho))
    grays[[length(grays) + 1]] <- list(data = name, rho = rho, strata = strata, chisq = unname(k$Tests[, "stat"]),
      p = unname(k$Tests[, "pv"]))
  }
  for (strata in c(FALSE, TRUE)) {
    f <- if (strata) Surv(t, e == 1) ~ g + strata(s) else Surv(t, e == 1) ~ g
    c0 <- suppressWarnings(coxph(f, d, ties = "breslow", cluster = id))
    ranks[[length(ranks) + 1]] <- list(data = name, rho = 0, strata = strata, clustered = TRUE, chisq = c0$rscore)
  }
  # Aalen and Johansen
  # With clusters R's own influence of each row is summed by cluster (survfit 3.5-3 takes no notice of cluster= here).
  a <- survfit(Surv(t, factor(e, 0:2)) ~ g, d)
  se <- do.call(rbind, lapply(sort(unique(d$g)), function(level) {
    own <- d[d$g == level, ]
    own$row <- seq_len(nrow(own))
    moved <- survfit(Surv(t, factor(e, 0:2)) ~ 1, own, id = row, influence = TRUE)$influence.pstate
    if (is.list(moved)) moved <- moved[[1]]
    total <- apply(moved, c(2, 3), function(v) sqrt(sum(tapply(v, own$id, sum)^2)))
    total[(nrow(total) - length(unique(own$t)) + 1):nrow(total), ]
  }))
  incidences[[length(incidences) + 1]] <- list(data = name, clustered = FALSE, time = a$time, strata = unname(a$strata),
    first = a$pstate[, 2], second = a$pstate[, 3], first_se = a$std.err[, 2], second_se = a$std.err[, 3])
  incidences[[length(incidences) + 1]] <- list(data = name, clustered = TRUE, time = a$time, strata = unname(a$strata),
    first = a$pstate[, 2], second = a$pstate[, 3], first_se = se[, 2], second_se = se[, 3])
  for (f in c("g", "x", "g + x", "g * x")) for (version in c("plain", "strata", "cluster")) {
    formula <- as.formula(paste("Surv(t, e == 1) ~", f, if (version == "strata") "+ strata(s)" else ""))
    ctl <- coxph.control(eps = 1e-14, iter.max = 100)
    m <- tryCatch(if (version == "cluster") coxph(formula, d, ties = "efron", cluster = id, control = ctl)
      else coxph(formula, d, ties = "efron", control = ctl), warning = function(w) NULL)
    if (is.null(m)) next
    z <- lapply(if (version == "cluster") c() else c("km", "rank", "identity", "log"), function(tr) {
      zz <- cox.zph(m, transform = tr, terms = FALSE)$table
      list(transform = tr, chisq = unname(zz[, "chisq"]), p = unname(zz[, "p"]))
    })
    coxes[[length(coxes) + 1]] <- list(data = name, formula = f, version = version, b = unname(coef(m)),
      se = unname(sqrt(diag(as.matrix(vcov(m))))), loglik = m$loglik, wald = unname(m$wald.test), zph = z)
  }
}
writeLines(toJSON(full(list(data = data, curves = curves, ranks = ranks, incidences = incidences, grays = grays,
  cox = coxes)), auto_unbox = TRUE, json_verbatim = TRUE, digits = NA), "tests/reference/time.json")
