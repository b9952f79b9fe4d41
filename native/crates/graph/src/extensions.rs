//! Finds functions that extend types which the branch does not define: extension methods of C#, Kotlin, Scala, Swift and Dart,
//! traits of Rust, and functions that scripts add to the prototypes of built-in types.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::common_names::is_common;
use super::edge::Resolution;
use super::family::Family;
use super::resolver::Resolver;
use super::symbol::SymbolId;

impl<L: Load> Resolver<'_, L> {
    /// The functions that a call may mean on an object whose own members do not have the name, or are not known: those of
    /// that name that extend types. They are candidates, as the receiver may be of another type; without any, `found`.
    pub(super) fn extending(&self, file: FileIndex, name: &str, found: Resolution) -> Result<Resolution> {
        let family = self.branch.family(file);
        let has_extensions = matches!(
            family,
            Family::CSharp | Family::Jvm | Family::Rust | Family::Script | Family::Swift | Family::Other
        );
        if !has_extensions || is_common(name) {
            return Ok(found);
        }
        let mut extensions = Vec::new();
        for &id in self.branch.defining(name)?.iter() {
            if self.branch.family(id.file) == family && self.is_extension(file, id)? && !self.is_generated(id) {
                extensions.push(id);
            }
        }
        if extensions.is_empty() {
            Ok(found)
        } else {
            self.candidates(name, Resolution { targets: extensions, ..found })
        }
    }

    /// Whether a function that a file may use extends a type.
    fn is_extension(&self, from: FileIndex, id: SymbolId) -> Result<bool> {
        let (facts, row) = (self.facts(id.file)?, self.row(id)?);
        if !matches!(row.kind, Kind::Function | Kind::Method) {
            return Ok(false);
        }
        let has_owner = |symbol: u32| {
            let span = facts.symbols[symbol as usize].name_span;
            let mut bindings = facts.bindings_of(facts.name(symbol));
            bindings.any(|binding| binding.evidence == Evidence::Owner && binding.span == span)
        };
        let scope = facts.qualified_name(id.symbol).strip_suffix(facts.name(id.symbol));
        let scope = scope.and_then(|scope| scope.strip_suffix('.')).unwrap_or_default();
        Ok(match self.branch.family(id.file) {
            Family::Rust => match row.parent {
                // A trait is used where its file or an import knows it.
                Some(parent) => {
                    let is_trait = facts.symbols[parent as usize].kind == Kind::Trait;
                    is_trait && (from == id.file || self.facts(from)?.number_of(facts.name(parent)).is_some())
                }
                None => false,
            },
            // Of built-in types, which no file defines or imports.
            Family::Script => {
                let is_type = scope.starts_with(char::is_uppercase) && !scope.contains('.');
                let is_own = || {
                    facts.named(scope).next().is_some()
                        || self.imports_of(id.file, row.span.start, scope).is_ok_and(|imports| !imports.is_empty())
                };
                row.parent.is_none() && is_type && !is_own()
            }
            Family::Jvm | Family::Swift if row.parent.is_none() && !scope.is_empty() => true,
            _ => has_owner(id.symbol) || row.parent.is_some_and(has_owner),
        })
    }
}
