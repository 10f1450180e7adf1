-- Rows are looked up by number, never by an agent's times: an index that only leads with the agent
-- looks as good to the planner as long as it knows of few rows, so it may be used for times only.
DROP INDEX messages_said;
CREATE INDEX messages_said ON messages (agent, said_at) WHERE said_at IS NOT NULL;

-- The messages whose vectors are nearest to one, with the cosine; where the server has no pgvector,
-- none, and engines compare for themselves. See `meaning.sql`.
CREATE FUNCTION nearest_vectors(query DOUBLE PRECISION[], most BIGINT)
RETURNS TABLE (message BIGINT, close DOUBLE PRECISION) LANGUAGE plpgsql STABLE AS $$
BEGIN
END $$;
