"""What ``coordinator config init`` writes."""

from coordinator.config.table import table
from coordinator.files.toml_text import in_toml


def example() -> str:
    """A settings file with every setting, its help and its default, all commented out."""
    lines = ["# Settings of the coordinator. Every line is its default: remove the # to change it."]
    section = ""
    for setting in table():
        head, _, name = setting.path.rpartition(".")
        if head != section:
            section = head
            lines += ["", f"[{section}]"]
        lines += ["", f"# {setting.help}"]
        if setting.choices:
            lines.append(f"# One of {', '.join(setting.choices)}.")
        also = f"# Environment: {setting.environment}"
        lines.append(f"{also}; flag: {setting.flag}" if setting.flag else also)
        lines.append(f"#{name} = {in_toml(setting.default)}")
    return "\n".join(lines) + "\n"
