-- Whether another member has a grant for a repository, for members that have one themselves: a search node asks before each answer.
CREATE FUNCTION codecairn.may_read(of_repository uuid, member_name text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    RETURN codecairn.has_role(of_repository, 'reader') AND EXISTS (
        SELECT FROM codecairn.grants JOIN codecairn.members ON members.id = grants.member
        WHERE grants.repository = of_repository AND grants.revoked_at IS NULL
            AND members.name = member_name AND members.joined_at IS NOT NULL AND members.left_at IS NULL
    );
REVOKE ALL ON FUNCTION codecairn.may_read(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION codecairn.may_read(uuid, text) TO codecairn_members;
