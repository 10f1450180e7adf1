-- What models cost, and usable answers, so that none has to be asked for twice.

CREATE TABLE usage (
    day TEXT NOT NULL,                      -- UTC, 2026-01-03
    routine TEXT NOT NULL,
    calls INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (day, routine)
) WITHOUT ROWID;

CREATE TABLE answers (
    hash TEXT PRIMARY KEY,                  -- of the model and the question
    answer TEXT NOT NULL,                   -- JSON
    at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX answers_at ON answers (at);
