"""Talks coded by people: codebook, who codes what, a page for each coder, agreement, adjudication, labels.

A page is made for each coder (`coding_page`), and the file that each exports is read (`read_coded`). Agreement is
measured code by code (`agreement_of`), an adjudicator decides the differences on a page (`adjudication_page`), and
`merge` writes the codes as ``messages.labels`` of the study, where measures of labels find them.

Glossary
--------
code : a word of the codebook, in a *group* if one excludes another; *coder* : who codes; *talk* : the messages of a
game; *unit* : a message that is coded; *span* : the part of a text that a code is about; *assigned* : the units that a
coder was given; *shared* : talks that several coders code; *decision* : the codes of one message by one coder; *symbol*
: the coefficient, κ or α.
"""

from negstats.coding.agreement import Agreement, CodeAgreement, agreement_of, find_differences
from negstats.coding.assignment import Assignment, Message, Talk, Talks, assign, talks_of
from negstats.coding.codebook import Code, Codebook, read_codebook
from negstats.coding.coded_file import CodedFile, CodedMessage, Span, read_coded
from negstats.coding.merge import codes_frame, merge
from negstats.coding.page import adjudication_page, coding_page

__all__ = [
    "Agreement",
    "Assignment",
    "Code",
    "CodeAgreement",
    "Codebook",
    "CodedFile",
    "CodedMessage",
    "Message",
    "Span",
    "Talk",
    "Talks",
    "adjudication_page",
    "agreement_of",
    "assign",
    "codes_frame",
    "coding_page",
    "find_differences",
    "merge",
    "read_codebook",
    "read_coded",
    "talks_of",
]
