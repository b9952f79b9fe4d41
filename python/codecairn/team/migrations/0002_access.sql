-- Who sees and changes which rows. `session_user` is the role that logged in: neither `SET ROLE` nor a function changes it.

-- The member that logged in; null for a role that is none, has not joined yet, or has left.
CREATE FUNCTION codecairn.current_member() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN (
        SELECT id FROM codecairn.members
        WHERE role_name = session_user AND joined_at IS NOT NULL AND left_at IS NULL
    );

-- Whether the member that logged in has a role for a repository, or a higher one.
CREATE FUNCTION codecairn.has_role(of_repository uuid, needed text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN EXISTS (
        SELECT FROM codecairn.grants
        WHERE repository = of_repository AND member = codecairn.current_member() AND revoked_at IS NULL
            AND array_position(ARRAY['reader', 'publisher', 'admin'], role)
                >= array_position(ARRAY['reader', 'publisher', 'admin'], needed)
    );

CREATE FUNCTION codecairn.has_any_grant() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN EXISTS (
        SELECT FROM codecairn.grants WHERE member = codecairn.current_member() AND revoked_at IS NULL
    );

-- Whether a member has or had a grant for a repository that the member who logged in has one for.
CREATE FUNCTION codecairn.is_colleague(other integer) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN EXISTS (
        SELECT FROM codecairn.grants AS theirs
        WHERE theirs.member = other AND codecairn.has_role(theirs.repository, 'reader')
    );

-- The keys whose signatures count on manifests of a repository.
CREATE FUNCTION codecairn.publishers(of_repository uuid) RETURNS TABLE (name text, signing_key bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT members.name, members.signing_key
        FROM codecairn.grants JOIN codecairn.members ON members.id = grants.member
        WHERE grants.repository = of_repository AND grants.revoked_at IS NULL AND members.left_at IS NULL
            AND grants.role IN ('publisher', 'admin') AND members.signing_key IS NOT NULL
            AND codecairn.has_role(of_repository, 'reader')
        ORDER BY members.name;
    END;

ALTER TABLE codecairn.team ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.repositories ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.repository_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.refs ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.manifests ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.leases ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.garbage ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE codecairn.facts ENABLE ROW LEVEL SECURITY;

GRANT SELECT ON codecairn.team, codecairn.members, codecairn.repositories, codecairn.grants, codecairn.repository_keys,
    codecairn.refs, codecairn.manifests, codecairn.leases, codecairn.garbage, codecairn.usage, codecairn.facts
    TO codecairn_members;
GRANT UPDATE (key_generation) ON codecairn.repositories TO codecairn_members;
GRANT INSERT, UPDATE (role, granted_by, granted_at, revoked_at) ON codecairn.grants TO codecairn_members;
GRANT INSERT, UPDATE (sealed, sealed_at), DELETE ON codecairn.repository_keys TO codecairn_members;
GRANT INSERT (repository, branch, epoch, pointer, manifest, publisher, published_at),
    UPDATE (epoch, pointer, manifest, publisher, published_at) ON codecairn.refs TO codecairn_members;
GRANT INSERT (repository, id, objects), UPDATE (retired_at), DELETE ON codecairn.manifests TO codecairn_members;
GRANT INSERT (repository, object), UPDATE (condemned_at, deleted_at, is_gone), DELETE ON codecairn.garbage TO codecairn_members;
GRANT INSERT (repository, fact, kind, body, valid_from, valid_to), DELETE ON codecairn.facts TO codecairn_members;

CREATE POLICY seen ON codecairn.team FOR SELECT TO codecairn_members USING (codecairn.has_any_grant());
CREATE POLICY seen ON codecairn.members FOR SELECT TO codecairn_members USING (codecairn.is_colleague(id));
CREATE POLICY seen ON codecairn.repositories FOR SELECT TO codecairn_members USING (codecairn.has_role(id, 'reader'));
CREATE POLICY changed ON codecairn.repositories FOR UPDATE TO codecairn_members
    USING (codecairn.has_role(id, 'admin')) WITH CHECK (codecairn.has_role(id, 'admin'));

CREATE POLICY seen ON codecairn.grants FOR SELECT TO codecairn_members USING (
    codecairn.has_role(repository, 'admin')
    OR (member = codecairn.current_member() AND codecairn.has_role(repository, 'reader'))
);
CREATE POLICY added ON codecairn.grants FOR INSERT TO codecairn_members
    WITH CHECK (codecairn.has_role(repository, 'admin') AND granted_by = codecairn.current_member());
CREATE POLICY changed ON codecairn.grants FOR UPDATE TO codecairn_members
    USING (codecairn.has_role(repository, 'admin'))
    WITH CHECK (granted_by = codecairn.current_member());

CREATE POLICY seen ON codecairn.repository_keys FOR SELECT TO codecairn_members USING (
    codecairn.has_role(repository, 'admin')
    OR (member = codecairn.current_member() AND codecairn.has_role(repository, 'reader'))
);
CREATE POLICY added ON codecairn.repository_keys FOR INSERT TO codecairn_members
    WITH CHECK (codecairn.has_role(repository, 'admin'));
CREATE POLICY changed ON codecairn.repository_keys FOR UPDATE TO codecairn_members
    USING (codecairn.has_role(repository, 'admin')) WITH CHECK (codecairn.has_role(repository, 'admin'));
CREATE POLICY removed ON codecairn.repository_keys FOR DELETE TO codecairn_members
    USING (codecairn.has_role(repository, 'admin'));

CREATE POLICY seen ON codecairn.refs FOR SELECT TO codecairn_members USING (codecairn.has_role(repository, 'reader'));
CREATE POLICY added ON codecairn.refs FOR INSERT TO codecairn_members
    WITH CHECK (codecairn.has_role(repository, 'publisher'));
CREATE POLICY changed ON codecairn.refs FOR UPDATE TO codecairn_members
    USING (codecairn.has_role(repository, 'publisher')) WITH CHECK (codecairn.has_role(repository, 'publisher'));

CREATE POLICY seen ON codecairn.manifests FOR SELECT TO codecairn_members USING (codecairn.has_role(repository, 'reader'));
CREATE POLICY added ON codecairn.manifests FOR INSERT TO codecairn_members
    WITH CHECK (codecairn.has_role(repository, 'publisher'));
CREATE POLICY changed ON codecairn.manifests FOR UPDATE TO codecairn_members
    USING (codecairn.has_role(repository, 'publisher')) WITH CHECK (codecairn.has_role(repository, 'publisher'));
CREATE POLICY removed ON codecairn.manifests FOR DELETE TO codecairn_members
    USING (codecairn.has_role(repository, 'admin') AND retired_at IS NOT NULL);

CREATE POLICY seen ON codecairn.leases FOR SELECT TO codecairn_members USING (codecairn.has_role(repository, 'reader'));

CREATE POLICY seen ON codecairn.garbage FOR SELECT TO codecairn_members USING (codecairn.has_role(repository, 'publisher'));
CREATE POLICY added ON codecairn.garbage FOR INSERT TO codecairn_members
    WITH CHECK (codecairn.has_role(repository, 'admin'));
CREATE POLICY changed ON codecairn.garbage FOR UPDATE TO codecairn_members
    USING (codecairn.has_role(repository, 'admin')) WITH CHECK (codecairn.has_role(repository, 'admin'));
CREATE POLICY removed ON codecairn.garbage FOR DELETE TO codecairn_members
    USING (codecairn.has_role(repository, 'publisher'));

CREATE POLICY seen ON codecairn.usage FOR SELECT TO codecairn_members USING (
    codecairn.has_role(repository, 'admin')
    OR (member = codecairn.current_member() AND codecairn.has_role(repository, 'reader'))
);

CREATE POLICY seen ON codecairn.facts FOR SELECT TO codecairn_members USING (codecairn.has_role(repository, 'reader'));
-- Whether the member that logged in may end a fact: its author, and administrators of the repository.
CREATE FUNCTION codecairn.may_end(of_repository uuid, of_fact text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN codecairn.has_role(of_repository, 'admin') OR EXISTS (
        SELECT FROM codecairn.facts
        WHERE repository = of_repository AND fact = of_fact AND author = codecairn.current_member()
    );

CREATE POLICY added ON codecairn.facts FOR INSERT TO codecairn_members WITH CHECK (
    codecairn.has_role(repository, 'publisher') AND (kind = 'asserted' OR codecairn.may_end(repository, fact))
);
CREATE POLICY removed ON codecairn.facts FOR DELETE TO codecairn_members USING (
    codecairn.has_role(repository, 'admin')
    OR (author = codecairn.current_member() AND codecairn.has_role(repository, 'publisher'))
);

-- Who invited a member could join in its place, so until it joins no other member gives it a grant.
CREATE FUNCTION codecairn.check_grant() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.revoked_at IS NULL AND EXISTS (
        SELECT FROM codecairn.members
        WHERE id = NEW.member AND joined_at IS NULL AND invited_by IS DISTINCT FROM NEW.granted_by
    ) THEN
        RAISE EXCEPTION 'until a member joins, only the one who sent the invitation grants it anything'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER checked BEFORE INSERT OR UPDATE ON codecairn.grants
    FOR EACH ROW EXECUTE FUNCTION codecairn.check_grant();

-- With an administrator's role go the grants that were given with invitations which are not accepted yet: the former
-- administrator knows their passwords.
CREATE FUNCTION codecairn.revoke_pending() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE codecairn.grants SET revoked_at = clock_timestamp()
    WHERE repository = OLD.repository AND granted_by = OLD.member AND revoked_at IS NULL
        AND member IN (SELECT id FROM codecairn.members WHERE joined_at IS NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER revoked AFTER UPDATE ON codecairn.grants
    FOR EACH ROW WHEN (
        OLD.role = 'admin' AND OLD.revoked_at IS NULL AND (NEW.role <> 'admin' OR NEW.revoked_at IS NOT NULL)
    ) EXECUTE FUNCTION codecairn.revoke_pending();

-- A publication is the next epoch of its branch, by the member that logged in, at the server's time. The manifest that it
-- takes the place of is retired, unless another branch has it too.
CREATE FUNCTION codecairn.check_ref() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT codecairn.has_role(NEW.repository, 'publisher') THEN
        RAISE EXCEPTION 'no grant to publish' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NEW.epoch <> (CASE TG_OP WHEN 'INSERT' THEN 0 ELSE OLD.epoch END) + 1 THEN
        RAISE EXCEPTION 'the epoch of a branch grows by one' USING ERRCODE = 'check_violation';
    END IF;
    IF NOT EXISTS (
        SELECT FROM codecairn.manifests WHERE repository = NEW.repository AND id = NEW.manifest
    ) THEN
        RAISE EXCEPTION 'the manifest is not registered' USING ERRCODE = 'foreign_key_violation';
    END IF;
    NEW.publisher := codecairn.current_member();
    NEW.published_at := clock_timestamp();
    UPDATE codecairn.manifests SET retired_at = NULL WHERE repository = NEW.repository AND id = NEW.manifest;
    IF TG_OP = 'UPDATE' AND OLD.manifest <> NEW.manifest THEN
        UPDATE codecairn.manifests SET retired_at = clock_timestamp()
        WHERE repository = NEW.repository AND id = OLD.manifest AND NOT EXISTS (
            SELECT FROM codecairn.refs
            WHERE repository = NEW.repository AND manifest = OLD.manifest AND branch <> NEW.branch
        );
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER checked BEFORE INSERT OR UPDATE ON codecairn.refs
    FOR EACH ROW EXECUTE FUNCTION codecairn.check_ref();

-- Numbers of facts grow in the order in which they become visible, so a reader that knows all up to one misses none: one
-- transaction at a time adds to a repository. The author is the member that logged in.
CREATE FUNCTION codecairn.number_fact() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('codecairn.facts'), hashtext(NEW.repository::text));
    NEW.seq := nextval('codecairn.fact_numbers');
    NEW.recorded_at := clock_timestamp();
    NEW.author := codecairn.current_member();
    RETURN NEW;
END $$;
CREATE TRIGGER numbered BEFORE INSERT ON codecairn.facts
    FOR EACH ROW EXECUTE FUNCTION codecairn.number_fact();

-- A lease that is free or has expired; null while another holds it. `gc` is an administrator's, a branch's a publisher's.
CREATE FUNCTION codecairn.acquire_lease(of_repository uuid, lease_name text, seconds integer) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found uuid;
BEGIN
    IF NOT codecairn.has_role(of_repository, CASE lease_name WHEN 'gc' THEN 'admin' ELSE 'publisher' END) THEN
        RAISE EXCEPTION 'no grant for this lease' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF seconds NOT BETWEEN 1 AND 3600 THEN
        RAISE EXCEPTION 'a lease lasts 1 to 3600 seconds' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    INSERT INTO codecairn.leases AS held (repository, name, token, holder, acquired_at, expires_at)
    VALUES (of_repository, lease_name, gen_random_uuid(), codecairn.current_member(), clock_timestamp(),
        clock_timestamp() + make_interval(secs => seconds))
    ON CONFLICT (repository, name) DO UPDATE
        SET token = excluded.token, holder = excluded.holder, acquired_at = excluded.acquired_at,
            expires_at = excluded.expires_at
        WHERE held.expires_at <= clock_timestamp()
    RETURNING token INTO found;
    RETURN found;
END $$;

-- Extends a lease; false if it has expired or is another's by now.
CREATE FUNCTION codecairn.renew_lease(of_repository uuid, lease_name text, by_token uuid, seconds integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF seconds NOT BETWEEN 1 AND 3600 THEN
        RAISE EXCEPTION 'a lease lasts 1 to 3600 seconds' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE codecairn.leases SET expires_at = clock_timestamp() + make_interval(secs => seconds)
    WHERE repository = of_repository AND name = lease_name AND token = by_token
        AND holder = codecairn.current_member() AND expires_at > clock_timestamp()
        AND codecairn.has_role(of_repository, 'publisher');
    RETURN FOUND;
END $$;

CREATE FUNCTION codecairn.release_lease(of_repository uuid, lease_name text, by_token uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM codecairn.leases
    WHERE repository = of_repository AND name = lease_name AND token = by_token
        AND holder = codecairn.current_member();
    RETURN FOUND;
END $$;

CREATE FUNCTION codecairn.count_usage(of_repository uuid, what text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        INSERT INTO codecairn.usage AS counted (repository, member, day, kind, count)
        SELECT of_repository, codecairn.current_member(), (clock_timestamp() AT TIME ZONE 'UTC')::date, what, 1
        WHERE codecairn.has_role(of_repository, 'reader')
        ON CONFLICT (repository, member, day, kind) DO UPDATE SET count = counted.count + 1;
    END;
