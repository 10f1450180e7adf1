-- Named SQL: one sentence each, in the subset that SQLite and PostgreSQL share.
-- $node stands for the columns of the record of that name, $t.node for the same with a prefix,
-- $:node for their values.

-- name: meta
-- The value of a key of the store's own notes.
SELECT value FROM meta WHERE key = :key;

-- name: set_meta
-- Note a value under a key.
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: passes
-- How many passes have been made.
SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'passes';

-- name: advance
-- Make one pass: the unit of time of the network.
UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'passes';

-- name: waiting
-- How many remembers wait, counted no further than the limit.
SELECT count(*) FROM (
    SELECT 1 FROM jobs WHERE state = 'pending' AND kind = 'remember' LIMIT :limit
);

-- name: waiting_span
-- How far apart the places of the first and the last waiting remember are: quicker than counting,
-- and never less than half their number (a place is shared by two at most).
SELECT (SELECT max(place) FROM jobs WHERE state = 'pending' AND kind = 'remember')
    - (SELECT min(place) FROM jobs WHERE state = 'pending' AND kind = 'remember') + 1;

-- name: add_message
-- Keep one message word for word.
INSERT INTO messages (id, role, name, content, timestamp, talk, place, said_at)
VALUES (:id, :role, :name, :content, :timestamp, :talk, :place, :said_at);

-- name: add_speaker
-- Keep the name of someone who spoke.
INSERT INTO speakers (name) VALUES (:name) ON CONFLICT DO NOTHING;

-- name: speakers
-- Everyone who spoke, as far as a question can name them.
SELECT name FROM speakers LIMIT 1000;

-- name: index
-- Put a message into the full text.
INSERT INTO spoken (rowid, terms) VALUES (:spot, :terms);

-- name: clear_index
-- Empty the full text.
INSERT INTO spoken (spoken) VALUES ('delete-all');

-- name: postings
-- Where a term stands, newest first.
SELECT rowid FROM spoken WHERE spoken MATCH :match ORDER BY rowid DESC LIMIT :limit;

-- name: last_message
-- The message accepted last.
SELECT $message FROM messages ORDER BY seq DESC LIMIT 1;

-- name: messages
-- Messages by their numbers, given as a JSON list.
SELECT $message FROM messages WHERE seq IN (SELECT value FROM json_each(:numbers));

-- name: heads
-- What ranking needs of messages, by their numbers, given as a JSON list; erased ones are none.
SELECT seq, place, name, said_at FROM messages
WHERE seq IN (SELECT value FROM json_each(:numbers)) AND role <> '';

-- name: heads_in_mind
-- The same, without those of which all that was made is forgotten or cold.
SELECT seq, place, name, said_at FROM messages
WHERE seq IN (SELECT value FROM json_each(:numbers)) AND role <> '' AND (
    EXISTS (
        SELECT 1 FROM nodes WHERE message = seq
            AND forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
            AND (n NOT IN (SELECT node FROM lifecycle) OR n IN (SELECT node FROM focus))
    ) OR NOT EXISTS (SELECT 1 FROM nodes WHERE message = seq)
);

-- name: said_between
-- The messages said in a span of time, newest first.
SELECT seq FROM messages WHERE said_at >= :first AND said_at < :last
ORDER BY said_at DESC, seq DESC LIMIT :limit;

-- name: segments_of
-- The memories cut from messages, alive or forgotten.
SELECT $node FROM nodes WHERE message IN (SELECT value FROM json_each(:messages)) ORDER BY n;

-- name: add_vector
-- Keep the vector of a message.
INSERT INTO vectors (message, vector) VALUES (:message, :vector)
ON CONFLICT (message) DO UPDATE SET vector = excluded.vector;

-- name: vectors
-- The vectors of messages after a number.
SELECT message, vector FROM vectors WHERE message > :after ORDER BY message LIMIT :limit;

-- name: last_vector
-- The last message that has a vector.
SELECT coalesce(max(message), 0) FROM vectors;

-- name: clear_vectors
-- Drop all vectors.
DELETE FROM vectors;

-- name: add_job
-- Put a job in the last place.
INSERT INTO jobs (kind, place, first_message, last_message, accepted_at)
VALUES (
    :kind,
    max(
        coalesce((SELECT max(seq) FROM jobs), 0),
        coalesce((SELECT max(place) FROM jobs WHERE state = 'pending' AND kind = 'remember'), 0)
    ) + 1,
    :first, :last, :at
);

-- name: next_remember
-- The remember whose turn it is, leaving out those that failed for good and wait their time.
SELECT $job FROM jobs
WHERE state = 'pending' AND kind = 'remember'
    AND NOT (attempts > :retries AND progress IS NULL
        AND not_before > :at AND not_before <= :latest)
