"""The living network: what is left of each node, what time does to it, and how nodes are made."""
