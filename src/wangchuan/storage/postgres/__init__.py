"""Agents' memories in PostgreSQL: many agents in one database, which is called a cell."""
