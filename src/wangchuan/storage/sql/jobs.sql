-- name: waiting
-- How many remembers wait, counted no further than the limit.
SELECT count(*) FROM (
    SELECT 1 FROM jobs WHERE state = 'pending' AND kind = 'remember' LIMIT :limit
) AS counted;

-- name: waiting_span
-- How far apart the places of the first and the last waiting remember are: quicker than counting,
-- and never less than half their number (a place is shared by two at most).
SELECT (SELECT max(place) FROM jobs WHERE state = 'pending' AND kind = 'remember')
    - (SELECT min(place) FROM jobs WHERE state = 'pending' AND kind = 'remember') + 1;

-- name: add
-- Put a job in the last place.
INSERT INTO jobs (kind, place, first_message, last_message, accepted_at)
VALUES (
    :kind,
    (SELECT coalesce(max(taken.place), 0) + 1 FROM (
        SELECT max(seq) AS place FROM jobs
        UNION ALL
        SELECT max(place) FROM jobs WHERE state = 'pending' AND kind = 'remember'
    ) AS taken),
    :first, :last, :at
)
RETURNING seq;

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

-- name: upkeep
-- The other jobs, in order.
SELECT $job FROM jobs WHERE state = 'pending' AND kind <> 'remember' ORDER BY place;

-- name: get
-- One job by its number.
SELECT $job FROM jobs WHERE seq = :seq;

-- name: some
-- Jobs by their numbers, given as a list.
SELECT $job FROM jobs WHERE seq $in(:numbers) ORDER BY seq;

-- name: bringing
-- The remember that brought a message, if it is still known.
SELECT max(seq) FROM jobs
WHERE first_message = (
    SELECT max(first_message) FROM jobs WHERE first_message IS NOT NULL AND first_message <= :message
) AND last_message >= :message;

-- name: latest
-- Jobs of some states before one of them, newest first.
SELECT $job FROM jobs WHERE seq < :before AND state $in(:states) ORDER BY seq DESC LIMIT :limit;

-- name: in_state
-- All jobs in a state, in order.
SELECT $job FROM jobs WHERE state = :state ORDER BY place, seq;

-- name: last_accepted
-- When messages were last accepted.
SELECT max(accepted_at) FROM jobs WHERE kind = 'remember';

-- name: last
-- The number of the job accepted last.
SELECT coalesce(max(seq), 0) FROM jobs;

-- name: unsettled
-- Whether a remember of messages up to a number still waits for its first try.
SELECT EXISTS (
    SELECT 1 FROM jobs
    WHERE state = 'pending' AND kind = 'remember' AND attempts = 0 AND first_message <= :upto
);

-- name: pending
-- How many jobs of any kind are pending (two indexes, hence two halves).
SELECT (SELECT count(*) FROM jobs WHERE state = 'pending' AND kind = 'remember')
    + (SELECT count(*) FROM jobs WHERE state = 'pending' AND kind <> 'remember');

-- name: finish
-- Mark a job done.
UPDATE jobs SET state = 'done', finished_at = :at, progress = $:job.progress, reason = NULL
WHERE seq = :seq;

-- name: drop
-- Remove a job that left nothing to remember it by.
DELETE FROM jobs WHERE seq = :seq;

-- name: progress
-- Note how far a long job has come.
UPDATE jobs SET progress = :progress WHERE seq = :seq;

-- name: postpone
-- Try a job again later, in its place.
UPDATE jobs SET attempts = :attempts, not_before = :not_before, reason = :reason
WHERE seq = :seq;

-- name: send_back
-- Give a job the last place.
UPDATE jobs
SET place = (SELECT max(taken.place) + 1 FROM (
    SELECT max(seq) AS place FROM jobs
    UNION ALL
    SELECT coalesce(max(place), jobs.place) FROM jobs AS waiting
    WHERE state = 'pending' AND kind = 'remember'
) AS taken)
WHERE seq = :seq;

-- name: fail
-- Give a job up, visibly.
UPDATE jobs SET state = 'failed', reason = :reason, finished_at = :at WHERE seq = :seq;

-- name: retry
-- Take a failed job up again.
UPDATE jobs
SET state = 'pending', attempts = 0, not_before = 0,
    place = coalesce((SELECT max(seq) FROM jobs), 0) + 1
WHERE seq = :seq AND state = 'failed';

-- name: blank_reviews
-- Let reviews under way begin anew.
UPDATE jobs SET progress = NULL WHERE kind = 'review' AND progress IS NOT NULL;

-- name: idle
-- Old remembers of which no node is left, with messages up to one only.
SELECT $job FROM jobs
WHERE state = 'done' AND kind = 'remember' AND seq <= :upto
    AND coalesce(last_message, 0) <= :last_message
    AND seq NOT IN (SELECT job FROM nodes WHERE job IS NOT NULL)
ORDER BY seq LIMIT :limit;