ORDER BY place LIMIT 1;

-- name: first_remember
-- The first remember, whether it waits or not.
SELECT $job FROM jobs WHERE state = 'pending' AND kind = 'remember' ORDER BY place LIMIT 1;

-- name: pending_upkeep
-- The other jobs, in order.
SELECT $job FROM jobs WHERE state = 'pending' AND kind <> 'remember' ORDER BY place;

-- name: job
-- One job by its number.
SELECT $job FROM jobs WHERE seq = :seq;

-- name: jobs
-- All jobs in a state, in order.
SELECT $job FROM jobs WHERE state = :state ORDER BY place, seq;

-- name: last_accepted
-- When messages were last accepted.
SELECT max(accepted_at) FROM jobs WHERE kind = 'remember';

-- name: last_job
-- The number of the job accepted last.
SELECT coalesce(max(seq), 0) FROM jobs;

-- name: unsettled
-- Whether a remember up to a number still waits for its first try.
SELECT EXISTS (
    SELECT 1 FROM jobs
    WHERE state = 'pending' AND kind = 'remember' AND attempts = 0 AND seq <= :upto
);

-- name: pending
-- How many jobs of any kind are pending (two indexes, hence two halves).
SELECT (SELECT count(*) FROM jobs WHERE state = 'pending' AND kind = 'remember')
    + (SELECT count(*) FROM jobs WHERE state = 'pending' AND kind <> 'remember');

-- name: finish_job
-- Mark a job done.
UPDATE jobs SET state = 'done', finished_at = :at, progress = :progress, reason = NULL
WHERE seq = :seq;

-- name: drop_job
-- Remove a job that left nothing to remember it by.
DELETE FROM jobs WHERE seq = :seq;

-- name: progress_job
-- Note how far a long job has come.
UPDATE jobs SET progress = :progress WHERE seq = :seq;

-- name: postpone_job
-- Try a job again later, in its place.
UPDATE jobs SET attempts = :attempts, not_before = :not_before, reason = :reason
WHERE seq = :seq;

-- name: send_back_job
-- Give a job the last place.
UPDATE jobs
SET place = max(
    coalesce((SELECT max(seq) FROM jobs), 0),
    coalesce((SELECT max(place) FROM jobs WHERE state = 'pending' AND kind = 'remember'), place)
) + 1
WHERE seq = :seq;

-- name: fail_job
-- Give a job up, visibly.
UPDATE jobs SET state = 'failed', reason = :reason, finished_at = :at WHERE seq = :seq;

-- name: retry_job
-- Take a failed job up again.
UPDATE jobs
SET state = 'pending', attempts = 0, not_before = 0,
    place = coalesce((SELECT max(seq) FROM jobs), 0) + 1
WHERE seq = :seq AND state = 'failed';

-- name: messages_between
-- The messages with numbers in a range.
SELECT $message FROM messages WHERE seq BETWEEN :first AND :last ORDER BY seq;

-- name: waiting_ranges
-- Where the messages are that no job has digested yet (two indexes, hence two halves).
SELECT first_message, last_message FROM jobs
WHERE state = 'pending' AND kind = 'remember' AND first_message IS NOT NULL
UNION ALL
SELECT first_message, last_message FROM jobs
WHERE state = 'failed' AND kind = 'remember' AND first_message IS NOT NULL;

-- name: add_node
-- Make a memory.
INSERT INTO nodes (kind, job, message, original, phrase, keywords, sources, created_at)
VALUES (:kind, :job, :message, :original, :phrase, :keywords, :sources, :created_at);

-- name: node
-- One memory, alive or forgotten.
SELECT $node FROM nodes WHERE n = :n;

-- name: alive
-- All memories that are alive, in order of creation.
SELECT $node FROM nodes
WHERE forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
ORDER BY n LIMIT :limit OFFSET :offset;

-- name: fading
-- The memories that have begun to fade, those to be forgotten first in front.
SELECT $node FROM nodes
WHERE forgotten_at IS NULL AND fade_at <= :passes AND (die_at IS NULL OR die_at > :passes)
ORDER BY die_at, n LIMIT :limit;

-- name: trash
-- The forgotten memories, the last one in front.
SELECT $node FROM nodes
WHERE forgotten_at IS NOT NULL OR die_at <= :passes
ORDER BY coalesce(forgotten_at, 1e300) DESC, n DESC LIMIT :limit;

-- name: dying
-- The memories whose time has come.
SELECT $node FROM nodes WHERE forgotten_at IS NULL AND die_at <= :passes ORDER BY die_at, n
LIMIT :limit;

