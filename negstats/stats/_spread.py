"""When a spread is none: an SD below the rounding of the mean that it was taken about."""

import numpy as np

__all__ = ["ROUNDING"]

# An SD below so many units of the mean's last place is rounding, not spread.
ROUNDING = 8 * float(np.finfo(np.float64).eps)
