//! Splits and normalises names with scopes, as languages join them: `a.b`, `a::b`, `a\b`.

/// The last part of a name with scopes, whichever separator joins them.
pub(super) fn last(name: &str) -> &str {
    name.rsplit(['.', ':', '\\', '/']).next().unwrap_or(name)
}

/// Whether the last part of a name with scopes is this one.
pub(super) fn ends_in(name: &str, part: &str) -> bool {
    // Most names differ in their ends.
    name.ends_with(part) && last(name) == part
}

/// A name with scopes, with dots as separators.
pub(super) fn normal(name: &str) -> String {
    name.replace("::", ".").replace(['\\', ':', '/'], ".").trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_written_with_dots() {
        assert_eq!(normal("\\A\\B::c"), "A.B.c");
        assert_eq!(normal("a::b.c"), "a.b.c");
    }

    #[test]
    fn a_name_ends_in_its_last_part() {
        for (name, part, expected) in [("a::b", "b", true), ("b", "b", true), ("a::ab", "b", false), ("a", "b", false)]
        {
            assert_eq!(ends_in(name, part), expected, "{name}");
        }
    }
}