-- name: due
-- The memories whose text is to be rewritten, longest overdue first.
SELECT $node FROM nodes
WHERE forgotten_at IS NULL AND due_at <= :passes AND (die_at IS NULL OR die_at > :passes)
ORDER BY due_at, n LIMIT :limit;

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

-- name: highest_node
-- The highest number of a memory.
SELECT coalesce(max(n), 0) FROM nodes;

-- name: save_node
-- Write back what can change in a memory.
UPDATE nodes SET content = :content, phrase = :phrase, keywords = :keywords, scans = :scans,
    since_pass = :since_pass, fade_at = :fade_at, due_at = :due_at, die_at = :die_at,
    kept = :kept, forgotten_at = :forgotten_at, reason = :reason
WHERE n = :n;

-- name: put_fact
-- Keep what belongs to a fact beside its text.
INSERT INTO facts ($fact)
VALUES (:node, :weight, :used_at, :aged, :source, :verified, :topic, :successor, :review)
ON CONFLICT (node) DO UPDATE SET
    weight = excluded.weight, used_at = excluded.used_at, aged = excluded.aged,
    source = excluded.source, verified = excluded.verified, topic = excluded.topic,
    successor = excluded.successor, review = excluded.review;

-- name: fact
-- What belongs to a fact beside its text.
SELECT $fact FROM facts WHERE node = :n;

-- name: facts
-- The living memories of a kind, newest first; of one kind, so that nothing has to be sorted.
SELECT $node FROM nodes
WHERE kind = :kind AND kind <> 'segment' AND forgotten_at IS NULL
ORDER BY n DESC LIMIT :limit;

-- name: facts_after
-- The living facts and episodes after a number, in order; segments are not even passed over.
SELECT $t.node FROM facts m CROSS JOIN nodes t
WHERE m.node > :n AND t.n = m.node AND t.forgotten_at IS NULL
ORDER BY m.node LIMIT :limit;

-- name: set_kind
-- Make a memory one of another kind.
UPDATE nodes SET kind = :kind WHERE n = :n;

-- name: facts_to_review
-- The living facts for which a decision is wanted.
SELECT $m.fact FROM facts m JOIN nodes t ON t.n = m.node
WHERE m.review IN ('promotion', 'decay') AND t.forgotten_at IS NULL
ORDER BY m.node LIMIT :limit;

-- name: learn_from
-- Note that a memory was learned from a message.
INSERT INTO evidence (node, message) VALUES (:node, :message) ON CONFLICT DO NOTHING;

-- name: evidence_of
-- The messages from which a memory was learned.
SELECT message FROM evidence WHERE node = :n ORDER BY message;

-- name: learned_from
-- What was learned from messages, given as a JSON list.
SELECT message, node FROM evidence
WHERE message IN (SELECT value FROM json_each(:messages)) ORDER BY message, node;

-- name: index_fact
-- Put a fact or an episode into the full text.
INSERT INTO kept (rowid, terms) VALUES (:n, :terms);

-- name: facts_holding
-- The facts and episodes that hold a term, newest first.
SELECT rowid FROM kept WHERE kept MATCH :match ORDER BY rowid DESC LIMIT :limit;

-- name: living_after
-- The living memories after a number, in order; with :cold only those that are not active.
SELECT n FROM nodes
WHERE n > :after AND forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
    AND (NOT :cold OR EXISTS (SELECT 1 FROM lifecycle WHERE lifecycle.node = nodes.n))
ORDER BY n LIMIT :limit;

-- name: vitals
-- What the activity of living memories, given as a JSON list, is computed from, in order.
WITH some AS (
    SELECT n, kind, created_at,
        scans + CASE WHEN since_pass IS NULL THEN 0 ELSE :passes - since_pass END AS scanned
    FROM nodes
    WHERE n IN (SELECT value FROM json_each(:nodes))
        AND forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)
)
SELECT some.n, some.kind, some.created_at,
    (SELECT count(*) FROM links l JOIN nodes s ON s.n = l.source
     WHERE l.target = some.n AND s.forgotten_at IS NULL AND (s.die_at IS NULL OR s.die_at > :passes)
        AND l.strength > 0
        AND l.strength * power(:rate, s.scans - l.at_scan
            + CASE WHEN s.since_pass IS NULL THEN 0 ELSE :passes - s.since_pass END) >= :broken),
    (SELECT count(*) FROM links l
     WHERE l.source = some.n AND l.strength > 0
        AND l.strength * power(:rate, some.scanned - l.at_scan) >= :broken
        AND (:dangling OR EXISTS (
            SELECT 1 FROM nodes t WHERE t.n = l.target AND t.forgotten_at IS NULL
                AND (t.die_at IS NULL OR t.die_at > :passes)))),
    coalesce(b.access_count, 0), coalesce(b.traverse_count, 0),
    b.last_accessed_at, b.last_linked_at,
    EXISTS (SELECT 1 FROM focus WHERE focus.node = some.n),
    c.cold_since, c.merge_with, coalesce(c.delete_eligible, 0)
