"""Our classes in the place of theirs, for their tests: plugins of pytest, one for each suite."""
