"""A coordinator for online card and board matches."""

__version__ = "0.1.0"
