//! Restricts a plan to paths: only files among them can count as changed or removed.

use codecairn_base::id::BlobId;
use codecairn_store::Catalog;

/// The paths that were compared: only files among them can count as changed or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The whole folder.
    Everything,
    /// These paths and everything below them, in order; none is below another.
    Paths(Vec<String>),
}

impl Scope {
    /// Whether a path lies in it.
    pub fn covers(&self, path: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Paths(paths) => {
                let is_named = |path: &str| paths.binary_search_by(|named| named.as_str().cmp(path)).is_ok();
                is_named(path) || path.match_indices('/').any(|(slash, _)| is_named(&path[..slash]))
            }
        }
    }

    /// The entries of a catalog that lie in it, in no particular order.
    pub(crate) fn entries<'c>(&'c self, catalog: &'c Catalog) -> Box<dyn Iterator<Item = (&'c String, BlobId)> + 'c> {
        match self {
            Self::Everything => Box::new(catalog.iter().map(|(path, blob)| (path, *blob))),
            Self::Paths(paths) => Box::new(paths.iter().flat_map(move |named| {
                let below = format!("{named}/");
                let itself = catalog.get_key_value(named).map(|(path, blob)| (path, *blob));
                let inside = catalog.range(below.clone()..).take_while(move |(path, _)| path.starts_with(&below));
                itself.into_iter().chain(inside.map(|(path, blob)| (path, *blob)))
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_path_covers_itself_and_what_lies_below() {
        let scope = Scope::Paths(["a/b", "c", "d.py"].map(str::to_owned).to_vec());
        let catalog: Catalog = ["a/a", "a/b/x", "a/b/y/z", "a/b.py", "a/bc", "c/d", "d.py", "d.pyi"]
            .map(|p| (p.to_owned(), BlobId(1)))
            .into();
        let entries: Vec<&str> = scope.entries(&catalog).map(|(path, _)| path.as_str()).collect();
        assert_eq!(entries, ["a/b/x", "a/b/y/z", "c/d", "d.py"]);
        let covered: Vec<&str> = catalog.keys().map(String::as_str).filter(|path| scope.covers(path)).collect();
        assert_eq!(covered, entries);
        assert!(scope.covers("a/b") && !scope.covers("a") && Scope::Everything.covers("a"));
    }
}
