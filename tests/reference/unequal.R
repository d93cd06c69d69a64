# Writes unequal.json: tests of crossed factors in which each cell has a spread of its own.
# * welch_james: Johansen's statistic by the matrices of Biometrika 67 (1980) 85-92, all hypotheses type III; its Wald
#   statistic is also that of car::Anova(white.adjust = "hc2"), which is written beside it.
# * box: F and df of a design with groups and repeated measures, by the whole matrices of Brunner, Dette and Munk (1997):
#   F = m'Tm / tr(TV), f1 = tr(TV)^2 / tr(TVTV), f2 = tr(TV)^2 / sum_j tr((TV_j)^2) / (n_j - 1), V_j the block of group j.
# * welch: t.test of the two groups' differences, whose square is the interaction of two groups and two measures.
# The designs are in it. From the project's root: Rscript tests/reference/unequal.R
# Programs: R 4.2.2, car 3.1-1.
suppressMessages({ library(car); library(jsonlite) })
options(contrasts = c("contr.sum", "contr.poly"))
set.seed(20261126)
frame_of <- function(n, sd) {
  cells <- expand.grid(b = seq_len(ncol(n)), a = seq_len(nrow(n)))
  do.call(rbind, lapply(seq_len(nrow(cells)), function(i) {
    a <- cells$a[i]; b <- cells$b[i]
    data.frame(a = paste0("a", a), b = paste0("b", b), y = round(rnorm(n[a, b], 3 + .5 * a - .2 * b, sd[a, b]), 3))
  }))
}
helmert <- function(k) { H <- t(contr.helmert(k)); H / sqrt(rowSums(H^2)) }
mean_row <- function(k) matrix(1 / sqrt(k), 1, k)
johansen <- function(L, m, v, n) {
  S <- diag(v / n); M <- solve(L %*% S %*% t(L)); q <- nrow(L)
  P <- S %*% t(L) %*% M %*% L
  A <- sum(sapply(seq_along(n), function(j) {
    E <- matrix(0, length(n), length(n)); E[j, j] <- 1
    PE <- P %*% E; (sum(diag(PE %*% PE)) + sum(diag(PE))^2) / (n[j] - 1) })) / 2
  wald <- as.numeric(t(L %*% m) %*% M %*% (L %*% m))
  f <- wald / (q + 2 * A - 6 * A / (q + 2)); df2 <- q * (q + 2) / (3 * A)
  list(wald = wald / q, f = f, df1 = q, df2 = df2, p = pf(f, q, df2, lower.tail = FALSE))
}
crossed <- function(n, sd) {
  d <- frame_of(n, sd); d$a <- factor(d$a); d$b <- factor(d$b)
  key <- interaction(d$b, d$a, sep = " ", lex.order = FALSE)  # b changes fastest
  key <- factor(key, levels = as.vector(outer(levels(d$b), levels(d$a), paste)))
  m <- tapply(d$y, key, mean); v <- tapply(d$y, key, var); size <- tapply(d$y, key, length)
  ka <- nlevels(d$a); kb <- nlevels(d$b)
  rows <- list(a = helmert(ka) %x% mean_row(kb), b = mean_row(ka) %x% helmert(kb), "a:b" = helmert(ka) %x% helmert(kb))
  hc2 <- Anova(lm(y ~ a * b, d), type = 3, white.adjust = "hc2")
  list(rows = d, tests = lapply(rows, johansen, m = m, v = v, n = size),
       hc2 = as.list(setNames(hc2[c("a", "b", "a:b"), "F"], c("a", "b", "a:b"))))
}
repeated <- function(sizes, sd, p) {
  wide <- do.call(rbind, lapply(seq_along(sizes), function(g) {
    shared <- rnorm(sizes[g])
    data.frame(group = paste0("g", g), round(sd[g] * sapply(seq_len(p), function(k) shared + rnorm(sizes[g]) + .3 * k), 3))
  }))
  Y <- as.matrix(wide[, -1]); groups <- split(seq_len(nrow(wide)), wide$group); G <- length(groups)
  m <- as.vector(sapply(groups, function(i) colMeans(Y[i, ])))
  blocks <- lapply(seq_len(G), function(g) {
    V <- matrix(0, G * p, G * p); at <- (g - 1) * p + seq_len(p); V[at, at] <- cov(Y[groups[[g]], ]) / sizes[g]; V })
  V <- Reduce(`+`, blocks); trace <- function(x) sum(diag(x))
  box <- function(H) {
    T <- t(H) %*% solve(H %*% t(H)) %*% H
    top <- trace(T %*% V)^2
    f1 <- top / trace(T %*% V %*% T %*% V)
    f2 <- top / sum(mapply(function(B, n) trace(T %*% B %*% T %*% B) / (n - 1), blocks, sizes))
    f <- as.numeric(t(m) %*% T %*% m) / trace(T %*% V)
    list(f = f, df1 = f1, df2 = f2, p = pf(f, f1, f2, lower.tail = FALSE)) }
  out <- list(rows = wide, tests = list(measure = box(mean_row(G) %x% helmert(p)), "group:measure" = box(helmert(G) %x% helmert(p))))
  if (G == 2 && p == 2) {
    w <- t.test(I(X1 - X2) ~ group, wide); g <- t.test(I((X1 + X2) / 2) ~ group, wide)
    out$welch <- list(interaction = list(t = unname(w$statistic), df = unname(w$parameter), p = w$p.value),
                      group = list(t = unname(g$statistic), df = unname(g$parameter), p = g$p.value))
  }
  out
}
content <- list(
  R = R.version.string, car = as.character(packageVersion("car")),
  crossed = list(
    two = crossed(matrix(c(8, 30, 8, 30), 2), matrix(c(3, 1, 3, 1), 2)),
    three = crossed(matrix(c(5, 20, 10, 9, 18, 6), 2), matrix(c(3, 1, 2, 2, 1, 3), 2)),
    four = crossed(matrix(c(4, 6, 8, 5, 7, 9, 6, 4, 5, 8, 9, 7), 3), matrix(c(1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4), 3))),
  repeated = list(two = repeated(c(6, 15), c(3, 1), 2), three = repeated(c(7, 20), c(3, 1), 3),
                  more = repeated(c(5, 8, 20), c(4, 2, 1), 4)))
writeLines(toJSON(content, auto_unbox = TRUE, digits = NA), "tests/reference/unequal.json")
