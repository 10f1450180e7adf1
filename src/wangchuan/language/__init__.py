"""Words, sentences and dates of Chinese and English; tables and pure functions."""
