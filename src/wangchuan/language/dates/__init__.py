"""Dates and times as people write them, in Chinese and English."""
