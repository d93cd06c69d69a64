"""The tests; their folders are those of the package."""

import os

# The matrices of tests are small, and a second thread of each worker waits for the first, at the cost of a processor.
# It is read when numpy is imported, so before `conftest` is.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
