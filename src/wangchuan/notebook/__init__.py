"""The notebook: Markdown pages that people may edit, kept next to the work."""
