# Writes kauermann_carroll.json: the sandwich with (I - H)^(-1/2), from its definition, at the fit of geepack.
# Run from the project's root: Rscript tests/reference/kauermann_carroll.R (R 4.2.2, geepack, jsonlite). Data are drawn here.
# Programs: R 4.2.2, geepack 1.3.9.
suppressPackageStartupMessages({ library(jsonlite); library(geepack) })
set.seed(41)
cases <- lapply(1:5, function(i) {
  clusters <- 7 + 2 * i; size <- sample(1:5, clusters, TRUE); id <- rep(seq_len(clusters), size)
  x <- round(rnorm(length(id)), 2); t <- as.numeric(id %% 2)
  y <- as.numeric(.5 * x + rnorm(clusters)[id] + rlogis(length(id)) > 0)
  fit <- geeglm(y ~ x + t, id = id, family = binomial, corstr = "exchangeable")
  a <- unname(fit$geese$alpha); X <- model.matrix(fit); m <- unname(fitted(fit))
  one <- lapply(split(seq_along(id), id), function(r) {
    s <- diag(sqrt(m[r] * (1 - m[r])), length(r)); k <- length(r)
    list(D = X[r, , drop = FALSE] * (m[r] * (1 - m[r])), V = s %*% ((1 - a) * diag(k) + a) %*% s, e = y[r] - m[r])
  })
  B <- solve(Reduce(`+`, lapply(one, function(p) t(p$D) %*% solve(p$V) %*% p$D)))
  meat <- Reduce(`+`, lapply(one, function(p) {
    E <- eigen(diag(length(p$e)) - p$D %*% B %*% t(p$D) %*% solve(p$V))
    root <- Re(E$vectors %*% diag(1 / sqrt(E$values), length(p$e)) %*% solve(E$vectors))
    u <- t(p$D) %*% solve(p$V) %*% root %*% p$e
    u %*% t(u)
  }))
  list(id = id, x = x, t = t, y = y, b = unname(coef(fit)), alpha = a, kc = c(B %*% meat %*% B))
})
writeLines(toJSON(cases, auto_unbox = TRUE, digits = NA), "tests/reference/kauermann_carroll.json")
