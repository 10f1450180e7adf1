"""What happened: the past, undoing, replaying, and the settings that held."""
