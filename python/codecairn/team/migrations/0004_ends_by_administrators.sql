-- Whether who added a fact administered the repository then: only an author and administrators end a statement, and readers check it.

ALTER TABLE codecairn.facts ADD COLUMN is_by_admin boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION codecairn.number_fact() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('codecairn.facts'), hashtext(NEW.repository::text));
    NEW.seq := nextval('codecairn.fact_numbers');
    NEW.recorded_at := clock_timestamp();
    NEW.author := codecairn.current_member();
    NEW.is_by_admin := codecairn.has_role(NEW.repository, 'admin');
    RETURN NEW;
END $$;
