-- The same questions in the SQL that one would write by hand for DuckDB: the yardstick of the benchmark.

-- name: clean
WITH marked AS (
    SELECT *, type IS NOT DISTINCT FROM lag(type) OVER w AND price IS NOT DISTINCT FROM lag(price) OVER w
              AND made_at - lag(made_at) OVER w <= 1 AS again
    FROM offers WINDOW w AS (PARTITION BY thread ORDER BY made_at)
), placed AS (
    SELECT thread, item, seller, price, answered_at - made_at AS waited, status, automatic,
           row_number() OVER w AS k, lead(made_at) OVER w IS NULL AS last,
           lag(price, 1) OVER w AS p1, lag(price, 2) OVER w AS p2, lag(price, 3) OVER w AS p3
    FROM marked WHERE again IS NOT TRUE WINDOW w AS (PARTITION BY thread ORDER BY made_at)
), priced AS (
    SELECT placed.*, list_price, CASE k WHEN 2 THEN list_price ELSE p2 END AS q2,
           CASE k WHEN 3 THEN list_price ELSE p3 END AS q3
    FROM placed LEFT JOIN listings USING (item)
)
SELECT thread, seller, k, price, list_price, CASE WHEN waited >= 0 THEN waited END AS seconds, status, automatic, last,
       (price - q2) / nullif(p1 - q2, 0) AS gamma,
       CASE WHEN k >= 3 THEN (p1 - q3) / nullif(q2 - q3, 0) END AS before
FROM priced

-- name: ends
SELECT status, automatic, count(*), avg(k) FROM clean WHERE last GROUP BY ALL

-- name: concessions
SELECT CASE WHEN abs(gamma - 0.5) < 0.005 THEN 'split'
            WHEN gamma BETWEEN 0.4 AND 0.6 THEN 'near' ELSE 'other' END AS sort,
       CASE WHEN gamma >= 1 THEN 9 ELSE floor(gamma * 10) END AS tenth,
       count(*), sum(gamma), count(*) FILTER (status = 'accepted')
FROM clean WHERE gamma IS NOT NULL GROUP BY ALL

-- name: reciprocity
WITH used AS (SELECT seller, before AS x, gamma AS y FROM clean
              WHERE gamma BETWEEN 0 AND 1 AND before BETWEEN 0 AND 1),
fit AS (SELECT regr_slope(y, x) AS b, regr_intercept(y, x) AS a, avg(x) AS m, regr_sxx(y, x) AS sxx,
               count(*) AS n, corr(y, x) AS r FROM used),
scores AS (SELECT seller, sum((x - m) * (y - a - b * x)) AS s FROM used, fit GROUP BY seller)
SELECT any_value(b), any_value(a), any_value(r), any_value(n), count(*),
       sqrt(sum(s * s)) / any_value(sxx) * sqrt(count(*) / (count(*) - 1) * any_value((n - 1) / (n - 2)))
FROM scores, fit

-- name: percentiles
WITH first AS (SELECT thread, floor(1000 * price / list_price + 0.5) AS share FROM clean
               WHERE k = 1 AND price <= list_price),
ended AS (SELECT thread, status = 'accepted' AS sold, price / list_price AS ratio FROM clean WHERE last),
shares AS (SELECT share, count(*) AS n, count(*) FILTER (sold) AS sold, sum(ratio) FILTER (sold) AS ratio
           FROM first JOIN ended USING (thread) GROUP BY share),
ranked AS (SELECT *, floor(10 * (sum(n) OVER (ORDER BY share) - n / 2) / sum(n) OVER ()) AS class FROM shares)
SELECT class, sum(n), sum(sold) / sum(n), sum(ratio) / sum(sold) FROM ranked GROUP BY class

-- name: waiting
SELECT count(*), count(*) FILTER (status = 'expired'),
       median(CASE status WHEN 'expired' THEN 172800 ELSE seconds END),
       quantile_disc(seconds, 0.5) FILTER (status <> 'expired'), avg(seconds) FILTER (status <> 'expired'),
       count(*) FILTER (status <> 'expired' AND seconds > 86400)
FROM clean WHERE NOT automatic

-- name: sales
WITH ended AS (SELECT seller, (status = 'accepted')::INT AS y FROM clean WHERE last),
rate AS (SELECT avg(y) AS p, count(*) AS n FROM ended),
sellers AS (SELECT seller, sum(y - p) AS s FROM ended, rate GROUP BY seller)
SELECT any_value(p), sqrt(count(*) / (count(*) - 1) * sum(s * s)) / any_value(n), count(*),
       sqrt(any_value(p * (1 - p) / n))
FROM sellers, rate
