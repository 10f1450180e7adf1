-- Facts and episodes: memories that time wears away by days, not by passes.

-- What is kept of a fact, core, episode or system memory beside its text. Its age counts in days
-- from `used_at`; `aged` is how many days of wear are in its weight already.
CREATE TABLE facts (
    node INTEGER PRIMARY KEY,
    weight REAL NOT NULL,
    used_at REAL NOT NULL,
    aged INTEGER NOT NULL DEFAULT 0,
    source TEXT NOT NULL,                   -- user, background_ai, system
    verified INTEGER NOT NULL DEFAULT 0,
    topic TEXT NOT NULL,
    successor INTEGER,                      -- the fact that replaced it
    review TEXT                             -- promotion or decay: a decision is wanted
);
CREATE INDEX facts_review ON facts (review) WHERE review IS NOT NULL;
CREATE INDEX nodes_kept ON nodes (kind, n) WHERE kind <> 'segment' AND forgotten_at IS NULL;

-- The messages from which a fact or an episode was learned.
CREATE TABLE evidence (
    node INTEGER NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (node, message)
) WITHOUT ROWID;
CREATE INDEX evidence_message ON evidence (message);

-- The terms of facts and episodes, by the number of the memory.
CREATE VIRTUAL TABLE kept USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
INSERT INTO kept (kept, rank) VALUES ('automerge', 2);  -- fewer places to look at
