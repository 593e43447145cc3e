"""What an outsider may depend on: the wire messages, the session and the SDK of the match coordinator."""
