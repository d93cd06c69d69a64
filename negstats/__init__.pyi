from . import analysis as analysis
from . import audit as audit
from . import datasets as datasets
from . import errors as errors
from . import estimate as estimate
from . import games as games
from . import loaders as loaders
from . import metrics as metrics
from . import papers as papers
from . import plots as plots
from . import report as report
from . import simulate as simulate
from . import stats as stats
from . import studies as studies
from . import tables as tables
from .errors import DesignError, LogError, NegstatsError, NotEstimable, SchemaError, UsageError
from .loaders import load, load_to
from .studies import open_study
from .studies.study import Study

__version__: str

def citation() -> str: ...

__all__ = [
    "DesignError",
    "LogError",
    "NegstatsError",
    "NotEstimable",
    "SchemaError",
    "Study",
    "UsageError",
    "__version__",
    "citation",
    "load",
    "load_to",
    "open_study",
]
