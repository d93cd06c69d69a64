# Rscript judge.R: judges each labelled result by its numbers alone and writes judged.json beside passages.jsonl.
# A printed number stands for all that round to it. With what the label says is declared (one tail, a correction), the
# judgement is one of: consistent, corrected, one tail only, inconsistent, decision error, impossible, not checkable.
# What is declared may also be "bonferroni" (a whole number of tests must give p; "bonferroni one tail" of p of one
# tail), "sphericity" (an epsilon must), "map"
# (p of a voxel, peak or cluster), "resampled" (p of a permutation, an exact test or several data sets), "lost" (the exponent
# of p is) or "count" (the number in brackets behind r is that of the pairs, as other r of the article show).
library(jsonlite)

half_unit <- function(text) {
  text <- sub("^[-+]", "", text)
  parts <- strsplit(text, "e")[[1]]
  decimals <- if (grepl(".", parts[1], fixed = TRUE)) nchar(sub("^[^.]*[.]", "", parts[1])) else 0
  exponent <- if (length(parts) > 1) as.numeric(parts[2]) else 0
  0.5 * 10^(exponent - decimals)
}

two_tailed <- function(kind, value, df) {
  switch(kind,
    t = 2 * pt(-abs(value), df[1]),
    z = 2 * pnorm(-abs(value)),
    r = , rho = { # t approximation
      value <- min(abs(value), 1)
      if (value == 1) 0 else 2 * pt(-value * sqrt(df[1] / (1 - value^2)), df[1])
    },
    f = pf(max(value, 0), df[1], df[2], lower.tail = FALSE),
    chi2 = , g2 = , q = , h = pchisq(max(value, 0), df[1], lower.tail = FALSE))
}

fits <- function(result, low, high) {
  relation <- result$p_relation
  if (relation == "ns") return(high > 0.05)
  p <- as.numeric(result$p)
  if (relation == "=") {
    half <- half_unit(result$p)
    return(p - half <= high * (1 + 1e-9) && p + half >= low * (1 - 1e-9))
  }
  if (relation %in% c("<", "≤")) return(low < p || (relation == "≤" && low <= p))
  high > p || (relation == "≥" && high >= p)
}

# p of F whose df are both multiplied by some epsilon, or whose second one is: Greenhouse and Geisser's correction.
spherical <- function(result, value, half, df) {
  p <- as.numeric(result$p)
  whole <- ceiling(df[1])
  for (first in seq(min(1, df[1]), whole, length.out = 2001)) {
    for (second in unique(c(df[2] * first / df[1], df[2] * first / whole))) {
      ends <- pf(c(value + half, max(value - half, 0)), first, second, lower.tail = FALSE)
      if (p - half_unit(result$p) <= max(ends) && p + half_unit(result$p) >= min(ends)) return(TRUE)
    }
  }
  FALSE
}

judge <- function(result) {
  if (identical(result$declared, "lost")) return("not checkable")
  kind <- result$kind
  df <- as.numeric(unlist(result$df))
  if (length(df) == 0 && kind %in% c("r", "rho") && !is.null(result$n)) df <- result$n - 2
  if (identical(result$declared, "count")) df <- df - 2
  if (kind == "u" || (kind != "z" && length(df) == 0)) return("not checkable")
  if (!is.null(result$p) && result$p_relation == "<" && as.numeric(result$p) == 0) return("impossible")
  value <- as.numeric(result$value)
  half <- half_unit(result$value)
  size <- abs(value)
  low <- two_tailed(kind, size + half, df)
  high <- two_tailed(kind, max(size - half, 0), df)
  if (result$relation == "<") high <- 1
  if (result$relation == ">") low <- 0
  if (fits(result, low, high)) return("consistent")
  declared <- if (is.null(result$declared)) "" else result$declared
  tails <- kind %in% c("t", "z", "r", "rho") || (kind == "f" && df[1] == 1) || (kind %in% c("chi2", "g2") && df[1] == 1)
  one <- tails && (fits(result, low / 2, high / 2) || fits(result, 1 - high / 2, 1 - low / 2))
  if (one && declared == "one tail") return("consistent")
  p <- if (is.null(result$p)) NA else as.numeric(result$p)
  if (declared %in% c("map", "resampled")) return("not checkable")
  if (declared == "sphericity" && spherical(result, size, half, df)) return("corrected")
  if (declared == "bonferroni one tail") {
    ends <- sort(c(pt(c(value - half, value + half), df[1], lower.tail = FALSE)))
    if (kind == "r") ends <- sort(pt(c(value - half, value + half) * sqrt(df[1] / (1 - c(value - half, value + half)^2)), df[1], lower.tail = FALSE))
    tail <- if (value < 0 && !is.na(p) && p < 0.5) 1 - rev(ends) else ends
    times <- 2:200
    lows <- pmin(times * tail[1], 1); highs <- pmin(times * tail[2], 1)
    if (result$p_relation == ">" && any(highs > p)) return("corrected")
    if (result$p_relation == "=" && any(p + half_unit(result$p) >= lows & p - half_unit(result$p) <= highs)) return("corrected")
  }
  if (declared == "bonferroni" && any(p + half_unit(result$p) >= 1:200 * low & p - half_unit(result$p) <= 1:200 * high)) return("corrected")
  if (declared == "correction" && result$p_relation %in% c("=", ">") && p + half_unit(result$p) >= low) return("corrected")
  says <- if (is.na(p)) FALSE else if (result$p_relation %in% c("=", "<", "≤")) p <= 0.05 else FALSE
  says_not <- if (is.na(p)) TRUE else (result$p_relation == "=" && p > 0.05) || (result$p_relation == ">" && p >= 0.05)
  crosses <- (says && low > 0.05) || (says_not && high <= 0.05)
  if (crosses) return("decision error")
  if (one) "one tail only" else "inconsistent"
}

passages <- lapply(readLines("passages.jsonl", encoding = "UTF-8"), fromJSON, simplifyVector = FALSE)
judged <- lapply(passages, function(passage) vapply(passage$results, judge, ""))
judged <- lapply(judged, as.list)
write(toJSON(judged, auto_unbox = TRUE), "judged.json")
print(table(unlist(judged)))
