-- name: segments_of
-- The memories cut from messages, alive or forgotten.
SELECT $node FROM nodes WHERE message $in(:messages) ORDER BY n;

-- name: living_from
-- The living memories cut from messages, the newest in front.
SELECT $node FROM nodes
WHERE message $in(:messages) AND forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
ORDER BY n DESC LIMIT :limit;

-- name: add
-- Make a memory.
INSERT INTO nodes (kind, job, message, original, content, phrase, keywords, sources, created_at)
VALUES (:kind, :job, :message, $:node.original, :content, $:node.phrase, :keywords, $:node.sources,
    :created_at)
RETURNING n;

-- name: get
-- One memory, alive or forgotten.
SELECT $node FROM nodes WHERE n = :n;

-- name: some
-- Memories by their numbers, given as a list.
SELECT $node FROM nodes WHERE n $in(:numbers);

-- name: alive
-- All memories after a number that are alive, in order of creation.
SELECT $node FROM nodes
WHERE n > :after AND forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
ORDER BY n LIMIT :limit OFFSET :offset;

-- name: fading
-- The memories that have begun to fade, those to be forgotten first in front.
SELECT $node FROM nodes
WHERE forgotten_at IS NULL AND fade_at <= :passes AND (die_at IS NULL OR die_at > :passes)
ORDER BY die_at NULLS FIRST, n LIMIT :limit;

-- name: dying
-- The memories whose time has come.
SELECT $node FROM nodes WHERE forgotten_at IS NULL AND die_at <= :passes ORDER BY die_at, n
LIMIT :limit;

-- name: due
-- The memories whose text is to be rewritten, least scanned first, then oldest.
SELECT $node FROM nodes
WHERE forgotten_at IS NULL AND due_at <= :passes AND (die_at IS NULL OR die_at > :passes)
ORDER BY $scans(nodes), created_at, n LIMIT :limit;

-- name: due_exists
-- Whether any memory waits to be rewritten or removed.
SELECT EXISTS (SELECT 1 FROM nodes WHERE forgotten_at IS NULL AND due_at <= :passes)
    OR EXISTS (SELECT 1 FROM nodes WHERE forgotten_at IS NULL AND die_at <= :passes);

-- name: nearest_alive
-- The first living memory at or after a number that the focus does not hold.
SELECT $node FROM nodes
WHERE n >= :n AND forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
    AND since_pass IS NOT NULL
ORDER BY n LIMIT 1;

-- name: still
-- Memories after a number that stand still although neither the focus nor a job under way holds
-- them, in order.
SELECT $node FROM nodes
WHERE n > :after AND forgotten_at IS NULL AND since_pass IS NULL AND kind = 'segment'
    AND NOT EXISTS (SELECT 1 FROM focus WHERE focus.node = nodes.n)
    AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.seq = nodes.job AND jobs.state = 'pending')
ORDER BY n LIMIT :limit;

-- name: lowest_alive
-- The lowest number of a memory that is not in the trash.
SELECT coalesce(min(n), 0) FROM nodes WHERE forgotten_at IS NULL;

-- name: living
-- How many memories of the network are alive: facts and episodes take no slots.
SELECT count(*) FROM nodes
WHERE forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes) AND kind = 'segment';

-- name: highest
-- The highest number of a memory.
SELECT coalesce(max(n), 0) FROM nodes;

-- name: save
-- Write back what can change in a memory.
UPDATE nodes SET content = :content, phrase = $:node.phrase, keywords = :keywords, scans = :scans,
    since_pass = :since_pass, waited = :waited, fade_at = :fade_at, due_at = :due_at, die_at = :die_at,
    kept = :kept, forgotten_at = :forgotten_at, reason = :reason
WHERE n = :n;

-- name: set_kind
-- Make a memory one of another kind.
UPDATE nodes SET kind = :kind WHERE n = :n;

-- name: texts_of
-- The texts of memories, given as a list.
SELECT n, message, coalesce(content, $node.original) FROM nodes
WHERE n $in(:nodes) ORDER BY n;

-- name: texts_from
-- The texts of the living memories cut from messages, given as a list.
SELECT n, message, coalesce(content, $node.original) FROM nodes
WHERE message $in(:messages) AND forgotten_at IS NULL ORDER BY n;

-- name: drop
-- Drop a memory.
DELETE FROM nodes WHERE n = :n;

-- name: held
-- The first memories below a number that stand still, though not in focus.
SELECT $node FROM nodes
WHERE n < :before AND forgotten_at IS NULL AND since_pass IS NULL AND kind = 'segment'
    AND NOT EXISTS (SELECT 1 FROM focus WHERE focus.node = nodes.n)
ORDER BY n LIMIT :limit;
