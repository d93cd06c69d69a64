"""What papers print, recomputed: one file a paper with its recipes, `reproduce` for all of them.

``verdict`` has the rules by which a printed number stands or falls, ``published`` the printed numbers, ``neighbours``
what a statistic may be that is not what its paper says.
"""
