"""`python -m bench.peer_drivers NAME FOLDER`: one store, driven by lines of JSON.

`bench peers` starts this in the environment of each peer. It opens the store in the folder, says
how long that took, and then answers every line of its input with one line:

    {"add": [texts], "within": seconds}    {"search": [queries]}    {} for the versions

Each call is timed here, one text or query per call. A store is imported inside the class that
drives it, for no environment holds them all.
"""

from __future__ import annotations

import importlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.peer_vectors import DIMENSIONS, Embedder, tokens

LIMIT = 10
KEEP = {"decay_rate": 1.0}  # links keep their strength: nothing fades, as with the peers
NAME = "peers"


class Store:
    """What a driver does; `settle` waits for work a call to `add` left behind."""

    distributions: tuple[str, ...] = ()
    seam: tuple[str, ...] = ()  # modules only our way of plugging the embedder in needs

    def add(self, text: str) -> None:
        raise NotImplementedError

    def search(self, query: str) -> list[str]:
        raise NotImplementedError

    def settle(self) -> None:
        pass

    def held(self) -> int | None:
        """Return how many memories can be found; None if all that were added."""

    def close(self) -> None:
        pass


class Wangchuan(Store):
    distributions = ("wangchuan",)

    def __init__(self, folder: Path, settings: dict[str, Any] = KEEP, **options: Any) -> None:
        from wangchuan import Memory

        self.memory = Memory.open(NAME, root=folder, settings=settings, **options)

    def add(self, text: str) -> None:
        if self.memory.remember(text).status == "rejected":
            raise RuntimeError("a remember was rejected: the chunk is larger than the queue")

    def search(self, query: str) -> list[str]:
        hits: list[Any] = self.memory.search(query, limit=LIMIT).result(60)
        return [hit.sources[0].content for hit in hits]

    def settle(self) -> None:
        if not self.memory.flush(600):
            raise TimeoutError("not digested after 600 s")

    def held(self) -> int:
        return self.memory.stats().nodes

    def close(self) -> None:
        self.memory.close()


class Bare(Store):
    """Full text in SQLite, one synced commit for each message: what the disk allows."""

    def __init__(self, folder: Path) -> None:
        self.db = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self.db.execute("PRAGMA journal_mode = wal")
        self.db.execute("PRAGMA synchronous = FULL")
        self.db.execute("CREATE TABLE IF NOT EXISTS said (n INTEGER PRIMARY KEY, text, vector)")
        self.db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(tokens, content='')")

    def add(self, text: str) -> None:
        self._insert(text, None)

    def _insert(self, text: str, vector: bytes | None) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        done = self.db.execute("INSERT INTO said (text, vector) VALUES (?, ?)", (text, vector))
        entry = (done.lastrowid, " ".join(tokens(text)))
        self.db.execute("INSERT INTO words (rowid, tokens) VALUES (?, ?)", entry)
        self.db.execute("COMMIT")

    def search(self, query: str) -> list[str]:
        return self._texts(self._by_words(query))

    def _by_words(self, query: str) -> list[int]:
        asked = " OR ".join(f'"{token}"' for token in tokens(query))
        sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        return [n for (n,) in self.db.execute(sql, (asked, LIMIT))]

    def _texts(self, numbers: list[int]) -> list[str]:
        sql = "SELECT text FROM said WHERE n = ?"
        return [self.db.execute(sql, (n,)).fetchone()[0] for n in numbers]

    def close(self) -> None:
        self.db.close()


