"""Settings for all property tests of the rules."""

from hypothesis import settings

# A deadline is a timed assertion: a busy machine is not a defect of a rule.
settings.register_profile("rules", deadline=None)
settings.load_profile("rules")
