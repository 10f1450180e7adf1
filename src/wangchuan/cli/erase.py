"""Destroying memories from the command line. It asks to be told twice: nothing brings them back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wangchuan.cli.opening import Call, of_memory
from wangchuan.cli.options import full_ids
from wangchuan.cli.output import counted, note, on_screen, say, say_json

if TYPE_CHECKING:
    from wangchuan.cli.opening import Opened
    from wangchuan.types import Erasure

REFUSED = 1


@of_memory
def erase(
    call: Call,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Memories: mem_12, or just 12.")
    ] = None,
    message: Annotated[
        list[str] | None,
        typer.Option("--message", "-m", help="A message, by its id; may be given several times."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Destroy the agent's whole memory.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do it. Without this, only say what would be erased.")
    ] = False,
) -> None:
    """Destroy memories for good, with the messages they were made of; nothing brings them back.

    What else was made of these messages goes, too. To move memories to the trash, use `forget`.
    """
    named = bool(ids or message)
    if named == everything:
        raise typer.BadParameter("name memories or messages, or give --all, not both")
    if everything:
        _erase_agent(call, yes)
        return

    wanted, messages = full_ids(ids or []), list(dict.fromkeys(message or []))
    with call.opened() as here:
        if not yes:
            _refuse(_preview(here, wanted, messages), call.as_json)
        receipt = here.memory.erase(wanted, message_ids=messages)
    _say_receipt(receipt, call.as_json)


def _preview(here: Opened, ids: list[str], messages: list[str]) -> dict[str, Any]:
    doomed = here.memory.look.erasing(ids, message_ids=messages)
    return {
        "memories": [{"id": n.id, "kind": n.kind, "content": n.content} for n in doomed.nodes],
        "messages": [{"id": m.id, "content": m.content} for m in doomed.messages],
    }


def _refuse(found: dict[str, Any], as_json: bool) -> None:
    """Say what would be erased, and leave."""
    if as_json:
        say_json({"erased": False, **found})
    else:
        for what, rows in (("memory", found["memories"]), ("message", found["messages"])):
            for row in rows:
                say(on_screen(f"would erase {what} {row['id']}  {row['content']}"))
    note("nothing was erased; --yes destroys this for good")
    raise typer.Exit(REFUSED)


def _erase_agent(call: Call, yes: bool) -> None:
    with call.hosted() as host:
        call.require(host)
        if not yes:
            figures = host.stats(call.agent)
            found = {what: getattr(figures, what) for what in ("nodes", "forgotten", "messages")}
            if not call.told({"erased": False, "agent": call.agent, **found}):
                told = ", ".join(f"{count} {what}" for what, count in found.items())
                say(f"would erase the whole memory of {call.agent}: {told}")
            note("nothing was erased; --yes destroys this for good")
            raise typer.Exit(REFUSED)
        receipt = host.erase(call.agent)
    _say_receipt(receipt, call.as_json)


def _say_receipt(receipt: Erasure, as_json: bool) -> None:
    if as_json:
        say_json({"erased": True, **asdict(receipt)})
    else:
        for what, gone in (("memories", receipt.nodes), ("messages", receipt.messages)):
            if gone:
                say(f"erased {what}: {', '.join(gone)}")
        removed = ", ".join(f"{count} {what}" for what, count in receipt.removed.items())
        say(f"removed for good: {removed}")
        if receipt.elsewhere:
            note(f"{counted(receipt.elsewhere, 'piece')} of it stand in other memories, too")
        if receipt.pages:
            note(
                f"pages of the notebook are yours and stay; words of it: {', '.join(receipt.pages)}"
            )
        for line in receipt.beyond:
            note(line)
    if receipt.remains:
        note(f"bytes of it are still in {', '.join(receipt.remains)}")
        raise typer.Exit(REFUSED)
