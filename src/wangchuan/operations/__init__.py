"""Everything that can be asked of a memory from outside, described once.

`table` lists the operations: what each takes and gives, the right it needs, when to call it, and
what it calls on `Memory`, its faces or the `Host`. Surfaces (REST, MCP, the client over HTTP) are
made from it. `operation` turns a function of the table into models, `rights` says who may do what,
and `running` is the one way to run an operation for somebody. There are no rules of memory here.
"""
