"""How much a definition may ask for."""

LEAST_TABLE, GREATEST_TABLE = 2, 16
MOST_HANDS = 10_000
MOST_PLAYERS = 10_000_000
MOST_TEAMS = 1_000
"""Teams on one ladder: the ranks of all of them are told at once."""
MOST_SCORE = 2**53
"""The greatest whole number that every language on the wire still counts exactly."""
MOST_MS = 30 * 24 * 3600 * 1000
MOST_PCT = 1_000
MOST_ID = 64
MOST_STAGES = 1_000
MOST_TEXT = 10_000
MOST_ATTRIBUTE = 256
"""Characters of a game attribute: what the wire takes of one."""
MOST_ATTRIBUTES = 32
"""Game attributes of a phase or a stage: those of both come with every table."""
