-- name: after
-- The messages after a number, as JSON, and their vectors in one piece.
SELECT json_group_array(message), CAST(group_concat(vector, '') AS BLOB) FROM (
    SELECT message, vector FROM vectors WHERE message > :after ORDER BY message LIMIT :limit
);
