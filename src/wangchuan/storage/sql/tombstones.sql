-- name: add
-- Note that something was erased.
INSERT INTO tombstones (kind, id, at) VALUES (:kind, :id, :at) ON CONFLICT DO NOTHING;

-- name: among
-- Which of some ids, given as a list, are those of erased nodes or messages.
SELECT id FROM tombstones WHERE kind = :kind AND id $in(:ids);

-- name: is_erased
-- Whether something was erased.
SELECT EXISTS (SELECT 1 FROM tombstones WHERE kind = :kind AND id = :id);

-- name: of
-- Everything of a kind that was erased.
SELECT id FROM tombstones WHERE kind = :kind ORDER BY at, id;

-- name: all
-- What was erased for good.
SELECT kind, id FROM tombstones;
