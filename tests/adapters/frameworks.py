"""The frameworks that have an adapter: what is installed to try it, and whose tests are run.

The versions are those of the extras in `pyproject.toml`: the oldest is the bound that stands there,
the newest what the index gives today.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[2]
INTERNAL = "look inside their own store"
SEGMENTS = "want whole events, where we tell what is left of them"


@dataclass(frozen=True)
class Suite:
    """Tests of somebody else, run with our class in the place of theirs (`upstream/<plugin>.py`).

    They come with the source distribution of a package, in the version that is installed; where
    they are not in it, from a folder named by the environment (`place`). `left` says why some of
    them cannot pass, by a part of their names.
    """

    package: str
    files: tuple[str, ...]
    plugin: str
    left: tuple[tuple[str, str], ...] = ()
    place: str | None = None


@dataclass(frozen=True)
class Framework:
    """One framework: its name, which is that of the page and of the extra, and what tests need."""

    name: str
    title: str
    tests: tuple[str, ...] = ()
    suites: tuple[Suite, ...] = ()
    extra: bool = True
    oldest: tuple[str, ...] = ()  # beside the extra's own bounds: what fits them
    ages: tuple[str, ...] = ("oldest", "newest")


FRAMEWORKS = (
    Framework(
        "langchain",
        "LangChain, LangGraph",
        ("langgraph-checkpoint-sqlite", "pytest-asyncio", "pytest-mock"),
        (
            Suite("langgraph-checkpoint", ("tests/test_store.py",), "langgraph"),
            Suite(
                "langgraph-checkpoint-sqlite",
                ("tests/test_store.py",),
                "langgraph",
                (("vector_store_initialization", INTERNAL), ("nonnull_migrations", INTERNAL)),
            ),
        ),
    ),
    Framework(
        "openai-agents",
        "OpenAI Agents",
        ("pytest-asyncio",),
        (
            Suite(
                "openai-agents",
                (
                    *("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
                    *("tests/test_session.py", "tests/test_session_limit.py"),  # of older versions
                ),
                "openai_agents",
                (("test_sqlite_session", INTERNAL),),
            ),
        ),
    ),
    Framework("pydantic-ai", "Pydantic AI"),
    Framework(
        "pydantic-ai-harness",
        "Pydantic AI's harness",
        suites=(
            Suite(
                "pydantic-ai-harness",
                ("tests/memory/test_stores.py",),
                "pydantic_ai_harness",
                place="TEST_UPSTREAM_HARNESS",
            ),
        ),
    ),
    Framework("agent-framework", "Microsoft Agent Framework"),
    Framework(
        "google-adk",
        "Google ADK",
        ("pytest-asyncio",),
        (
            Suite(
                "google-adk",
                ("tests/unittests/memory/test_in_memory_memory_service.py",),
                "google_adk",
                (
                    ("with_no_events", "wants empty sessions kept"),
                    ("case_insensitive", SEGMENTS),
                    ("multiple_matches", SEGMENTS),
                ),
                place="TEST_UPSTREAM_ADK",
            ),
        ),
    ),
    Framework("strands", "Strands Agents"),
    Framework("llama-index", "LlamaIndex"),
    Framework(
        "anthropic",
        "Claude's memory tool",
        ("pytest-asyncio",),
        (
            Suite(
                "anthropic",
                ("tests/lib/tools/memory_tools/test_filesystem.py",),
                "anthropic",
                (
                    ("after_validation", INTERNAL),
                    ("before_open", INTERNAL),
                    ("test_validate_path", INTERNAL),
                    ("mkdir_parents", INTERNAL),
                ),
            ),
        ),
    ),
    Framework(
        "plain",
        "Plain loops",
        ("openai", "anthropic"),
        extra=False,
        oldest=("openai==2.0.0", "anthropic==1.0.0"),
    ),
    Framework("crewai", "CrewAI"),
    Framework(
        "coming-from",
        "The calls of others (docs/coming-from.md)",
        ("mem0ai", "langmem", "graphiti-core", "letta-client"),
        extra=False,
        ages=("newest",),
    ),
)


def project() -> Any:
    return tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]


def needed() -> list[str]:
    """Return what the package itself needs."""
    return list(project()["dependencies"])


def packages(framework: Framework, age: str) -> list[str]:
    """Return what is installed beside the package itself."""
    wanted = project()["optional-dependencies"][framework.name] if framework.extra else []
    if age == "oldest":
        wanted = [one.replace(">=", "==") for one in wanted]
        return ["pytest>=8.2", *wanted, *framework.tests, *framework.oldest]
    return ["pytest>=8.2", *wanted, *framework.tests]
