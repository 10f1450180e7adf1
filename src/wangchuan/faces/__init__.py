"""The faces of a memory: looking inside, its history, its facts, its merges."""
