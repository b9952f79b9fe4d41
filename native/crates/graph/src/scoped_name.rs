//! Splits and normalises names with scopes, as languages join them: `a.b`, `a::b`, `a\b`.

/// The last part of a name with scopes, whichever separator joins them.
pub(super) fn last(name: &str) -> &str {
    name.rsplit(['.', ':', '\\', '/']).next().unwrap_or(name)
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
}
