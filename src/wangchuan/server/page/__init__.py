"""The page to look at a memory: static files, signing in, and the network as one file.

The page speaks the REST surface and nothing else; there are no rules of memory in it. `static` is
served as it stands: no build, nothing from elsewhere. What others wrote is in `static/vendor`, with
versions, licences and hashes in `vendor.json`.
"""
