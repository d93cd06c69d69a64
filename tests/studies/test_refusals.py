"""What studies refuse at their edge: the calls of `refusals.txt`."""

from __future__ import annotations

from tests.refusals import refusals_beside

test_what_is_refused_says_so_in_a_line = refusals_beside(__file__)
