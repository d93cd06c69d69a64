"""Statistics of maps of the brain: thresholds, and peaks whose p is of a voxel with one tail, a cluster or a volume.

A z of a peak is printed beside the p of its cluster as often as beside its own; nothing tells which. So p that is the
peak's own, of one tail as such maps have, is consistent, and any other cannot be checked.
"""

from __future__ import annotations

import re

from negstats.audit.find_results import Reported

THRESHOLD = re.compile(
    r"threshold|cut-?off|cluster[- ](?:forming|defining|determining|size|extent|wise)|"
    r"height (?:of|at|p)|significance (?:level|criterion)",
    re.I,
)
STRONG = re.compile(
    r"\bvoxels?\b|\bvoxel-?wise|\bclusters?\b(?!\w*[- ](?:analys|random|robust|sampl))|"
    r"\bpeaks?\b(?=[^.;]{0,40}[-−(\[\d])|\bMNI\b|"
    r"\bTalairach\b|\bcoordinates?\b|\bFWER?\b|\bSVC\b|small[- ]volume|"
    r"whole[- ]brain|Z-?map|\bSPM\d?\b|\bBA ?\d|\bGRF\b|"
    r"\bx ?= ?-? ?\d[\d.]*[^.;]{0,4}\by ?= ?-? ?\d|"
    r"\bk[ETe]? ?[=>] ?\d|xyz|\bx ?, ?y ?, ?z\b|[\[(] ?-? ?\d{1,2} ?[,;/ ] ?-? ?\d{1,3} ?[,;/ ] ?-? ?\d{1,2} ?[\]),;]",
)
REGION = re.compile(
    r"\b(?:left|right|bilateral|medial|lateral|dorsal|ventral|anterior|posterior|middle|superior|inferior)\b[^.;]{0,40}"
    r"\b(?:gyr(?:us|i)|cort(?:ex|ices)|lobules?|striatum|putamen|caudate|amygdala|insula|hippocampus|thalamus|"
    r"cerebell\w+|"
    r"cuneus|precuneus|sulcus|VS|IFG|MFG|SFG|STG|MTG|IPL|SPL|SMA|ACC|PCC|TPJ|PFC|IOG|FEF)\b|\bBOLD\b|\bPPI\b|ReHo|ALFF",
)


def map_of(result: Reported) -> str:
    """Return the words that make a statistic one of a map, or of its threshold; empty if there are none.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> text = "Images were thresholded at Z > 2.3 and a cluster significance of p = .05."
    >>> [map_of(result) for result in find(document(text))]
    ['threshold']
    """
    if result.kind not in ("z", "t", "f") or (result.kind == "z" and result.df):
        return ""
    if THRESHOLD.search(result.sentence) and (result.kind == "z" or not result.df or STRONG.search(result.sentence)):
        word_match = THRESHOLD.search(result.sentence)
    else:
        word_match = STRONG.search(result.sentence) or (REGION.search(result.sentence) if result.kind == "z" else None)
    return " ".join(word_match[0].split()) if word_match else ""
