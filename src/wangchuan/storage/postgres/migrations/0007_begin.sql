-- Begin a write of an agent in one statement: name it, wait for its turn, and return which write of
-- the agent this is, the last numbers that its rows have, and all notes (JSON), as they are then.
CREATE FUNCTION begin_turn(
    whose BIGINT, mark BIGINT, most INTEGER,
    OUT turn BIGINT, OUT message BIGINT, OUT job BIGINT, OUT entry BIGINT, OUT node BIGINT,
    OUT notes TEXT
) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('wc.agent', CAST(whose AS TEXT), true);
    turn := take_turn(whose, mark, most);
    SELECT (SELECT max(seq) FROM messages), (SELECT max(seq) FROM jobs),
        (SELECT max(seq) FROM journal),
        greatest((SELECT max(n) FROM nodes), (SELECT last FROM counters WHERE name = 'nodes')),
        (SELECT CAST(json_object_agg(key, value) AS TEXT) FROM meta)
    INTO message, job, entry, node, notes;
END $$;

-- Not STRICT: so its text becomes part of the statement that calls it, and is planned once with it.
CREATE OR REPLACE FUNCTION words_of(terms TEXT) RETURNS SETOF TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT string_to_table(terms, ' ')
    UNION
    SELECT left(word, 1) || '*' FROM string_to_table(terms, ' ') AS word WHERE ascii(word) > 127
$$;
