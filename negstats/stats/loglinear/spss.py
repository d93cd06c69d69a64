"""What SPSS's HILOGLINEAR does differently, for results that can be laid beside its output.

From the SPSS Statistics command reference, HILOGLINEAR (CRITERIA and PRINT subcommands):

- scaling stops at a change of every fitted count of at most 0.25 or, if larger, a thousandth of the largest cell
  (CONVERGE), or after 20 cycles (ITERATE): its G² can be off in the second decimal;
- 0.5 is added to every cell of a saturated model (DELTA), and its parameters come from those counts; k-way tests,
  partial associations and backward elimination use the counts as they are;
- the df of tests do not heed zeros ("unadjusted"). Beside them HILOGLINEAR prints "adjusted" df, less the cells fitted
  as 0, which it calls possibly too low. The df of this package lie between the two: see ``fit``;
- backward elimination drops effects whose p exceeds .05 (P), in at most 10 steps (MAXSTEPS).

Cells on the boundary are not sought; scaling creeps towards them until it is stopped.
"""

from __future__ import annotations

from negstats.stats.loglinear.fit import Stopping
from negstats.stats.results.numbers import FloatArray

DELTA = 0.5
ITERATE = 20
MAXSTEPS = 10
ALPHA = 0.05


def stopping(n: FloatArray) -> Stopping:
    """Return HILOGLINEAR's default rule for a table of counts.

    Examples
    --------
    >>> import numpy as np
    >>> stopping(np.array([[48.0, 28.0], [29.0, 20.0]]))
    Stopping(tolerance=0.25, limit=20, relative=False)
    """
    return Stopping(max(0.25, 1e-3 * float(n.max())), ITERATE, relative=False)
