"""Agents and their figures, and the settings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wangchuan.cli.opening import Call, of_memory, takes
from wangchuan.cli.output import Cell, counted, note, say_json, say_pairs, say_table, size
from wangchuan.errors import StorageError
from wangchuan.host import Host
from wangchuan.redaction import redacted
from wangchuan.settings.fields import Settings, load, origins

if TYPE_CHECKING:
    from wangchuan.types import Usage


@of_memory
def stats(call: Call) -> None:
    """Show the figures of a memory."""
    with call.opened() as here:
        figures = here.memory.stats()
        where = call.server or here.host.backend.place(call.agent)
        kind = "server" if call.server else "cell" if here.host.settings.store else "folder"
    if call.told({**asdict(figures), "path": where}):
        return
    say_pairs(
        [
            ("agent", figures.agent),
            (kind, where),
            ("memories", f"{figures.nodes}, {figures.fading} of them fading"),
            ("in focus", figures.focus),
            ("links", figures.links),
            ("forgotten", figures.forgotten),
            ("messages", figures.messages),
            ("passes", figures.passes),
            ("jobs", f"{figures.pending} waiting, {figures.failed} failed"),
            *([("trouble", figures.trouble)] if figures.trouble else []),
            ("size", size(figures.bytes)),
            *((f"model: {routine}", _cost(used)) for routine, used in figures.usage.items()),
        ]
    )


def _cost(used: Usage) -> str:
    failed = f", {used.failures} failed" if used.failures else ""
    return (
        f"{used.calls} calls{failed}, {used.prompt_tokens} + {used.completion_tokens} tokens,"
        f" {used.seconds:.1f} s"
    )


@takes("root", "as_json")
def agents(call: Call) -> None:
    """Show all agents below the root."""
    settings = load(root=call.root)
    with Host(settings=settings, adopt=False) as host:
        found = [_figures(host, agent_id) for agent_id in host.agents()]
    if call.as_json:
        say_json(found)
    elif found:
        columns = (("agent", "bold"), ("memories", "right"), ("size", "right"), ("", "text"))
        say_table(columns, [_agent_row(one) for one in found])
    else:
        note(f"no agents in {host.backend.where}")


def _figures(host: Host, agent_id: str) -> dict[str, Any]:
    """Return the figures of an agent without setting its queue to work."""
    try:
        found = host.stats(agent_id)
        return {"agent": agent_id, "memories": found.nodes, "bytes": found.bytes, "fault": None}
    except StorageError as error:
        return {"agent": agent_id, "memories": None, "bytes": None, "fault": str(error)}


def _agent_row(one: dict[str, Any]) -> tuple[Cell, ...]:
    if one["fault"]:
        return one["agent"], "?", "?", one["fault"]
    return one["agent"], one["memories"], size(one["bytes"]), ""


@takes("root", "as_json")
def settings(call: Call) -> None:
    """Show all settings, their values and where these come from."""
    present, noted = load(root=call.root), origins()
    found = [
        {
            "name": name,
            "value": _json_value(getattr(present, name)),
            "from": "option" if name == "root" and call.root else noted.get(name, "default"),
            "description": field.description,
        }
        for name, field in Settings.model_fields.items()
    ]
    if call.told(found):
        return
    columns = (("setting", "bold"), ("value", ""), ("from", "dim"), ("", "text"))
    say_table(columns, [(s["name"], s["value"], s["from"], s["description"]) for s in found])
    changed = sum(setting["from"] != "default" for setting in found)
    note(f"{counted(changed, 'setting')} changed from the default")


def _json_value(value: Any) -> Any:
    return redacted(str(value)) if isinstance(value, Path | str) else value