class BareVectors(Bare):
    """The same with a vector beside each text; all of them are compared with the query."""

    distributions = ("numpy",)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        import numpy

        self.numpy, self.embedder = numpy, Embedder()
        rows = self.db.execute("SELECT vector FROM said ORDER BY n").fetchall()
        stored = numpy.frombuffer(b"".join(row[0] for row in rows), dtype="float32")
        self.count = len(rows)
        self.vectors = stored.reshape(self.count, DIMENSIONS).copy()

    def add(self, text: str) -> None:
        vector = self.numpy.array(self.embedder.vector(text), dtype="float32")
        self._insert(text, vector.tobytes())
        if self.count == len(self.vectors):
            self.vectors = self.numpy.resize(self.vectors, (2 * self.count + 64, DIMENSIONS))
        self.vectors[self.count] = vector
        self.count += 1

    def search(self, query: str) -> list[str]:
        by_words, by_vector = self._by_words(query), self._by_vector(query)
        scores: dict[int, float] = {}
        for found in (by_words, by_vector):
            for rank, n in enumerate(found):
                scores[n] = scores.get(n, 0.0) + 1 / (60 + rank)
        return self._texts(sorted(scores, key=lambda n: -scores[n])[:LIMIT])

    def _by_vector(self, query: str) -> list[int]:
        asked = self.numpy.array(self.embedder.vector(query), dtype="float32")
        near = self.vectors[: self.count] @ asked
        best = self.numpy.argpartition(-near, min(LIMIT, self.count) - 1)[:LIMIT]
        return [int(i) + 1 for i in sorted(best, key=lambda i: -near[i])]


