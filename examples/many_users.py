"""One process, many people: each has a memory of their own, and nothing is shared."""

import asyncio

from wangchuan import Host


async def main() -> None:
    """Tell two memories something, and ask both."""
    async with Host("memory_data") as host:
        ada, bob = host.open("ada"), host.open("bob")
        await ada.remember("My cat is called Mimi.")
        await bob.remember("My dog is called Rex.")
        for memory in (ada, bob):
            hits = await memory.search("What is my pet called? cat dog")
            print(memory.agent_id, "→", [hit.text for hit in hits])
        print(host.agents())


asyncio.run(main())
