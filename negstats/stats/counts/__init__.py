"""Tests of counts: tables, exact tests, matched and stratified tables, proportions.

Glossary
--------
dimension : a factor of a table; *cell* : a count at one level of each; *margin* : the counts summed over a dimension;
*stratum* : a level of the dimension that is held constant; *expected* : the counts without association; *discordant* :
of a pair whose two answers differ.
"""
