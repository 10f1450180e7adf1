"""A life in thirty lines: remember, ask, correct, forget, restore, erase. No model, no key."""

from wangchuan import Memory

with Memory.open("ada") as memory:
    memory.remember("I live in Porto, by the river.")
    memory.remember([("user", "My cat is called Mimi."), ("assistant", "What a lovely name!")])
    memory.flush()
    print("block  :", memory.context("Where do I live?").result())

    memory.remember("I have moved: I live in Ghent now.")
    memory.flush()
    print("facts  :", [fact.text for fact in memory.facts()])

    hit = memory.search("cat").result()[0]
    print("found  :", hit.text, f"({hit.score:.2f})")

    memory.forget(hit.node.id)  # to the trash: it can come back
    print("gone   :", [gone.node.content for gone in memory.look.forgotten()])
    memory.restore(hit.node.id)
    print("back   :", memory.search("cat").result()[0].text)

    receipt = memory.erase(hit.node.id)  # for good, with the message it was made of
    print("erased :", receipt.nodes, receipt.messages)
    print("after  :", [found.text for found in memory.search("Mimi").result()])
