-- Nobody who only reads can hold up others, and who is removed is out at once.
--
-- A right to delete from a table is a right to lock all of it, and the keys of advisory locks can be guessed, so rows are deleted by
-- functions alone, and locks are rows that no member may touch. Names of login roles are seen by everyone on the server, so those of new
-- members are random; the ones that exist stay, as their members log in by them.

CREATE TABLE codecairn.locks (
    repository uuid NOT NULL REFERENCES codecairn.repositories,
    purpose text NOT NULL CHECK (purpose IN ('objects', 'garbage', 'facts')),
    PRIMARY KEY (repository, purpose)
);
ALTER TABLE codecairn.locks ENABLE ROW LEVEL SECURITY;

CREATE FUNCTION codecairn.add_locks() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO codecairn.locks (repository, purpose)
    SELECT NEW.id, purpose FROM unnest(ARRAY['objects', 'garbage', 'facts']) AS purpose;
    RETURN NULL;
END $$;
CREATE TRIGGER locked AFTER INSERT ON codecairn.repositories FOR EACH ROW EXECUTE FUNCTION codecairn.add_locks();
INSERT INTO codecairn.locks (repository, purpose)
SELECT id, purpose FROM codecairn.repositories, unnest(ARRAY['objects', 'garbage', 'facts']) AS purpose;

