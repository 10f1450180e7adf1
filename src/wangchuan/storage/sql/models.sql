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

-- name: clear_answers
-- Drop all kept answers.
DELETE FROM answers;
