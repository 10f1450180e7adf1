-- name: get
-- An item that has not expired.
SELECT $item FROM items WHERE namespace = :namespace AND key = :key
AND (expires_at IS NULL OR expires_at > :now);

-- name: put
-- Keep an item, in the place of the one before it.
INSERT INTO items ($item) VALUES ($:item)
ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at,
    ttl = excluded.ttl, expires_at = excluded.expires_at, terms = excluded.terms,
    vectors = excluded.vectors;

-- name: within
-- The items of a range of namespaces, the newest first.
SELECT $item FROM items WHERE namespace >= :low AND namespace < :high
AND (expires_at IS NULL OR expires_at > :now) ORDER BY updated_at DESC, namespace, key;

-- name: extend
-- An item was used: it lasts as long again.
UPDATE items SET expires_at = :now + ttl * 60
WHERE namespace = :namespace AND key = :key AND ttl IS NOT NULL;

-- name: drop
-- Drop an item.
DELETE FROM items WHERE namespace = :namespace AND key = :key;

-- name: drop_expired
-- Drop what has expired.
DELETE FROM items WHERE expires_at <= :now;
