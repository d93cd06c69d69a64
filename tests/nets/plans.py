"""`results.json` of the plans of `tests/plans`, byte for byte but for versions."""

from __future__ import annotations

from collections.abc import Mapping

import negstats
from negstats.analysis import run
from negstats.analysis.plan.parse import read
from negstats.report.folder import dumps
from tests.conftest import DATA, ROOT, DataFolder
from tests.nets.versions import without_versions

# plan: folder of NEGSTATS_DATA, or of the tree
PLANS: Mapping[str, str] = {
    "robot": "solver_cl",
    "casino": "casino",
    "contract": "datasets/contract_sim/study",
    "dealornodeal": "dealornodeal",
    "otree_dyads": "otree_dyads",
}


def plan_results(name: str) -> str:
    """Return `results.json` of that plan."""
    place = PLANS[name]
    folder = ROOT / place if "/" in place else DataFolder(DATA)(place)
    results = run(read(ROOT / "tests" / "plans" / f"{name}.toml"), negstats.load(folder)).results
    return without_versions(dumps(results))