FROM some
LEFT JOIN signals b ON b.node = some.n
LEFT JOIN lifecycle c ON c.node = some.n
ORDER BY some.n;

-- name: texts_of
-- The texts of memories, given as a JSON list.
SELECT n, message, coalesce(content, original) FROM nodes
WHERE n IN (SELECT value FROM json_each(:nodes)) ORDER BY n;

-- name: texts_from
-- The texts of the living memories cut from messages, given as a JSON list.
SELECT n, message, coalesce(content, original) FROM nodes
WHERE message IN (SELECT value FROM json_each(:messages)) AND forgotten_at IS NULL ORDER BY n;

-- name: put_lifecycle
-- Note how a tick left a memory.
INSERT INTO lifecycle ($lifecycle) VALUES (:node, :cold_since, :merge_with, :delete_eligible)
ON CONFLICT (node) DO UPDATE SET cold_since = excluded.cold_since,
    merge_with = excluded.merge_with, delete_eligible = excluded.delete_eligible;

-- name: lifecycle
-- How the last tick left a memory.
SELECT $lifecycle FROM lifecycle WHERE node = :n;

-- name: drop_lifecycle_row
-- Let a memory be active.
DELETE FROM lifecycle WHERE node = :n;

-- name: put_lifecycle_row
-- Put back how a tick had left a memory.
INSERT INTO lifecycle ($lifecycle) VALUES ($:lifecycle);

-- name: cold_among
-- Which of some memories, given as a JSON list, are cold.
SELECT node FROM lifecycle
WHERE node IN (SELECT value FROM json_each(:nodes))
    AND NOT EXISTS (SELECT 1 FROM focus WHERE focus.node = lifecycle.node);

-- name: merge_marks
-- The memories for which a merge is suggested.
SELECT $lifecycle FROM lifecycle WHERE merge_with IS NOT NULL ORDER BY node LIMIT :limit;

-- name: lifecycle_counts
-- How many living memories are cold, and how many of them are marked.
SELECT count(*) AS cold, count(c.merge_with) AS mergeable,
    coalesce(sum(c.delete_eligible), 0) AS deletable
FROM lifecycle c JOIN nodes ON nodes.n = c.node
WHERE nodes.forgotten_at IS NULL AND (nodes.die_at IS NULL OR nodes.die_at > :passes)
    AND NOT EXISTS (SELECT 1 FROM focus WHERE focus.node = c.node);

-- name: put_link
-- Make a link, or revive it; the name of a relation never changes.
INSERT INTO links (source, target, strength, at_scan, relation)
VALUES (:source, :target, :strength, :at_scan, :relation)
ON CONFLICT (source, target) DO UPDATE
SET strength = excluded.strength, at_scan = excluded.at_scan;

-- name: links_from
-- The links of a memory.
SELECT $link FROM links WHERE source = :n ORDER BY target;

-- name: links_to
-- The links that point at a memory.
SELECT $link FROM links WHERE target = :n ORDER BY source;

-- name: neighbours
-- The links of a memory, with the memories they lead to.
SELECT $l.link, $t.node
FROM links l LEFT JOIN nodes t ON t.n = l.target
WHERE l.source = :n ORDER BY l.target;

-- name: supporters
-- The links by which focus memories hold a memory.
SELECT $l.link FROM focus f JOIN links l ON l.source = f.node AND l.target = :n ORDER BY f.place;

-- name: focus
-- The focus, newest first.
SELECT node FROM focus ORDER BY place;

-- name: clear_focus
-- Empty the focus.
DELETE FROM focus;

-- name: add_focus
-- Put a memory in a place of the focus.
INSERT INTO focus (place, node) VALUES (:place, :node);

-- name: log
-- Append to the journal.
INSERT INTO journal (at, passes, kind, node, detail)
VALUES (:at, (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'passes'), :kind, :node, :detail);

-- name: journal_of
-- What happened to a memory.
SELECT $entry FROM journal WHERE node = :n ORDER BY seq;

-- name: journal
-- What happened after an entry, perhaps of one kind only.
SELECT $entry FROM journal
WHERE seq > :after AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind) ORDER BY seq;

