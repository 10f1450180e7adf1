-- name: attended_by
-- What was in focus when a job began, and what was shown beside it.
SELECT attended.value FROM jobs, json_each(unfolded(jobs.progress), '$.focus') AS attended
WHERE jobs.seq = :job AND jobs.kind = 'remember' AND jobs.progress IS NOT NULL
UNION
SELECT related.value FROM jobs, json_each(unfolded(jobs.progress), '$.related') AS related
WHERE jobs.seq = :job AND jobs.kind = 'remember' AND jobs.progress IS NOT NULL;

-- name: blank_reasons
-- Leave of the reasons why jobs failed only what kind of error it was.
UPDATE jobs SET reason = substr(reason, 1, instr(reason, ':') - 1)
WHERE state <> 'done' AND reason LIKE '%:%';
