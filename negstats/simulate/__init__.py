"""Simulated studies, a folder a game: agents and people, a file each, and a runner that writes a study's tables.

Glossary
--------
seat : who takes part as what; *agent*, *person* : who sits there, a program or somebody made up; *policy* : what it
does with what probability; *transcript* : the record of one game; *event* : a line of a log; *batch* : games that one
process plays.
"""
