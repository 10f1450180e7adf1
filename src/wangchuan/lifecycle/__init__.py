"""The lifecycle of nodes by use: ticks, and merging."""
