"""Figures: one kind a file; a finished table goes in, a matplotlib Axes comes out. Plots draw what they are given."""

from negstats.plots._style import save_figure
from negstats.plots.comparison import group_comparison, paired_comparison

__all__ = ["group_comparison", "paired_comparison", "save_figure"]
