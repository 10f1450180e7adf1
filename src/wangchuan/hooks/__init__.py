"""Hooks of coding agents: memory beside every prompt, and every turn remembered.

The client runs `client.py` by its path, on a bare interpreter: it hands over what happened to the
resident process and prints what that answers. `resident` holds the memories open, `events` says
what happens at each event, and `installing` writes the hooks into the clients' own files.
"""
