"""Taking a memory home: export, import and backup.

`lines` is the format that holds everything, `markdown` is to be read, `turtle` is for tools that
speak RDF; `others` reads what other systems export. `carrying` opens files and decides which is
which. docs/export.md describes every record.
"""
