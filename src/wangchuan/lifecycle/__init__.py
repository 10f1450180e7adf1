"""What use does to nodes: ticks, and merging."""