-- name: last_entry
-- The number of the newest entry of the journal.
SELECT coalesce(max(seq), 0) FROM journal;

-- name: entry
-- One entry of the journal.
SELECT $entry FROM journal WHERE seq = :seq;

-- name: add_undo
-- Keep that a change can be undone.
INSERT INTO undo (seq, first, last) VALUES (:seq, :first, :last);

-- name: add_undo_row
-- Keep what a row was before a change and after it.
INSERT INTO undo_rows (op, kind, key, former, later) VALUES (:op, :kind, :key, :former, :later);

-- name: undo_of
-- The change that made a journal entry.
SELECT $undo FROM undo WHERE last >= :seq AND first <= :seq ORDER BY last LIMIT 1;

-- name: undos
-- The changes that can be undone, newest first.
SELECT $undo FROM undo ORDER BY op DESC LIMIT :limit;

-- name: undo_rows
-- What a change touched.
SELECT kind, key, former, later FROM undo_rows WHERE op = :op ORDER BY kind, key;

-- name: undos_touching
-- The changes that touched memories, given as a JSON list, or links with them, or named them.
SELECT op FROM undo_rows, json_each(undo_rows.key) AS named
WHERE kind <> 'focus' AND named.value IN (SELECT value FROM json_each(:nodes))
UNION
SELECT op FROM undo_rows, json_each(former) AS named
WHERE kind = 'focus' AND named.value IN (SELECT value FROM json_each(:nodes))
UNION
SELECT op FROM undo_rows, json_each(later) AS named
WHERE kind = 'focus' AND named.value IN (SELECT value FROM json_each(:nodes));

-- name: drop_undo_rows
-- Drop what some changes touched.
DELETE FROM undo_rows WHERE op IN (SELECT value FROM json_each(:ops));

-- name: drop_undos
-- Drop some changes from those that can be undone.
DELETE FROM undo WHERE op IN (SELECT value FROM json_each(:ops));

-- name: drop_old_undo_rows
-- Drop what old changes touched.
DELETE FROM undo_rows WHERE op <= :upto;

-- name: drop_old_undos
-- Drop old changes from those that can be undone.
DELETE FROM undo WHERE op <= :upto;

-- name: link_row
-- One link.
SELECT $link FROM links WHERE source = :source AND target = :target;

-- name: drop_node_row
-- Remove a memory, to put it back as it was or because it was not there.
DELETE FROM nodes WHERE n = :n;

-- name: put_node_row
-- Put a memory back as it was.
INSERT INTO nodes ($node)
VALUES (:n, :kind, :job, :original, :content, :phrase, :keywords, :sources, :created_at, :scans,
    :since_pass, :fade_at, :due_at, :die_at, :kept, :forgotten_at, :reason, :message);

-- name: drop_link_row
-- Remove a link.
DELETE FROM links WHERE source = :source AND target = :target;

-- name: put_link_row
-- Put a link back as it was.
INSERT INTO links ($link) VALUES (:source, :target, :strength, :at_scan, :relation);

-- name: drop_fact_row
-- Remove what belongs to a fact.
DELETE FROM facts WHERE node = :n;

-- name: put_fact_row
-- Put back what belonged to a fact.
INSERT INTO facts ($fact)
VALUES (:node, :weight, :used_at, :aged, :source, :verified, :topic, :successor, :review);

-- name: drop_evidence_row
-- Remove the evidence of a memory.
DELETE FROM evidence WHERE node = :n;

-- name: drop_focus_row
-- Empty the focus before it is put back.
DELETE FROM focus;

-- name: accessed
-- A memory was returned.
INSERT INTO signals (node, access_count, last_accessed_at) VALUES (:node, 1, :at)
ON CONFLICT (node) DO UPDATE
SET access_count = signals.access_count + 1, last_accessed_at = excluded.last_accessed_at;

-- name: traversed
-- A memory was passed on the way to another.
INSERT INTO signals (node, traverse_count, last_linked_at) VALUES (:node, 1, :at)
ON CONFLICT (node) DO UPDATE
SET traverse_count = signals.traverse_count + 1, last_linked_at = excluded.last_linked_at;

-- name: signals
-- The behaviour recorded of a memory.
SELECT $signals FROM signals WHERE node = :n;

-- name: unnoted
-- The behaviour that the journal has not been told of.
SELECT $signals FROM signals WHERE access_count + traverse_count <> noted ORDER BY node;

-- name: note_signals
-- The journal has been told of so much behaviour.
UPDATE signals SET noted = :access_count + :traverse_count WHERE node = :node;

