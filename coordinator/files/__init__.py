"""TOML that people write: read strictly, with every mistake at once, each with its line; and written by their rules."""
