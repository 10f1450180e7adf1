"""A diary that answers: a line is kept; one that ends with a question mark is looked up.

python examples/diary.py            (an empty line ends it)
"""

from wangchuan import Memory


def main() -> None:
    """Keep what is written, and answer what is asked."""
    with Memory.open("diary") as memory:
        while line := input("> ").strip():
            if line.endswith(("?", "？")):
                memory.flush(2)
                hits = memory.search(line, limit=3).result()
                print("\n".join(f"  {hit.score:.2f}  {hit.text}" for hit in hits) or "  …")
            else:
                memory.remember(line)


if __name__ == "__main__":
    main()
