"""A memory behind a server, with the methods and results of `Memory`: `Memory.connect`.

`line` sends requests, `connected` binds the methods to the operations of the table. The standard
library is enough for that.
"""
