"""What is wrong with a definition, and what is merely unwise: every check that needs no state.

`match.py` looks at a whole match, `stage.py` at one stage, by the checks beside it: each is named after the module of
the rules whose words it looks at. `advice.py` refuses nothing. What stands above matches is checked in
`tourney/check.py`.
"""
