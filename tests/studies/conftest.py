"""The one Spark session of a file."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from tests.studies.small_spark import small_spark


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if shutil.which("java") is None:
        pytest.skip("there is no Java (Debian's openjdk-17-jre-headless)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PySpark's own imports
        pytest.importorskip("pyspark.sql")
        spark = small_spark(tmp_path_factory.mktemp("spark"))
    yield spark
    spark.stop()