-- name: put_signals
-- Put recorded behaviour in place of what is there.
INSERT INTO signals ($signals) VALUES ($:signals)
ON CONFLICT (node) DO UPDATE SET
    access_count = excluded.access_count, traverse_count = excluded.traverse_count,
    last_accessed_at = excluded.last_accessed_at, last_linked_at = excluded.last_linked_at;

-- name: add_usage
-- Add what one model call cost.
INSERT INTO usage (day, routine, calls, failures, prompt_tokens, completion_tokens, seconds)
VALUES (:day, :routine, :calls, :failures, :prompt_tokens, :completion_tokens, :seconds)
ON CONFLICT (day, routine) DO UPDATE SET
    calls = usage.calls + excluded.calls,
    failures = usage.failures + excluded.failures,
    prompt_tokens = usage.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = usage.completion_tokens + excluded.completion_tokens,
    seconds = usage.seconds + excluded.seconds;

-- name: usage
-- What models cost, by day and routine, from a day on.
SELECT $usage FROM usage WHERE day >= :since ORDER BY day, routine;

-- name: answer
-- A usable answer that was given before.
SELECT answer FROM answers WHERE hash = :hash;

-- name: keep_answer
-- Keep a usable answer.
INSERT INTO answers (hash, answer, at) VALUES (:hash, :answer, :at)
ON CONFLICT (hash) DO UPDATE SET answer = excluded.answer, at = excluded.at;

-- name: drop_old_answers
-- Keep no more than so many answers.
DELETE FROM answers
WHERE at < (SELECT at FROM answers ORDER BY at DESC LIMIT 1 OFFSET :most);

-- name: messages_named
-- All messages to which the caller gave an id.
SELECT $message FROM messages WHERE id = :id ORDER BY seq;

-- name: erase_message
-- Leave of a message only its number and its place.
UPDATE messages SET id = NULL, role = '', name = NULL, content = '', timestamp = NULL
WHERE seq = :n AND role <> '';

-- name: blank_message
-- Take the words from a message.
UPDATE messages SET content = '' WHERE seq = :n;

-- name: spots_between
-- The spots of the full text in a range.
SELECT rowid FROM spoken WHERE rowid BETWEEN :first AND :last;

-- name: erase_spoken
-- Take a spot out of the full text.
DELETE FROM spoken WHERE rowid = :spot;

-- name: erase_vectors
-- Drop the vector of a message, and of the next, which was made with it.
DELETE FROM vectors WHERE message BETWEEN :n AND :n + 1;

-- name: erase_speaker
-- Drop a name that nobody bears any more.
DELETE FROM speakers
WHERE name = :name AND NOT EXISTS (SELECT 1 FROM messages WHERE messages.name = :name);

-- name: erase_node
-- Drop a memory.
DELETE FROM nodes WHERE n = :n;

-- name: erase_links
-- Drop the links of a memory, both ways.
DELETE FROM links WHERE source = :n OR target = :n;

-- name: erase_fact
-- Drop what is kept of a fact beside its text.
DELETE FROM facts WHERE node = :n;

-- name: erase_successor
-- Drop what says that a fact was replaced by this one.
UPDATE facts SET successor = NULL WHERE successor = :n;

-- name: erase_evidence
-- Drop what says where a fact came from.
DELETE FROM evidence WHERE node = :n;

-- name: erase_kept
-- Take a fact out of the full text.
DELETE FROM kept WHERE rowid = :n;

-- name: erase_signals
-- Drop the behaviour recorded of a memory.
DELETE FROM signals WHERE node = :n;

-- name: erase_lifecycle
-- Drop the state of a memory.
DELETE FROM lifecycle WHERE node = :n;

-- name: blank_journal_of
-- Leave of what happened to a memory only that it happened.
-- What was undone is told of several memories; see undone_noted.
UPDATE journal SET detail = '{}' WHERE node = :n AND detail <> '{}' AND kind <> 'undone';

-- name: undone_noted
-- The journal's entries of changes that were undone.
SELECT seq, detail FROM journal WHERE kind = 'undone' AND detail <> '{}';

-- name: merged_from
-- The memories merged of others that were made of messages, whose ids are given as a JSON list.
SELECT DISTINCT n FROM nodes, json_each(nodes.sources) AS source
WHERE kind = 'segment' AND job IS NULL
    AND source.value IN (SELECT value FROM json_each(:ids));

-- name: undone_from
-- The keys of memories made of messages, given as a JSON list, among what changes touched.
SELECT DISTINCT key FROM undo_rows
WHERE kind = 'node' AND json_extract(coalesce(former, later), :path)
        IN (SELECT value FROM json_each(:messages))
    OR kind = 'evidence' AND EXISTS (
        SELECT 1 FROM json_each(coalesce(former, later)) AS source
        WHERE source.value IN (SELECT value FROM json_each(:messages)));

