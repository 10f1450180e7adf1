"""Settings: their groups, where values come from, and which of them may be shown."""
