from .cells import Cells
from .clusters import ClusterMoments
from .counts import Counts, ValueCounts
from .frames import Factor
from .moments import Moments
from .rows import Rows

__all__ = ["Cells", "ClusterMoments", "Counts", "Factor", "Moments", "Rows", "ValueCounts"]