-- name: former
-- A memory before and after the changes that touched it.
SELECT former, later FROM undo_rows WHERE kind = 'node' AND key = :key;

-- name: made_beside
-- The memories made while one of some, given as a JSON list, was in focus.
SELECT n FROM nodes WHERE job IN (
    SELECT seq FROM jobs WHERE kind = 'remember' AND progress IS NOT NULL AND EXISTS (
        SELECT 1 FROM json_each(progress, '$.focus') AS attended
        WHERE attended.value IN (SELECT value FROM json_each(:nodes)))
);

-- name: attended_by
-- What was in focus when a job began.
SELECT attended.value FROM jobs, json_each(jobs.progress, '$.focus') AS attended
WHERE jobs.seq = :job AND jobs.kind = 'remember' AND jobs.progress IS NOT NULL;

-- name: kept_orphans
-- The facts and episodes in the full text that are not there.
SELECT rowid FROM kept WHERE rowid NOT IN (SELECT n FROM nodes);

-- name: relations_noted
-- The journal's entries that name the relations of a memory.
SELECT seq, detail FROM journal WHERE node = :n AND kind = 'remembered' AND detail <> '{}';

-- name: rewrite_entry
-- Put another detail in the place of a journal entry's.
UPDATE journal SET detail = :detail WHERE seq = :seq;

-- name: clear_answers
-- Drop all kept answers.
DELETE FROM answers;

-- name: blank_reasons
-- Leave of the reasons why jobs failed only what kind of error it was.
UPDATE jobs SET reason = substr(reason, 1, instr(reason, ':') - 1)
WHERE state <> 'done' AND reason LIKE '%:%';

-- name: blank_reviews
-- Let reviews under way begin anew.
UPDATE jobs SET progress = NULL WHERE kind = 'review' AND progress IS NOT NULL;

-- name: bury
-- Note that something was erased.
INSERT INTO tombstones (kind, id, at) VALUES (:kind, :id, :at) ON CONFLICT DO NOTHING;

-- name: is_erased
-- Whether something was erased.
SELECT EXISTS (SELECT 1 FROM tombstones WHERE kind = :kind AND id = :id);

-- name: erased
-- Everything of a kind that was erased.
SELECT id FROM tombstones WHERE kind = :kind ORDER BY at, id;

-- name: mentions
-- Whether something that is still there holds these bytes.
SELECT EXISTS (SELECT 1 FROM messages
    WHERE instr(CAST(coalesce(id, '') || char(10) || coalesce(name, '') || char(10) || content
        AS BLOB), :piece))
    OR EXISTS (SELECT 1 FROM nodes
    WHERE instr(CAST(original || char(10) || coalesce(content, '') || char(10) || phrase
        || char(10) || keywords || char(10) || sources AS BLOB), :piece))
    OR EXISTS (SELECT 1 FROM journal WHERE instr(CAST(detail AS BLOB), :piece))
    OR EXISTS (SELECT 1 FROM links WHERE instr(CAST(relation AS BLOB), :piece))
    OR EXISTS (SELECT 1 FROM tombstones WHERE instr(CAST(id AS BLOB), :piece));

-- name: old_messages
-- Messages said before a time whose words are still there though no job needs them.
SELECT $message FROM messages
WHERE said_at < :before AND seq <= :upto AND content <> '' AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE jobs.state <> 'done' AND jobs.kind = 'remember'
        AND messages.seq BETWEEN jobs.first_message AND jobs.last_message
)
ORDER BY said_at LIMIT :limit;

-- name: old_trash
-- Memories that were forgotten before a time.
SELECT n FROM nodes WHERE forgotten_at < :before ORDER BY n LIMIT :limit;

-- name: blank_journal
-- Leave of what happened before a time only that it happened.
UPDATE journal SET detail = '{}' WHERE seq IN (
    SELECT seq FROM journal WHERE at < :before AND detail <> '{}' ORDER BY seq LIMIT :limit
);

-- name: counts
-- The figures of the store.
SELECT
    (SELECT count(*) FROM nodes
     WHERE forgotten_at IS NULL AND (die_at IS NULL OR die_at > :passes)) AS nodes,
    (SELECT count(*) FROM focus) AS focus,
    (SELECT count(*) FROM links) AS links,
    (SELECT count(*) FROM nodes
     WHERE forgotten_at IS NULL AND fade_at <= :passes
        AND (die_at IS NULL OR die_at > :passes)) AS fading,
    (SELECT count(*) FROM nodes
     WHERE forgotten_at IS NOT NULL OR die_at <= :passes) AS forgotten,
    (SELECT count(*) FROM messages) AS messages,
    (SELECT count(*) FROM jobs WHERE state = 'pending' AND kind = 'remember')
    + (SELECT count(*) FROM jobs WHERE state = 'pending' AND kind <> 'remember') AS pending,
    (SELECT count(*) FROM jobs WHERE state = 'failed') AS failed;

