"""A coordinator for online card and board matches."""
