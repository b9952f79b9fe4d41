//! Finds what scripts write to prototypes, as classes were written before there were classes: `Parser.prototype.read =
//! function () {}`, or `const pp = Parser.prototype; pp.read = function () {}`, in the file of the type or in another one.
//! Objects are made alike: `const tools = { trim }; tools.read = function () {}`.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;
use codecairn_syntax::{Evidence, ReferenceKind};

use super::branch::Load;
use super::edge::{Resolution, ResolutionMethod};
use super::family::Family;
use super::file_facts::ImportRow;
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
        let is_function = matches!(row.kind, Kind::Function | Kind::Method);
        if self.branch.family(function.file) != Family::Script || !is_function || row.parent.is_some() {
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
            let is_function = matches!(row.kind, Kind::Function | Kind::Method);
            let is_candidate = is_function && row.parent.is_none() && row.name != row.qualified_name;
            if is_candidate && self.prototype_owner(id)? == Some(of) {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// What an object literal takes in by name: `trim` of `const tools = { trim }`, and of `{ trim: cut }` what is `cut`.
    pub(super) fn listed_member(&self, object: SymbolId, name: &str) -> Result<Option<Resolution>> {
        let (facts, row) = (self.facts(object.file)?, self.row(object)?);
        if self.branch.family(object.file) != Family::Script || row.kind != Kind::Constant {
            return Ok(None);
        }
        let entry = facts.bindings_of(name).find(|binding| {
            let is_inside =
                row.span.contains(binding.span) && facts.enclosing(binding.span.start) == Some(object.symbol);
            binding.evidence == Evidence::Entry && is_inside
        });
        if let Some(entry) = entry {
            let (at, text) = (entry.span.start, facts.text(entry.text));
            let found = self.function_behind(object.file, at, text)?;
            return Ok(found.filter(|found| found.how.is_resolved()));
        }
        let listed = facts.uses(name).map(|number| &facts.references[number as usize]).find(|use_| {
            let is_bare = use_.kind == ReferenceKind::Value && facts.text(use_.receiver).is_empty();
            is_bare && row.span.contains(use_.span) && facts.enclosing(use_.span.start) == Some(object.symbol)
        });
        let Some(listed) = listed else { return Ok(None) };
        let found = self.deeper(Resolution::unknown(), || {
            self.bare(object.file, listed.span.start, name, SymbolCategory::Callable)
        })?;
        Ok(found.how.is_resolved().then_some(found))
    }

    /// The functions that a script writes to a member of an object of its own, which a variable holds.
    pub(super) fn written_member(
        &self,
        file: FileIndex,
        at: u32,
        object: &str,
        name: &str,
    ) -> Result<Option<Resolution>> {
        let is_name = object.chars().all(|char| char.is_alphanumeric() || "_$".contains(char));
        if self.branch.family(file) != Family::Script || !is_name {
            return Ok(None);
        }
        let facts = self.facts(file)?;
        // What others define keeps its members: `Date.now = () => 0` replaces one for a test.
        let is_other = |import: &ImportRow| facts.text(import.alias) == object || facts.text(import.name) == object;
        if facts.named(object).next().is_none() || facts.imports.iter().any(is_other) {
            return Ok(None);
        }
        let written = facts.named(name).filter(|&symbol| {
            let row = &facts.symbols[symbol as usize];
            let scope = facts.qualified_name(symbol).strip_suffix(name).and_then(|scope| scope.strip_suffix('.'));
            row.kind == Kind::Function && row.parent.is_none() && scope == Some(object)
        });
        let written: Vec<SymbolId> = written.map(|symbol| SymbolId { file, symbol }).collect();
        if written.is_empty() || self.local(file, at, object)?.is_some_and(|it| !self.is_of_file(file, it.span.start)) {
            return Ok(None);
        }
        Ok(Some(Resolution::new(ResolutionMethod::SameFile, written)))
    }

    /// The method of a name in the object literal whose method is around a byte of a script. The literal is no symbol, so
    /// between the two there are only methods of objects, and only one has the name.
    pub(super) fn sibling(&self, file: FileIndex, at: u32, name: &str) -> Result<Option<Resolution>> {
        let facts = self.facts(file)?;
        let is_free_method = |symbol: u32| {
            let row = &facts.symbols[symbol as usize];
            row.kind == Kind::Method && row.parent.is_none() && row.qualified_name == row.name
        };
        let is_function = |symbol: &u32| matches!(facts.symbols[*symbol as usize].kind, Kind::Function | Kind::Method);
        let around = facts.chain(facts.enclosing(at)).find(is_function).filter(|&symbol| is_free_method(symbol));
        let Some(around) = around.filter(|_| self.branch.family(file) == Family::Script) else { return Ok(None) };
        let mut named = facts.named(name).filter(|&symbol| is_free_method(symbol));
        let (Some(symbol), None) = (named.next(), named.next()) else { return Ok(None) };
        let mut between = around.min(symbol)..around.max(symbol);
        let is_inside = |symbol: u32| facts.symbols[symbol as usize].parent.is_some();
        let is_same = between.all(|symbol| is_inside(symbol) || is_free_method(symbol));
        let found = Resolution::new(ResolutionMethod::SameFile, vec![SymbolId { file, symbol }]);
        Ok(is_same.then_some(found))
    }

    /// What a script exports by a name beside the function that it exports as a whole: `module.exports = run;
    /// module.exports.stop = () => {}`.
    pub(super) fn beside_exports(&self, exported: &[SymbolId], name: &str) -> Result<Option<Resolution>> {
        let &[whole] = exported else { return Ok(None) };
        if self.branch.family(whole.file) != Family::Script || self.facts(whole.file)?.name(whole.symbol) != "exports" {
            return Ok(None);
        }
        let found = self.exported(&[whole.file], name, SymbolCategory::Callable)?;
        Ok((!found.is_empty()).then(|| Resolution::new(ResolutionMethod::Import, found)))
    }
}
