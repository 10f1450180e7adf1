-- name: add
-- Put a message into the full text.
WITH put AS (INSERT INTO spoken (spot, terms) VALUES (:spot, :terms))
INSERT INTO spoken_postings (term, spot)
SELECT word, CAST(:spot AS BIGINT) FROM words_of(:terms) AS word ON CONFLICT DO NOTHING;

-- name: clear
-- Empty the full text.
WITH gone AS (DELETE FROM spoken) DELETE FROM spoken_postings;

-- name: postings
-- For each of a list: where its terms stand before a spot, newest first, as JSON.
SELECT CAST((
    SELECT coalesce(json_agg(spot ORDER BY spot DESC), '[]') FROM (
        SELECT spot FROM spoken_postings AS found
        WHERE term = asked.terms ->> 0 AND spot < :before AND (asked.many < 2 OR EXISTS (
            SELECT 1 FROM spoken_postings AS beside -- looked up one by one: OFFSET sees to that
            WHERE beside.term = asked.terms ->> 1 AND beside.spot = found.spot OFFSET 0
        )) AND (asked.many < 3 OR asked.many - 2 = (
            SELECT count(*) FROM jsonb_array_elements_text(asked.terms - 0 - 0) AS other (term),
            LATERAL (
                SELECT 1 FROM spoken_postings AS beside
                WHERE beside.term = other.term AND beside.spot = found.spot OFFSET 0
            ) AS there
        ))
        ORDER BY spot DESC LIMIT :limit
    ) AS newest
) AS TEXT)
FROM (
    SELECT terms, jsonb_array_length(terms) AS many, place
    FROM jsonb_array_elements(CAST(:asked AS JSONB)) WITH ORDINALITY AS each (terms, place)
) AS asked
ORDER BY asked.place;

-- name: fold
-- Nothing: a server keeps the full text in one piece.
SELECT 1;

-- name: fold_facts
-- The same of facts and episodes.
SELECT 1;

-- name: tagged
-- Where a term stands after a spot, and others also, oldest first.
SELECT spot FROM spoken_postings AS found
WHERE term = :term AND spot > :after AND (
    CAST(:also AS TEXT[]) IS NULL OR cardinality(CAST(:also AS TEXT[])) = (
        SELECT count(*) FROM spoken_postings AS beside
        WHERE beside.term = ANY(CAST(:also AS TEXT[])) AND beside.spot = found.spot
    )
)
ORDER BY spot LIMIT :limit;

-- name: add_fact
-- Put a fact or an episode into the full text.
WITH put AS (
    INSERT INTO kept (n, terms) VALUES (:n, :terms)
    ON CONFLICT (agent, n) DO UPDATE SET terms = kept.terms || ' ' || excluded.terms
)
INSERT INTO kept_postings (term, n)
SELECT word, CAST(:n AS BIGINT) FROM words_of(:terms) AS word ON CONFLICT DO NOTHING;

-- name: facts_holding
-- For each of a list: the facts and episodes that hold its term, newest first, as JSON.
SELECT CAST((
    SELECT coalesce(json_agg(n ORDER BY n DESC), '[]') FROM (
        SELECT n FROM kept_postings WHERE term = asked.terms ->> 0 ORDER BY n DESC LIMIT :limit
    ) AS newest
) AS TEXT)
FROM jsonb_array_elements(CAST(:asked AS JSONB)) WITH ORDINALITY AS asked (terms, place)
ORDER BY asked.place;

-- name: spots
-- The spots of the full text in a range.
SELECT spot FROM spoken WHERE spot BETWEEN :first AND :last;

-- name: drop
-- Take a spot out of the full text.
WITH gone AS (
    DELETE FROM spoken_postings USING spoken
    WHERE spoken.spot = :spot AND spoken_postings.spot = :spot
        AND spoken_postings.term IN (SELECT words_of(spoken.terms))
)
DELETE FROM spoken WHERE spot = :spot;

-- name: drop_fact
-- Take a fact out of the full text.
WITH gone AS (
    DELETE FROM kept_postings USING kept
    WHERE kept.n = :n AND kept_postings.n = :n
        AND kept_postings.term IN (SELECT words_of(kept.terms))
)
DELETE FROM kept WHERE n = :n;

-- name: orphans
-- The facts and episodes in the full text that are not there.
SELECT n FROM kept WHERE n NOT IN (SELECT n FROM nodes) ORDER BY n;
