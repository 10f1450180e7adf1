"""Facts and episodes: their records, how they are learned, and their face."""
