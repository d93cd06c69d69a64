"""Games: the outcomes of a negotiation and what they are worth. Arrays and immutable values only."""
