"""Bots: table servers that play real games, and the verbs made of them. They know only the protocol."""
