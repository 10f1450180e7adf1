"""Settings: where they come from, and what of them may be said."""
