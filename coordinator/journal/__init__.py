"""Matches on disk: what was asked, what was decided, and a hash over all of it."""
