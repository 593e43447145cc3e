"""The verbs of the command line, one file each; each imports what it needs only when it runs."""
