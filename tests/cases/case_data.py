"""Where the data files of the cases are."""

from pathlib import Path

DATA = Path(__file__).with_name("data")
REPORTS = DATA / "swiss_trf"
