"""Matches played in memory, before anybody sits down: the real rules, invented players, a clock that jumps."""
