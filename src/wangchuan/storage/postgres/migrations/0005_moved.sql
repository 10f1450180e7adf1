-- An agent that was moved leaves its name here, without any memory: whoever looks for it is led on,
-- and nobody makes a second one of that name.

ALTER TABLE agents ADD COLUMN moved BOOLEAN NOT NULL DEFAULT FALSE;

CREATE OR REPLACE FUNCTION take_turn(whose BIGINT, mark BIGINT, most INTEGER) RETURNS BIGINT
LANGUAGE plpgsql AS $$
DECLARE turn BIGINT; place TEXT; gone BOOLEAN;
BEGIN
    UPDATE agents SET writes = writes + 1, marks = (mark || marks)[1:most]
    WHERE number = whose RETURNING writes, moving_to, moved INTO turn, place, gone;
    IF turn IS NULL THEN
        RAISE EXCEPTION 'the agent was erased meanwhile; open it again';
    END IF;
    IF gone THEN
        RAISE EXCEPTION 'the agent was moved to %', place USING ERRCODE = 'WC001';
    END IF;
    IF place IS NOT NULL THEN
        RAISE EXCEPTION 'the agent is being moved to %', place USING ERRCODE = 'WC001';
    END IF;
    RETURN turn;
END $$;

-- Give a draft its name, in the place of an agent that was moved away or of none.
CREATE FUNCTION settle_agent(draft BIGINT, place TEXT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM agents WHERE name = place AND moved;
    UPDATE agents SET name = place, made_at = now() WHERE number = draft
    AND NOT EXISTS (SELECT 1 FROM agents WHERE name = place);
    RETURN EXISTS (SELECT 1 FROM agents WHERE name = place AND number = draft);
END $$;
