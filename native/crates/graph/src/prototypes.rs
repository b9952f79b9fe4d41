//! Finds what scripts write to prototypes, as classes were written before there were classes: `Parser.prototype.read =
//! function () {}`, or `const pp = Parser.prototype; pp.read = function () {}`, in the file of the type or in another one.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::edge::Resolution;
use super::family::Family;
use super::resolver::Resolver;
use super::symbol::{SymbolCategory, SymbolId, is_type};

/// What a prototype is written as behind its type.
const PROTOTYPE: &str = ".prototype";

impl<L: Load> Resolver<'_, L> {
    /// The type that a function of a script is a member of as it is written to its prototype, or to the type itself.
    pub(super) fn prototype_owner(&self, function: SymbolId) -> Result<Option<SymbolId>> {
        let facts = self.facts(function.file)?;
        let row = &facts.symbols[function.symbol as usize];
        let written = facts.qualified_name(function.symbol).strip_suffix(facts.name(function.symbol));
        let Some(scope) = written.and_then(|scope| scope.strip_suffix('.')) else { return Ok(None) };
        // A function inside of another one has its name before its own as well.
        if self.branch.family(function.file) != Family::Script || row.kind != Kind::Function || row.parent.is_some() {
            return Ok(None);
        }
        let mut bindings = facts.bindings_of(scope).filter(|binding| binding.evidence == Evidence::Value);
        let named = bindings.find_map(|binding| facts.text(binding.text).strip_suffix(PROTOTYPE));
        let at = row.span.start.saturating_sub(1);
        self.deeper(None, || self.constructor_named(function.file, at, named.unwrap_or(scope)))
    }

    /// The class, or the function that makes instances, of a name at a byte of a script.
    pub(super) fn constructor_named(&self, file: FileIndex, at: u32, name: &str) -> Result<Option<SymbolId>> {
        let found = match name.rsplit_once('.') {
            None => self.bare(file, at, name, SymbolCategory::Callable)?,
            Some((receiver, name)) => self.qualified(file, at, receiver, name, SymbolCategory::Callable)?,
        };
        let Resolution { how, targets, .. } = found;
        let &[only] = targets.as_slice() else { return Ok(None) };
        let kind = self.row(only)?.kind;
        Ok((how.is_resolved() && (is_type(kind) || kind == Kind::Function)).then_some(only))
    }

    /// The functions of a name that scripts write to the prototype of a type.
    pub(super) fn prototype_members(&self, of: SymbolId, name: &str) -> Result<Vec<SymbolId>> {
        let mut found = Vec::new();
        let is_class = matches!(self.row(of)?.kind, Kind::Class | Kind::Function);
        if !is_class || self.branch.view.file(of.file).language.id != "javascript" {
            return Ok(found);
        }
        for &id in self.branch.defining(name)?.iter() {
            let facts = self.facts(id.file)?;
            let row = &facts.symbols[id.symbol as usize];
            let is_candidate = row.kind == Kind::Function && row.parent.is_none() && row.name != row.qualified_name;
            if is_candidate && self.prototype_owner(id)? == Some(of) {
                found.push(id);
            }
        }
        Ok(found)
    }
}
