"""A Spark session for a few rows: one partition, no pages, no talk."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

# Java would spend most of its time on making code fast that runs once: its first compiler is enough for a few rows.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:CICompilerCount=1"


def small_spark(folder: Path) -> Any:
    """Return a new session, which `negstats` then finds as the active one; ImportError without PySpark."""
    builder = importlib.import_module("pyspark.sql").SparkSession.builder.master("local[2]")
    options = {
        "spark.driver.extraJavaOptions": JAVA,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.local.dir": str(folder),
        "spark.sql.session.timeZone": "UTC",
        "spark.log.level": "OFF",
    }
    for key, value in options.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
