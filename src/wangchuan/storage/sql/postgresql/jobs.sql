-- name: attended_by
-- What was in focus when a job began, and what was shown beside it.
SELECT CAST(attended.value AS BIGINT)
FROM jobs, jsonb_array_elements_text(CAST(jobs.progress AS JSONB) -> 'focus') AS attended (value)
WHERE jobs.seq = :job AND jobs.kind = 'remember' AND jobs.progress IS NOT NULL
UNION
SELECT CAST(related.value AS BIGINT)
FROM jobs, jsonb_array_elements_text(CAST(jobs.progress AS JSONB) -> 'related') AS related (value)
WHERE jobs.seq = :job AND jobs.kind = 'remember' AND jobs.progress IS NOT NULL;

-- name: blank_reasons
-- Leave of the reasons why jobs failed only what kind of error it was.
UPDATE jobs SET reason = split_part(reason, ':', 1) WHERE state <> 'done' AND reason LIKE '%:%';
