"""What happens at each event of a coding agent.

A prompt is answered with the block that bears on it, and remembered; so is the reply at the end of
the turn. Ids are made of the session, the turn and who speaks: an event that comes twice changes
nothing. What a client adds to a prompt is taken out first (`messages.as_written`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wangchuan.memory import Memory
from wangchuan.messages import as_written
from wangchuan.pending import Pending

ANSWER_SECONDS = 0.25  # for the block; the client waits a little longer
TOKENS = 800  # of the block beside a prompt, and at the beginning of a session
NAMES = {  # what clients call their events
    "UserPromptSubmit": "prompted",
    "beforeSubmitPrompt": "prompted",
    "Stop": "replied",
    "afterAgentResponse": "replied",
    "SessionStart": "begun",
    "sessionStart": "begun",
    "PreCompact": "compacting",
    "preCompact": "compacting",
}
_ODD = re.compile(r"[^\w-]+")

Event = Mapping[str, Any]


def agent_of(event: Event, options: Mapping[str, str]) -> str:
    """Return the agent whose memory it is: the one set, the user's, or that of the folder."""
    if options.get("agent"):
        return options["agent"]
    path = str(_folder(event).absolute())
    name = _ODD.sub("-", Path(path).name).strip("-_")[:40] or "project"
    return f"{name}-{hashlib.sha256(path.encode('utf-8', 'replace')).hexdigest()[:8]}"


@dataclass
class Events:
    """What happens at the events of clients, on memories that `opened` gives."""

    opened: Callable[[str, Event], Memory]
    clock: Callable[[], float]
    patience: float = ANSWER_SECONDS
    turns: dict[str, str] = field(default_factory=dict)  # the turn of each session

    def heard(self, event: Event, options: Mapping[str, str]) -> tuple[dict[str, Any], Any]:
        """Return the answer to an event, and what is left to do when it was given."""
        name = NAMES.get(str(event.get("hook_event_name")))
        if name is None:
            return {}, lambda: None
        memory = self.opened(agent_of(event, options), event)
        answer: tuple[dict[str, Any], Any] = getattr(self, name)(memory, event)
        return answer

    def prompted(self, memory: Memory, event: Event) -> tuple[dict[str, Any], Any]:
        """Answer a prompt with the block that bears on it; then remember the prompt."""
        prompt = as_written(_text(event, "prompt"))
        turn = self._turn(event, begins=True)
        block = self._in_time(memory.context(prompt or None, max_tokens=TOKENS))

        def remember() -> None:
            if prompt:
                memory.remember(_message(event, turn, "user", prompt))

        return _beside(event, block), remember

    def replied(self, memory: Memory, event: Event) -> tuple[dict[str, Any], Any]:
        """Remember the reply at the end of a turn; of one told in pieces (Cursor's), each piece."""
        reply, piece = as_written(_text(event, "last_assistant_message")), ""
        if not reply and (reply := as_written(_text(event, "text"))):
            piece = f":{hashlib.sha256(reply.encode('utf-8', 'replace')).hexdigest()[:8]}"

        def remember() -> None:
            if reply:
                memory.remember(_message(event, f"{self._turn(event)}{piece}", "assistant", reply))

        return {}, remember

    def begun(self, memory: Memory, event: Event) -> tuple[dict[str, Any], Any]:
        """Answer the beginning of a session with what always holds, and the notebook."""
        notebook = (_folder(event) / ".notes" / memory.agent_id).is_dir()
        block = self._in_time(memory.context(max_tokens=TOKENS, notebook=notebook))
        return _beside(event, block), lambda: None

    def compacting(self, memory: Memory, event: Event) -> tuple[dict[str, Any], Any]:  # noqa: ARG002
        """See that all that was said is digested before the client drops it."""
        return {}, lambda: memory.flush(60)

    def _in_time(self, block: Pending[str]) -> str:
        """Return a block, empty if it is late: nobody waits for it."""
        try:
            return block.result(self.patience)
        except TimeoutError:
            return ""

    def _turn(self, event: Event, *, begins: bool = False) -> str:
        """Return the id of a turn: the client's, or when its prompt came."""
        session = _session(event)
        own = next(
            (event[k] for k in ("prompt_id", "turn_id", "generation_id") if event.get(k)), None
        )
        if own is None and not begins and session in self.turns:
            return self.turns[session]
        turn = str(own or f"{self.clock():.3f}")
        if begins:
            self.turns[session] = turn
        return turn


def _folder(event: Event) -> Path:
    """Return the folder that a client works in."""
    roots = event.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else "."
    return Path(str(event.get("cwd") or first))


def _session(event: Event) -> str:
    return str(event.get("session_id") or event.get("conversation_id") or "session")[:200]


def _text(event: Event, key: str) -> str:
    value = event.get(key)
    return value if isinstance(value, str) else ""


def _message(event: Event, turn: str, role: str, content: str) -> dict[str, Any]:
    session = _session(event)
    named = f"{session}:{turn}:{role}"[:512]
    return {"role": role, "content": content, "id": named, "session": session}


def _beside(event: Event, block: str) -> dict[str, Any]:
    """Return a block in the form in which the client puts it beside the turn."""
    if not block:
        return {}
    name = str(event["hook_event_name"])
    if name[0].islower() or "cursor_version" in event:  # Cursor runs the hooks of others, too
        goes_on = {"continue": True} if NAMES[name] == "prompted" else {}
        return {"additional_context": block, **goes_on}
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": block}}
