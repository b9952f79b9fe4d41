//! Resolves names that stand alone, which are calls in Ruby and its like, and symbols that may name a method.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;
use codecairn_syntax::{Evidence, ReferenceKind};

use super::branch::Load;
use super::common_names::is_common;
use super::edge::{Resolution, ResolutionMethod};
use super::family::Family;
use super::resolver::{MAX_CANDIDATES, Resolver};
use super::scoped_name::last;
use super::symbol::{SymbolCategory, SymbolId};

impl<L: Load> Resolver<'_, L> {
    /// The calls of a bare name, or of a member that is read, given the resolution of the name. A function of another
    /// file is a candidate only, as a name without parentheses and arguments may be one that the language or a library makes.
    /// `is_in_body` is whether it stands in the body of a class.
    pub(super) fn called_alone(
        &self,
        file: FileIndex,
        at: u32,
        name: &str,
        is_in_body: bool,
        mut found: Resolution,
    ) -> Result<Resolution> {
        let family = self.branch.family(file);
        if found.targets.is_empty() {
            return Ok(found);
        }
        // The constants of Perl are functions.
        let is_function = |id: &SymbolId| {
            let kind = self.row(*id).map(|row| row.kind);
            kind.is_ok_and(|kind| {
                matches!(kind, Kind::Function | Kind::Method) || kind == Kind::Constant && family == Family::Other
            })
        };
        found.targets.retain(is_function);
        if found.targets.is_empty() || family.reads_members() && !found.how.is_resolved() {
            return Ok(Resolution::unknown());
        }
        let is_far = matches!(found.how, ResolutionMethod::Package | ResolutionMethod::Qualified)
            && family == Family::Ruby
            && found.targets.iter().all(|id| id.file != file);
        Ok(if is_far || self.is_of_other_level(file, at, is_in_body, &found)? {
            self.candidates(name, found)?
        } else {
            found
        })
    }

    /// The functions of a property that an assignment to it runs, or its deletion, given the resolution of its name: those
    /// that are decorated so, `@size.setter`.
    pub(super) fn written(&self, name: &str, mut found: Resolution) -> Result<Resolution> {
        if !found.how.is_resolved() {
            return Ok(Resolution::unknown());
        }
        let mut targets = Vec::with_capacity(found.targets.len());
        for id in found.targets {
            let facts = self.facts(id.file)?;
            let mut decorators = facts.uses("setter").chain(facts.uses("deleter"));
            let decorates = |number: u32| {
                let row = facts.references[number as usize];
                let next = facts.symbols.partition_point(|symbol| symbol.span.start <= row.span.start);
                row.kind == ReferenceKind::Decorator
                    && last(facts.text(row.receiver)) == name
                    && next == id.symbol as usize
            };
            if decorators.any(decorates) {
                targets.push(id);
            }
        }
        found.targets = targets;
        Ok(if found.targets.is_empty() { Resolution::unknown() } else { found })
    }

    /// The functions that a symbol may name, given the resolution of its name: candidates, as any word may be a symbol.
    pub(super) fn named_by_symbol(
        &self,
        file: FileIndex,
        at: u32,
        name: &str,
        found: Resolution,
    ) -> Result<Resolution> {
        let found =
            if found.how.is_resolved() { found } else { self.by_name(file, name, SymbolCategory::Callable, true)? };
        if found.targets.is_empty()
            || !self.are_functions(&found)?
            || self.is_of_other_level(file, at, false, &found)?
        {
            return Ok(Resolution::unknown());
        }
        self.candidates(name, found)
    }

    /// The methods of Ruby that a call without a receiver may mean where neither the class around it nor its known bases
    /// have the name: those of modules and classes that are mixed in, or joined to it, elsewhere.
    pub(super) fn mixed_in(&self, file: FileIndex, name: &str) -> Result<Resolution> {
        if is_common(name) {
            return Ok(Resolution::external());
        }
        let mut found = self.by_name(file, name, SymbolCategory::Callable, false)?;
        found.targets.retain(|&id| self.row(id).is_ok_and(|row| matches!(row.kind, Kind::Function | Kind::Method)));
        Ok(if found.targets.is_empty() { Resolution::external() } else { found })
    }

    fn are_functions(&self, found: &Resolution) -> Result<bool> {
        for &target in &found.targets {
            if !matches!(self.row(target)?.kind, Kind::Function | Kind::Method) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The targets as candidates; unknown if they are too many.
    pub(super) fn candidates(&self, name: &str, found: Resolution) -> Result<Resolution> {
        let is_unique = found.targets.len() == 1 && !is_common(name) && self.branch.defining(name)?.len() == 1;
        let how = if is_unique { ResolutionMethod::UniqueName } else { ResolutionMethod::Ambiguous };
        Ok(match found.targets.len() {
            1..=MAX_CANDIDATES => Resolution::new(how, found.targets),
            _ => Resolution::unknown(),
        })
    }

    /// Whether a place belongs to a method of objects and all targets to the class itself, or the other way round.
    /// `is_in_body` is whether the class itself calls it; symbols in its body, and calls in its blocks, may mean either.
    fn is_of_other_level(&self, file: FileIndex, at: u32, is_in_body: bool, found: &Resolution) -> Result<bool> {
        if self.branch.family(file) != Family::Ruby || found.targets.is_empty() {
            return Ok(false);
        }
        let facts = self.facts(file)?;
        let is_function = |&symbol: &u32| matches!(facts.symbols[symbol as usize].kind, Kind::Function | Kind::Method);
        let is_of_class = match facts.chain(facts.enclosing(at)).find(is_function) {
            Some(around) => self.is_of_one_object(SymbolId { file, symbol: around })?,
            None if is_in_body => true,
            None => return Ok(false),
        };
        for &target in &found.targets {
            // The methods of a module become those of whatever it is mixed into or extends.
            let owner = self.owner(target)?;
            let is_in_class = owner.is_some_and(|owner| self.row(owner).is_ok_and(|row| row.kind == Kind::Class));
            if !is_in_class || self.is_of_one_object(target)? == is_of_class {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a function is defined for one object alone: `def self.open`.
    pub(super) fn is_of_one_object(&self, function: SymbolId) -> Result<bool> {
        let (facts, row) = (self.facts(function.file)?, self.row(function)?);
        let mut bindings = facts.bindings_of(facts.name(function.symbol));
        Ok(bindings.any(|binding| binding.evidence == Evidence::Owner && binding.span == row.name_span))
    }
}
