"""Reading TOML that people write: strict, with every mistake at once, each with its line."""
