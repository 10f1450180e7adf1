-- name: add
-- Keep the vector of a message.
INSERT INTO vectors (message, vector) VALUES (:message, :vector)
ON CONFLICT (message) DO UPDATE SET vector = excluded.vector;

-- name: last
-- The last message that has a vector.
SELECT coalesce(max(message), 0) FROM vectors;

-- name: clear
-- Drop all vectors.
DELETE FROM vectors;

-- name: erase
-- Drop the vector of a message, and of the next, which was made with it.
DELETE FROM vectors WHERE message BETWEEN :n AND :n + 1;
