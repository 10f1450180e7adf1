"""The drawers of a store: what the engine asks of it, by subject.

A method with a decorator and no body runs the statement of its name in `storage/sql`, where the
sentence about it stands. Unknown numbers give None or nothing, never an error.
"""
