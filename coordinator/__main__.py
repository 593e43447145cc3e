"""``python -m coordinator`` and the installed ``coordinator`` command."""

from coordinator.cli import cli


def main() -> None:
    """Run the command line and end the process with its exit code."""
    cli.main(prog_name="coordinator")


if __name__ == "__main__":
    main()
