"""What people and machines see over HTTP: live pages, the reading API, health and metrics.

This room knows the daemon only through `coordinator.shell.view.View`.
"""
