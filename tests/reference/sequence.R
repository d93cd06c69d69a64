# Writes sequence.json: adjusted residuals of transition tables, and G² that two groups share their transitions.
# Run from the project's root: Rscript tests/reference/sequence.R (R 4.2.2, MASS, jsonlite). Acts are drawn here.
# Programs: R 4.2.2, MASS 7.3-58.2.
suppressPackageStartupMessages({ library(jsonlite); library(MASS) })
set.seed(9)
cases <- lapply(1:6, function(i) {
  k <- 3 + i %% 3; games <- 8 + i; lag <- 1 + i %% 2
  size <- sample(4:12, games, TRUE)
  talk <- data.frame(game_id = rep(seq_len(games), size), message = unlist(lapply(size, seq_len)),
    act = sample(letters[1:k], sum(size), TRUE, runif(k, .5, 2)))
  talk$agent <- ifelse(talk$game_id %% 2 == 0, "even", "odd")
  pairs <- do.call(rbind, lapply(split(talk, talk$game_id), function(g) data.frame(from = head(g$act, -lag),
    to = tail(g$act, -lag), agent = g$agent[1])))
  all <- factor(letters[1:k])
  table <- table(factor(pairs$from, levels(all)), factor(pairs$to, levels(all)))
  three <- table(factor(pairs$from, levels(all)), factor(pairs$to, levels(all)), pairs$agent)
  list(talk = as.list(talk), lag = lag, counts = unclass(t(table)) |> c(), z = c(t(suppressWarnings(chisq.test(table))$stdres)),
    g2 = loglm(~ 1 * 2 + 1 * 3, three)$lrt)
})
writeLines(toJSON(cases, auto_unbox = TRUE, digits = NA), "tests/reference/sequence.json")