class Mem0(Store):
    """mem0 takes an embedder of its caller's own only through LangChain's interface."""

    distributions = ("mem0ai", "qdrant-client", "faiss-cpu", "chromadb")
    seam = ("langchain.embeddings.base",)

    def __init__(self, folder: Path, store: str, **options: Any) -> None:
        os.environ["MEM0_DIR"] = str(folder)
        from langchain.embeddings.base import Embeddings
        from mem0 import Memory

        class Plugged(Embedder, Embeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return self.embed(texts)

            def embed_query(self, text: str) -> list[float]:
                return self.vector(text)

        place = {"collection_name": NAME, "path": str(folder / store), **options}
        config = {
            "vector_store": {"provider": store, "config": place},
            "embedder": {"provider": "langchain", "config": {"model": Plugged()}},
            "llm": {"provider": "openai", "config": {"api_key": "never used"}},
            "history_db_path": str(folder / "history.db"),
        }
        self.memory = Memory.from_config(config)

    def add(self, text: str) -> None:
        self.memory.add(text, user_id=NAME, infer=False)

    def search(self, query: str) -> list[str]:
        found = self.memory.search(query, filters={"user_id": NAME}, top_k=LIMIT)
        return [item["memory"] for item in found["results"]]

    def close(self) -> None:
        self.memory.close()


class LangGraph(Store):
    distributions = ("langgraph-checkpoint", "langgraph-checkpoint-sqlite", "pysqlite3-binary")

    def __init__(self, folder: Path, durable: bool) -> None:
        self.count = 0
        # The two stores name the indexed fields differently.
        index: Any = {"dims": DIMENSIONS, "embed": Embedder().embed}
        index |= {"fields": ["text"], "text_fields": ["text"]}
        if durable:
            from langgraph.store.sqlite import SqliteStore

            self.store: Any = SqliteStore(connection(folder / "store.db"), index=index)
            self.store.setup()
        else:
            from langgraph.store.memory import InMemoryStore

            self.store = InMemoryStore(index=index)

    def add(self, text: str) -> None:
        self.count += 1
        self.store.put((NAME,), str(self.count), {"text": text})

    def search(self, query: str) -> list[str]:
        found = self.store.search((NAME,), query=query, limit=LIMIT)
        return [item.value["text"] for item in found]


def connection(path: Path) -> Any:
    """Open a database as LangGraph does, with another SQLite where Python's takes no extensions."""
    extensible = hasattr(sqlite3.Connection, "enable_load_extension")
    module = sqlite3 if extensible else importlib.import_module("pysqlite3")
    return module.connect(str(path), check_same_thread=False, isolation_level=None)


class Chroma(Store):
    distributions = ("chromadb",)

    def __init__(self, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        class Plugged(chromadb.EmbeddingFunction[Any]):
            def __init__(self) -> None:
                self.embedder = Embedder()

            def __call__(self, input: Any) -> Any:  # noqa: A002 (Chroma calls it by this name)
                return self.embedder.embed(input)

            @staticmethod
            def name() -> str:
                return "hashed-words"

            def get_config(self) -> dict[str, Any]:
                return {}

            @staticmethod
            def build_from_config(config: dict[str, Any]) -> Any:  # noqa: ARG004
                return Plugged()

        settings = Settings(anonymized_telemetry=False)
        self.client = chromadb.PersistentClient(str(folder / "chroma"), settings=settings)
        self.count = 0
        self.collection = self.client.get_or_create_collection(
            NAME, embedding_function=Plugged(), configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, text: str) -> None:
        self.count += 1
        self.collection.add(ids=[str(self.count)], documents=[text])

    def search(self, query: str) -> list[str]:
        found = self.collection.query(query_texts=[query], n_results=LIMIT)
        return list((found["documents"] or [[]])[0])


# Driver: the modules it needs, and how to open it in a folder.
DRIVERS: dict[str, tuple[str, type[Store], Callable[[Path], Store]]] = {
    "ours": (
        "wangchuan.memory",
        Wangchuan,
        lambda folder: Wangchuan(folder, embedder=Embedder()),
    ),
    "ours_text": ("wangchuan.memory", Wangchuan, Wangchuan),
    "ours_fading": (
        "wangchuan.memory",
        Wangchuan,
        lambda folder: Wangchuan(folder, {}, embedder=Embedder()),
    ),
    "bare_text": ("sqlite3", Bare, Bare),
    "bare": ("numpy", BareVectors, BareVectors),
    "mem0_qdrant": (
        "mem0",
        Mem0,
        lambda folder: Mem0(folder, "qdrant", embedding_model_dims=DIMENSIONS, on_disk=True),
    ),
    "mem0_faiss": (
        "mem0",
        Mem0,
        lambda folder: Mem0(folder, "faiss", embedding_model_dims=DIMENSIONS),
    ),
    "mem0_chroma": ("mem0", Mem0, lambda folder: Mem0(folder, "chroma")),
    "langgraph_memory": (
        "langgraph.store.memory",
        LangGraph,
        lambda folder: LangGraph(folder, durable=False),
    ),
    "langgraph_sqlite": (
        "langgraph.store.sqlite",
        LangGraph,
        lambda folder: LangGraph(folder, durable=True),
    ),
    "chroma": ("chromadb", Chroma, Chroma),
}


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def added(store: Store, texts: list[str], within: float) -> dict[str, Any]:
    """Add the texts one by one until time is up; the last seconds are for what was left behind."""
    began, count = time.perf_counter(), 0
    for text in texts:
        store.add(text)
        count += 1
        if time.perf_counter() - began > within:
            break
    seconds = time.perf_counter() - began
    return {"added": count, "seconds": seconds, "settling": timed(store.settle)[0]}


def searched(store: Store, queries: list[str]) -> dict[str, Any]:
    answers = [timed(lambda query=query: store.search(query)) for query in queries]
    return {
        "seconds": [seconds for seconds, _ in answers],
        "texts": [texts for _, texts in answers],
        "held": store.held(),
    }


def versions(names: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of those distributions that are installed here."""
    from importlib.metadata import PackageNotFoundError, version  # not in the cold start

    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main(name: str, folder: str) -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the stores print is not part of the conversation

    def say(**answer: Any) -> None:
        print(json.dumps(answer, ensure_ascii=False), file=out, flush=True)

    module, kind, make = DRIVERS[name]
    importlib.import_module(module)
    seam = sum(timed(lambda m=m: importlib.import_module(m))[0] for m in kind.seam)
    opening, store = timed(lambda: make(Path(folder)))
    say(opening=opening, seam=seam)
    for line in sys.stdin:
        command = json.loads(line)
        if "add" in command:
            say(**added(store, command["add"], command["within"]))
        elif "search" in command:
            say(**searched(store, command["search"]))
        else:
            say(**versions(kind.distributions))
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