-- Holds a lock of a repository until the transaction ends, if the member who logged in has the role. Not for members to call.
CREATE FUNCTION codecairn.hold(of_repository uuid, for_purpose text, needed text, is_shared boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT codecairn.is_owner() AND NOT codecairn.has_role(of_repository, needed) THEN
        RAISE EXCEPTION 'no grant for this' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF is_shared THEN
        PERFORM FROM codecairn.locks WHERE repository = of_repository AND purpose = for_purpose FOR SHARE;
    ELSE
        PERFORM FROM codecairn.locks WHERE repository = of_repository AND purpose = for_purpose FOR UPDATE;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION codecairn.number_fact() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM codecairn.hold(NEW.repository, 'facts', 'publisher', false);
    NEW.seq := nextval('codecairn.fact_numbers');
    NEW.recorded_at := clock_timestamp();
    NEW.author := codecairn.current_member();
    NEW.is_by_admin := codecairn.has_role(NEW.repository, 'admin');
    RETURN NEW;
END $$;

-- Until the transaction ends, nothing of the repository becomes garbage.
CREATE FUNCTION codecairn.begin_publication(of_repository uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT codecairn.hold(of_repository, 'objects', 'publisher', true);
    END;

-- Until the transaction ends, nothing of the repository is published.
CREATE FUNCTION codecairn.begin_collection(of_repository uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        SELECT codecairn.hold(of_repository, 'objects', 'admin', false);
    END;

-- Takes objects out of the garbage; those that were there, and when each was deleted.
CREATE FUNCTION codecairn.take_back(of_repository uuid, names bytea[]) RETURNS TABLE (name bytea, was_deleted_at timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM codecairn.garbage WHERE repository = of_repository AND object = ANY (names)) THEN
        PERFORM codecairn.hold(of_repository, 'garbage', 'publisher', false);
        RETURN QUERY DELETE FROM codecairn.garbage WHERE repository = of_repository AND object = ANY (names)
            RETURNING object, deleted_at;
    END IF;
END $$;

-- For a collection that has begun: drops manifests that were retired so many seconds ago.
CREATE FUNCTION codecairn.drop_manifests(of_repository uuid, seconds double precision) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM codecairn.hold(of_repository, 'objects', 'admin', false);
    DELETE FROM codecairn.manifests WHERE repository = of_repository
        AND retired_at <= clock_timestamp() - make_interval(secs => seconds)
        AND NOT EXISTS (SELECT FROM codecairn.refs WHERE refs.repository = manifests.repository AND manifest = id);
END $$;

-- For a collection that has begun: forgets these objects, and those that were deleted so many seconds ago.
CREATE FUNCTION codecairn.forget_garbage(of_repository uuid, names bytea[], seconds double precision) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM codecairn.hold(of_repository, 'objects', 'admin', false);
    DELETE FROM codecairn.garbage WHERE repository = of_repository
        AND (object = ANY (names) OR deleted_at <= clock_timestamp() - make_interval(secs => seconds));
END $$;

-- Deletes what an author said in one statement: its author does, and administrators of the repository.
CREATE FUNCTION codecairn.erase_fact(of_repository uuid, fact_id text, author_name text) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    BEGIN ATOMIC
        DELETE FROM codecairn.facts USING codecairn.members WHERE members.id = author
            AND repository = of_repository AND fact = fact_id AND members.name = author_name AND kind <> 'erased'
            AND (codecairn.is_owner() OR codecairn.has_role(repository, 'admin')
                OR (author = codecairn.current_member() AND codecairn.has_role(repository, 'publisher')));
    END;

-- Ends a member's grant with the keys that were sealed for it; whether there was one.
CREATE FUNCTION codecairn.revoke_grant(of_repository uuid, of_member integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    was_there boolean;
BEGIN
    IF NOT codecairn.is_owner() AND NOT codecairn.has_role(of_repository, 'admin') THEN
        RAISE EXCEPTION 'only administrators revoke grants' USING ERRCODE = 'insufficient_privilege';
    END IF;
    UPDATE codecairn.grants SET revoked_at = clock_timestamp(), granted_by = codecairn.current_member()
    WHERE repository = of_repository AND member = of_member AND revoked_at IS NULL;
    was_there := FOUND;
    DELETE FROM codecairn.repository_keys WHERE repository = of_repository AND member = of_member;
    RETURN was_there;
END $$;

-- A member has the rights of the group, so `DROP OWNED BY` the group drops the policies that are made for it. These are made for everybody:
-- the rights to the tables are the group's alone, and a member can't revoke those. Policies that a member dropped come back.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT policyname, tablename FROM pg_policies WHERE schemaname = 'codecairn' LOOP
        EXECUTE format('DROP POLICY %I ON codecairn.%I', found.policyname, found.tablename);
    END LOOP;
END $$;
CREATE POLICY seen ON codecairn.team FOR SELECT USING (codecairn.has_any_grant());
CREATE POLICY seen ON codecairn.members FOR SELECT USING (codecairn.is_colleague(id));
CREATE POLICY seen ON codecairn.repositories FOR SELECT USING (codecairn.has_role(id, 'reader'));
CREATE POLICY changed ON codecairn.repositories FOR UPDATE
    USING (codecairn.has_role(id, 'admin')) WITH CHECK (codecairn.has_role(id, 'admin'));
CREATE POLICY seen ON codecairn.grants FOR SELECT USING (
    codecairn.has_role(repository, 'admin')
    OR (member = codecairn.current_member() AND codecairn.has_role(repository, 'reader'))
);
CREATE POLICY added ON codecairn.grants FOR INSERT
    WITH CHECK (codecairn.has_role(repository, 'admin') AND granted_by = codecairn.current_member());
CREATE POLICY changed ON codecairn.grants FOR UPDATE
    USING (codecairn.has_role(repository, 'admin'))
    WITH CHECK (granted_by = codecairn.current_member());
CREATE POLICY seen ON codecairn.repository_keys FOR SELECT USING (
    codecairn.has_role(repository, 'admin')
    OR (member = codecairn.current_member() AND codecairn.has_role(repository, 'reader'))
);
CREATE POLICY added ON codecairn.repository_keys FOR INSERT
    WITH CHECK (codecairn.has_role(repository, 'admin'));
CREATE POLICY changed ON codecairn.repository_keys FOR UPDATE
    USING (codecairn.has_role(repository, 'admin')) WITH CHECK (codecairn.has_role(repository, 'admin'));
CREATE POLICY seen ON codecairn.refs FOR SELECT USING (codecairn.has_role(repository, 'reader'));
CREATE POLICY added ON codecairn.refs FOR INSERT
    WITH CHECK (codecairn.has_role(repository, 'publisher'));
CREATE POLICY changed ON codecairn.refs FOR UPDATE
    USING (codecairn.has_role(repository, 'publisher')) WITH CHECK (codecairn.has_role(repository, 'publisher'));
CREATE POLICY seen ON codecairn.manifests FOR SELECT USING (codecairn.has_role(repository, 'reader'));
CREATE POLICY added ON codecairn.manifests FOR INSERT
    WITH CHECK (codecairn.has_role(repository, 'publisher'));
CREATE POLICY changed ON codecairn.manifests FOR UPDATE
    USING (codecairn.has_role(repository, 'publisher')) WITH CHECK (codecairn.has_role(repository, 'publisher'));
CREATE POLICY seen ON codecairn.leases FOR SELECT USING (codecairn.has_role(repository, 'reader'));
CREATE POLICY seen ON codecairn.garbage FOR SELECT USING (codecairn.has_role(repository, 'publisher'));
CREATE POLICY added ON codecairn.garbage FOR INSERT
    WITH CHECK (codecairn.has_role(repository, 'admin'));
CREATE POLICY changed ON codecairn.garbage FOR UPDATE
    USING (codecairn.has_role(repository, 'admin')) WITH CHECK (codecairn.has_role(repository, 'admin'));
CREATE POLICY seen ON codecairn.usage FOR SELECT USING (
    codecairn.has_role(repository, 'admin')
    OR (member = codecairn.current_member() AND codecairn.has_role(repository, 'reader'))
);
CREATE POLICY seen ON codecairn.facts FOR SELECT USING (codecairn.has_role(repository, 'reader'));
CREATE POLICY added ON codecairn.facts FOR INSERT WITH CHECK (
    codecairn.has_role(repository, 'publisher') AND (kind = 'asserted' OR codecairn.may_end(repository, fact))
);
REVOKE DELETE ON codecairn.repository_keys, codecairn.manifests, codecairn.garbage, codecairn.facts FROM codecairn_members;
-- A right to insert into a table, without its columns named, is one to hold up changes of the table.
REVOKE INSERT ON codecairn.grants, codecairn.repository_keys FROM codecairn_members;
GRANT INSERT (repository, member, role, granted_by) ON codecairn.grants TO codecairn_members;
GRANT INSERT (repository, generation, member, sealed) ON codecairn.repository_keys TO codecairn_members;

-- Ends the sessions of a role; how many are left after a second. Not for members to call.
CREATE FUNCTION codecairn.end_sessions_of(login name) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF login <> session_user THEN
        PERFORM pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE usename = login;
        PERFORM pg_stat_clear_snapshot();
    END IF;
    RETURN (SELECT count(*) FROM pg_stat_activity WHERE usename = login AND login <> session_user);
END $$;

-- A member whom the role that logged in may remove: any, or one who has not joined, to who sent the invitation. Not for members to call.
CREATE FUNCTION codecairn.removable(member_name text) RETURNS codecairn.members
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known codecairn.members := (SELECT members FROM codecairn.members WHERE members.name = member_name);
BEGIN
    IF NOT codecairn.is_owner()
        AND NOT coalesce(known.joined_at IS NULL AND known.invited_by = codecairn.current_member(), false)
    THEN
        RAISE EXCEPTION 'only the owner of the team removes members' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN known;
END $$;

-- Members alone connect to the database, so who is no member any more does not come back. A member can hold the row of its own role, but
-- not that of its membership in the group. Only the owner of the database can do this; for any other role it is a warning.
DO $$ BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO codecairn_members', current_database());
END $$;

-- The first step of a removal, in a transaction of its own: the role has no right left, and does not connect again.
CREATE FUNCTION codecairn.lock_out(member_name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known codecairn.members := codecairn.removable(member_name);
BEGIN
    IF known.id IS NOT NULL AND known.role_name <> session_user THEN
        EXECUTE format('REVOKE codecairn_members FROM %I', known.role_name);
    END IF;
END $$;

-- The second step: ends the sessions that began before the first was committed; how many are left.
CREATE FUNCTION codecairn.end_sessions(member_name text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known codecairn.members := codecairn.removable(member_name);
BEGIN
    RETURN CASE WHEN known.id IS NULL THEN 0 ELSE codecairn.end_sessions_of(known.role_name) END;
END $$;

-- The third step: every grant is revoked. An invitation that was not accepted is taken back without a trace.
CREATE OR REPLACE FUNCTION codecairn.remove_member(member_name text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known codecairn.members := codecairn.removable(member_name);
BEGIN
    IF known.id IS NULL OR known.left_at IS NOT NULL THEN
        RETURN false;
    END IF;
    IF known.joined_at IS NULL THEN
        DELETE FROM codecairn.grants WHERE member = known.id;
        DELETE FROM codecairn.members WHERE id = known.id;
        EXECUTE format('DROP ROLE %I', known.role_name);
        RETURN true;
    END IF;
    UPDATE codecairn.grants SET revoked_at = clock_timestamp() WHERE member = known.id AND revoked_at IS NULL;
    UPDATE codecairn.members SET left_at = clock_timestamp() WHERE id = known.id;
    RETURN true;
END $$;

-- The last step: the role can't log in, to other databases of the server neither. A session of the role can hold that up from there.
-- An invitation that was taken back has no role any more, so nothing is left for a member to do, who is not told of any name either.
CREATE FUNCTION codecairn.close_login(member_name text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    known codecairn.members := (SELECT members FROM codecairn.members WHERE members.name = member_name);
BEGIN
    IF codecairn.is_owner() AND known.role_name <> session_user THEN
        PERFORM codecairn.end_sessions_of(known.role_name);
        EXECUTE format('ALTER ROLE %I NOLOGIN', known.role_name);
    END IF;
END $$;

-- Lets the team's owner end the sessions of a role. Not for members to call.
CREATE FUNCTION codecairn.adopt(login name) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT pg_has_role(current_user, login, 'USAGE') THEN
        EXECUTE format('GRANT %I TO %I', login, current_user);
    END IF;
END $$;
SELECT codecairn.adopt(role_name) FROM codecairn.members WHERE role_name IN (SELECT rolname FROM pg_roles);

CREATE OR REPLACE FUNCTION codecairn.invite(member_name text, verifier text, days integer) RETURNS name
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    login text := format('codecairn.%s.%s', (SELECT tag FROM codecairn.team), left(md5(gen_random_uuid()::text), 16));
    until text := (clock_timestamp() + make_interval(days => days))::text;
    known codecairn.members := (SELECT members FROM codecairn.members WHERE members.name = member_name);
BEGIN
    IF NOT codecairn.is_owner() AND NOT EXISTS (
        SELECT FROM codecairn.grants
        WHERE member = codecairn.current_member() AND revoked_at IS NULL AND role = 'admin'
    ) THEN
        RAISE EXCEPTION 'only administrators invite' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF member_name !~ '^[a-z0-9][a-z0-9_-]{0,30}$' THEN
        RAISE EXCEPTION 'not a name of a member' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF verifier !~ '^SCRAM-SHA-256\$[0-9]+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$' THEN
        RAISE EXCEPTION 'not a verifier of a password' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF days NOT BETWEEN 1 AND 90 THEN
        RAISE EXCEPTION 'an invitation lasts 1 to 90 days' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF known.id IS NULL THEN
        EXECUTE format(
            'CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT 50 '
            'PASSWORD %L VALID UNTIL %L IN ROLE codecairn_members', login, verifier, until);
        PERFORM codecairn.adopt(login);
        INSERT INTO codecairn.members (name, role_name, invited_by)
        VALUES (member_name, login, codecairn.current_member());
        RETURN login;
    END IF;
    IF known.joined_at IS NOT NULL AND known.left_at IS NULL THEN
        RAISE EXCEPTION 'is a member' USING ERRCODE = 'unique_violation';
    END IF;
    -- The keys of a member who left go on verifying what that member wrote, so they are another member's now.
    IF known.joined_at IS NOT NULL THEN
        RAISE EXCEPTION 'has left' USING ERRCODE = 'unique_violation';
    END IF;
    IF NOT codecairn.is_owner() AND known.invited_by IS DISTINCT FROM codecairn.current_member() THEN
        RAISE EXCEPTION 'was invited by another member' USING ERRCODE = 'unique_violation';
    END IF;
    PERFORM codecairn.end_sessions_of(known.role_name);
    DELETE FROM codecairn.grants WHERE member = known.id;
    -- A removal that was interrupted may have taken the role out of the group.
    EXECUTE format('GRANT codecairn_members TO %I', known.role_name);
    EXECUTE format('ALTER ROLE %I LOGIN PASSWORD %L VALID UNTIL %L', known.role_name, verifier, until);
    UPDATE codecairn.members SET invited_by = codecairn.current_member(), invited_at = clock_timestamp()
    WHERE id = known.id;
    RETURN known.role_name;
END $$;

REVOKE ALL ON FUNCTION codecairn.add_locks(), codecairn.hold(uuid, text, text, boolean), codecairn.end_sessions_of(name),
    codecairn.removable(text), codecairn.adopt(name), codecairn.begin_publication(uuid), codecairn.begin_collection(uuid),
    codecairn.take_back(uuid, bytea[]), codecairn.drop_manifests(uuid, double precision),
    codecairn.forget_garbage(uuid, bytea[], double precision), codecairn.erase_fact(uuid, text, text),
    codecairn.revoke_grant(uuid, integer), codecairn.lock_out(text), codecairn.end_sessions(text), codecairn.close_login(text)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION codecairn.begin_publication(uuid), codecairn.begin_collection(uuid), codecairn.take_back(uuid, bytea[]),
    codecairn.drop_manifests(uuid, double precision), codecairn.forget_garbage(uuid, bytea[], double precision),
    codecairn.erase_fact(uuid, text, text), codecairn.revoke_grant(uuid, integer), codecairn.lock_out(text),
    codecairn.end_sessions(text), codecairn.close_login(text) TO codecairn_members;
