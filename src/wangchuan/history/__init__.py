"""The past of a memory: what was there at a time, undoing a change, replaying the history."""
