"""The rules and nothing else: no clock, no IO, no global chance. Time and chance come in as data."""

RULES_VERSION = 3
"""Version of the rules written on every journal record; it rises when a decision would come out differently."""
