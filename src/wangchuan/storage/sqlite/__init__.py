"""One agent's memory in SQLite, in a folder of its own."""
