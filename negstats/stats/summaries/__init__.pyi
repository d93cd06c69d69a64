from .cells import Cells
from .clusters import ClusterMoments
from .counts import Counts
from .frames import Factor
from .moments import Moments
from .rows import Rows
from .values import ValueCounts

__all__ = ["Cells", "ClusterMoments", "Counts", "Factor", "Moments", "Rows", "ValueCounts"]
