-- Begin a write as `begin_turn` does, and tell whether it follows the write with the mark `before`.
-- One that goes on from there is `sure` of it: nothing is read for it, and it is refused if another
-- write came between. So it may be sent whole, with its end, before anything of it is answered.
-- (`begin_turn` stays for processes of the version before, which may still be at work.)
CREATE FUNCTION follow_turn(
    whose BIGINT, mark BIGINT, most INTEGER, before BIGINT, sure BOOLEAN,
    OUT turn BIGINT, OUT follows BOOLEAN, OUT message BIGINT, OUT job BIGINT, OUT entry BIGINT,
    OUT node BIGINT, OUT notes TEXT
) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('wc.agent', CAST(whose AS TEXT), true);
    turn := take_turn(whose, mark, most);
    follows := coalesce((SELECT marks[2] = before FROM agents WHERE number = whose), FALSE);
    IF NOT sure THEN
        SELECT (SELECT max(seq) FROM messages), (SELECT max(seq) FROM jobs),
            (SELECT max(seq) FROM journal),
            greatest((SELECT max(n) FROM nodes), (SELECT last FROM counters WHERE name = 'nodes')),
            (SELECT CAST(json_object_agg(key, value) AS TEXT) FROM meta)
        INTO message, job, entry, node, notes;
    ELSIF NOT follows THEN
        RAISE EXCEPTION 'the agent was written meanwhile' USING ERRCODE = 'WC002';
    END IF;
END $$;
