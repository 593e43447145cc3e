"""The daemon's settings: what there is to set (`settings.py`), and what it is set to (`loading.py`)."""
