"""The concurrent part of the daemon: sockets, desks, timers."""
