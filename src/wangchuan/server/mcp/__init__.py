"""The Model Context Protocol: memories as tools and resources of the clients people use.

`protocol` is the protocol itself, in both eras, as pure functions; `tools` makes what is offered
from the table of operations; `stdio` speaks it over a pipe, `http` over HTTP. The handshake loads
neither the table nor the engine: whoever connects never waits for them.
"""
