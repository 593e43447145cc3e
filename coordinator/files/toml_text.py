"""Values as a TOML file says them."""


def in_toml(value: object) -> str:
    """A text, a number, or several of them as a list; anything else as its text in quotes."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(in_toml, value))}]"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
