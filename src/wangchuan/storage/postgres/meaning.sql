-- What a cell is given besides once its server has pgvector; $HOME is where that stands.
-- Vectors stay what they are everywhere, bytes of half precision, beside the form that is compared:
-- exports and copies are the same bytes, and an operator can take pgvector away again.

CREATE FUNCTION as_halves(bytes BYTEA) RETURNS $HOME.halfvec LANGUAGE sql IMMUTABLE STRICT AS $$
SELECT CASE WHEN NOT bool_or((bits >> 10) & 31 = 31) THEN -- of what is no number there is none
    CAST(array_agg(CAST(
        (CASE WHEN bits >= 32768 THEN -1 ELSE 1 END)
        * (CASE WHEN (bits >> 10) & 31 = 0 THEN (bits & 1023) * power(2.0::float8, -24)
            ELSE (1024 + (bits & 1023)) * power(2.0::float8, ((bits >> 10) & 31) - 25) END)
        AS REAL) ORDER BY place) AS $HOME.halfvec)
    END
FROM (
    SELECT place, get_byte(bytes, 2 * place) + 256 * get_byte(bytes, 2 * place + 1) AS bits
    FROM generate_series(0, length(bytes) / 2 - 1) AS place WHERE length(bytes) <= 32000
) AS numbers
$$;

ALTER TABLE vectors ADD COLUMN meaning $HOME.halfvec
GENERATED ALWAYS AS ($SCHEMA.as_halves(vector)) STORED;

-- Every vector of the agent is compared, in full precision.
CREATE OR REPLACE FUNCTION nearest_vectors(query DOUBLE PRECISION[], most BIGINT)
RETURNS TABLE (message BIGINT, close DOUBLE PRECISION) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE wanted $HOME.vector := CAST(CAST(query AS REAL[]) AS $HOME.vector);
BEGIN
    RETURN QUERY SELECT message, -(CAST(meaning AS $HOME.vector) OPERATOR($HOME.<#>) wanted)
    FROM vectors WHERE $HOME.vector_dims(meaning) = array_length(query, 1)
    ORDER BY 2 DESC, 1 LIMIT most;
END $$;
