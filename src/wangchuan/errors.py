"""Everything Wangchuan raises on purpose, as one tree.

WangchuanError
├── InvalidInput (also a ValueError)     an argument, message or agent id cannot be used as given
├── NotFound (also a LookupError)        no memory has that id
├── Conflict                             a page was changed by somebody else meanwhile
├── CannotUndo                           a change others depend on, or one that is not kept
├── NotAllowed (also a PermissionError)  whoever asks does not have the right
├── Closed (also a RuntimeError)         the memory or its host was closed before the call
├── QueueFull                            too much is waiting; try again when some of it is done
├── ModelError                           a model could not be asked
│   ├── KeyRefused                       its server does not take the key: set another one
│   └── UnusableAnswer                   it answered, but with nothing that can be used
└── StorageError                         the folder or its database cannot be used
    ├── Unreachable                      its server cannot be reached now; try again later
    ├── NewerFormat                      written by a newer version: upgrade, nothing was touched
    └── WrongAgent                       the folder belongs to another agent id

Messages say what was wrong, which value it was (`shown`) and what to do about it. A caller who
wants one `except` for all of them catches `WangchuanError`.
"""


class WangchuanError(Exception):
    """The base of all errors raised by Wangchuan."""


class InvalidInput(WangchuanError, ValueError):
    """An argument cannot be used as given; nothing was stored."""


class NotFound(WangchuanError, LookupError):
    """No memory has the given id, or it is not in the state the call needs."""


class Conflict(WangchuanError):
    """A page does not have the version that a change was made for; nothing was changed."""


class CannotUndo(WangchuanError):
    """A change cannot be undone; nothing was changed."""


class NotAllowed(WangchuanError, PermissionError):
    """Whoever asks does not have the right to do that; nothing was done."""


class Closed(WangchuanError, RuntimeError):
    """The memory or its host was closed before this call."""


class QueueFull(WangchuanError):
    """The agent's queue is full; nothing of this call was stored."""


class ModelError(WangchuanError):
    """A model could not be asked; the work stays queued."""


class KeyRefused(ModelError):
    """A model's server refuses the key, which no retry cures; the work stays queued."""


class UnusableAnswer(ModelError):
    """A model answered with something that cannot be used; nothing of it was stored."""


class StorageError(WangchuanError):
    """The agent's folder or database cannot be used."""


class Unreachable(StorageError):
    """The server that keeps the memory cannot be reached; nothing of this call was stored."""


class NewerFormat(StorageError):
    """The data was written by a newer version of Wangchuan and was left untouched."""


class WrongAgent(StorageError):
    """The folder belongs to another agent id (for instance on a case-insensitive disk)."""


def shown(value: object, most: int = 60) -> str:
    """Return a value as a message shows it, cut after so many characters."""
    try:
        return repr(value)[:most]
    except Exception:  # nested too deep, too many digits, or a stranger's own code
        return f"a value of type {type(value).__name__}"
