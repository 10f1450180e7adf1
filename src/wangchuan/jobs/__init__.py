"""The durable queue: lanes, turns, and threads for calls that may hang."""
