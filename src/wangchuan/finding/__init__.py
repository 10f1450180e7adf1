"""Finding: recall walks from the focus, search looks everywhere, context fills a prompt."""
