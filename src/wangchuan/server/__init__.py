"""`wangchuan serve`: the operations over HTTP (extra `server`).

`app` makes routes from the table of operations, `gate` stands before all of them (who asks, from
where, how much at once), `tokens` says who is who, `refusals` what an error is called, `openapi`
describes it. `mem0`, `proxy` and `mcp/` speak the dialects of others; `page/` is for people. There
are no rules of memory here.
"""