-- name: every_note
-- All notes of the store, in order.
SELECT $note FROM meta ORDER BY key;

-- name: every_message
-- All messages, in order.
SELECT $message FROM messages ORDER BY seq;

-- name: every_job
-- All jobs, in order.
SELECT $job FROM jobs ORDER BY seq;

-- name: every_node
-- All memories, alive or forgotten, in order.
SELECT $node FROM nodes ORDER BY n;

-- name: every_link
-- All links, in order.
SELECT $link FROM links ORDER BY source, target;

-- name: every_focus
-- All places of the focus, in order.
SELECT $focus FROM focus ORDER BY place;

-- name: every_entry
-- All entries of the journal, in order.
SELECT $entry FROM journal ORDER BY seq;

-- name: every_signals
-- All recorded behaviour, in order.
SELECT $signals FROM signals ORDER BY node;

-- name: every_lifecycle
-- All states of memories, in order.
SELECT $lifecycle FROM lifecycle ORDER BY node;

-- name: every_tombstone
-- All ids of what was erased, in order.
SELECT $tombstone FROM tombstones ORDER BY kind, id;

-- name: every_fact
-- All what belongs to facts, in order.
SELECT $fact FROM facts ORDER BY node;

-- name: every_evidence
-- All pieces of evidence, in order.
SELECT $evidence FROM evidence ORDER BY node, message;

-- name: every_usage
-- All costs, in order.
SELECT $usage FROM usage ORDER BY day, routine;

-- name: every_vector
-- All vectors, in order.
SELECT $vector FROM vectors ORDER BY message;

-- name: take_in_note
-- Store a note of the store, or another value for it that comes from elsewhere.
INSERT INTO meta ($note) VALUES ($:note) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: take_in_message
-- Store a message that comes from elsewhere.
INSERT INTO messages ($message) VALUES ($:message);

-- name: take_in_job
-- Store a job that comes from elsewhere.
INSERT INTO jobs ($job) VALUES ($:job);

-- name: take_in_node
-- Store a memory that comes from elsewhere.
INSERT INTO nodes ($node) VALUES ($:node);

-- name: take_in_link
-- Store a link that comes from elsewhere.
INSERT INTO links ($link) VALUES ($:link);

-- name: take_in_focus
-- Store a place of the focus that comes from elsewhere.
INSERT INTO focus ($focus) VALUES ($:focus);

-- name: take_in_entry
-- Store an entry of the journal that comes from elsewhere.
INSERT INTO journal ($entry) VALUES ($:entry);

-- name: take_in_signals
-- Store recorded behaviour that comes from elsewhere.
INSERT INTO signals ($signals) VALUES ($:signals);

-- name: take_in_lifecycle
-- Store the state of a memory that comes from elsewhere.
INSERT INTO lifecycle ($lifecycle) VALUES ($:lifecycle);

-- name: take_in_tombstone
-- Store the id of something that was erased elsewhere.
INSERT INTO tombstones ($tombstone) VALUES ($:tombstone)
ON CONFLICT (kind, id) DO NOTHING;

-- name: take_in_fact
-- Store what belongs to a fact that comes from elsewhere.
INSERT INTO facts ($fact) VALUES ($:fact);

-- name: take_in_evidence
-- Store a piece of evidence that comes from elsewhere.
INSERT INTO evidence ($evidence) VALUES ($:evidence);

-- name: take_in_usage
-- Store what a day cost that comes from elsewhere.
INSERT INTO usage ($usage) VALUES ($:usage);

-- name: take_in_vector
-- Store a vector that comes from elsewhere.
INSERT INTO vectors ($vector) VALUES ($:vector);

-- name: last_number
-- The highest number that a memory ever had.
SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'nodes';

-- name: raise_number
-- See that memories get higher numbers than this one.
UPDATE sqlite_sequence SET seq = :upto WHERE name = 'nodes' AND seq < :upto;

-- name: first_number
-- The same where there has been no memory yet.
INSERT INTO sqlite_sequence (name, seq)
SELECT 'nodes', :upto WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'nodes');

-- name: tombstones
-- What was erased for good.
SELECT kind, id FROM tombstones;
