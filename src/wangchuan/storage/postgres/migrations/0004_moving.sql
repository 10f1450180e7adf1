-- An agent that is being moved to another cell is read here, and not written any more.

ALTER TABLE agents ADD COLUMN moving_to TEXT COLLATE "C";

CREATE OR REPLACE FUNCTION take_turn(whose BIGINT, mark BIGINT, most INTEGER) RETURNS BIGINT
LANGUAGE plpgsql AS $$
DECLARE turn BIGINT; place TEXT;
BEGIN
    UPDATE agents SET writes = writes + 1, marks = (mark || marks)[1:most]
    WHERE number = whose RETURNING writes, moving_to INTO turn, place;
    IF turn IS NULL THEN
        RAISE EXCEPTION 'the agent was erased meanwhile; open it again';
    END IF;
    IF place IS NOT NULL THEN
        RAISE EXCEPTION 'the agent is being moved to %', place USING ERRCODE = 'WC001';
    END IF;
    RETURN turn;
END $$;
