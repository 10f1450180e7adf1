-- name: put
-- Keep what belongs to a fact beside its text.
INSERT INTO facts ($fact)
VALUES (:node, :weight, :used_at, :aged, :source, :verified, :topic, :successor, :review)
ON CONFLICT (node) DO UPDATE SET
    weight = excluded.weight, used_at = excluded.used_at, aged = excluded.aged,
    source = excluded.source, verified = excluded.verified, topic = excluded.topic,
    successor = excluded.successor, review = excluded.review;

-- name: some
-- What belongs to facts beside their texts, by their numbers, given as a list.
SELECT $fact FROM facts WHERE node $in(:nodes);

-- name: of_kind
-- The living nodes of a kind, newest first; of one kind, so that nothing has to be sorted.
SELECT $node FROM nodes
WHERE kind = :kind AND kind <> 'segment' AND forgotten_at IS NULL
ORDER BY n DESC LIMIT :limit;

-- name: passing
-- What passes, a state or a plan, among so many of the newest living facts, newest first.
SELECT $t.node FROM nodes t JOIN facts m ON m.node = t.n
WHERE m.topic = 'memory' AND t.n IN (
    SELECT n FROM nodes WHERE kind = 'fact' AND forgotten_at IS NULL ORDER BY n DESC LIMIT :among
)
ORDER BY t.n DESC;

-- name: after
-- The living facts and episodes after a number, in order; segments are not even passed over.
SELECT $t.node FROM facts m CROSS JOIN nodes t
WHERE m.node > :n AND t.n = m.node AND t.forgotten_at IS NULL
ORDER BY m.node LIMIT :limit;

-- name: to_review
-- The living facts for which a decision is wanted.
SELECT $m.fact FROM facts m JOIN nodes t ON t.n = m.node
WHERE m.review IN ('promotion', 'decay') AND t.forgotten_at IS NULL
ORDER BY m.node LIMIT :limit;

-- name: learn_from
-- Note that a node was learned from a message.
INSERT INTO evidence (node, message) VALUES (:node, :message) ON CONFLICT DO NOTHING;

-- name: evidence_of
-- The messages from which a node was learned.
SELECT message FROM evidence WHERE node = :n ORDER BY message;

-- name: learned_from
-- What was learned from messages, given as a list.
SELECT message, node FROM evidence
WHERE message $in(:messages) ORDER BY message, node;

-- name: corrected_from
-- The facts learned from messages, given as a list, that another one has taken the place of.
SELECT message, node FROM evidence
WHERE message $in(:messages) AND EXISTS (
    SELECT 1 FROM facts WHERE facts.node = evidence.node AND successor IS NOT NULL LIMIT 1 OFFSET 0
)
ORDER BY message, node;

-- name: sources_of_latest
-- For facts, given as a list: the messages from which the last one in their place was learned.
WITH RECURSIVE later (corrected, node, successor) AS (
    SELECT node, node, successor FROM facts WHERE node $in(:nodes)
    UNION
    SELECT corrected, successor, (SELECT successor FROM facts WHERE node = later.successor)
    FROM later WHERE successor IS NOT NULL
)
SELECT later.corrected, evidence.message FROM later JOIN evidence ON evidence.node = later.node
WHERE later.successor IS NULL AND later.node <> later.corrected
ORDER BY later.corrected, evidence.message;

-- name: drop
-- Drop what is kept of a fact beside its text.
DELETE FROM facts WHERE node = :n;

-- name: drop_successor
-- Drop what says that a fact was replaced by this one.
UPDATE facts SET successor = NULL WHERE successor = :n;

-- name: drop_evidence
-- Drop what says where a fact came from.
DELETE FROM evidence WHERE node = :n;

-- name: drop_message
-- Drop what says that something was learned from a message.
DELETE FROM evidence WHERE message = :message;
