"""Destroying: what was made of what, erasure, and keeping for a time only."""
