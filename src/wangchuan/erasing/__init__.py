"""Destroying: provenance, erasure, retention, and the bounds of `slots`."""
