"""Routines: one file per question to a model, with the question and the reading of its answer."""
