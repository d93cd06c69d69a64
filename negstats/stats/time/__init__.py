"""Time until something ends: survival, cumulative incidence of several ends, their tests, hazards.

Glossary
--------
end : what happened to a unit last, an event or censoring; *event* : the end in question; *censored* : not seen to end;
*competing* : an end after which the event cannot come; *at risk* : not yet ended; *hazard* : the rate of the event
among those at risk; *incidence* : the share that has had the event; *stratum* : units that are only compared with each
other.
"""
