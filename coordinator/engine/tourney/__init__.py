"""What stands above a match: tourneys, their start points, and the links between their matches (R-HI-01, R-HI-02).

A tourney has a state and a journal of its own. :mod:`coordinator.engine.tourney.tourney` is the entrance.
"""
