"""The bridge challenge ladder: one small file for each of its rules (R-BL, R-RA, R-RC)."""
