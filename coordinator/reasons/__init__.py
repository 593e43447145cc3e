"""Why something became of a player: the rule, what went in, and who was compared with whom, read from the journal."""
