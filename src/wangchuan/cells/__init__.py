"""Agents in PostgreSQL: making and looking at cells, and working for the agents in them."""
