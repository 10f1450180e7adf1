-- name: nearest
-- The messages whose vectors are nearest to one, given as a list of numbers, with the cosine.
SELECT message, close FROM nearest_vectors(:query, :limit);

-- name: after
-- The messages after a number, as JSON, and their vectors in one piece.
SELECT
    CAST(coalesce(json_agg(message ORDER BY message), '[]') AS TEXT),
    string_agg(vector, CAST('' AS BYTEA) ORDER BY message)
FROM (
    SELECT message, vector FROM vectors WHERE message > :after ORDER BY message LIMIT :limit
) AS some_vectors;
