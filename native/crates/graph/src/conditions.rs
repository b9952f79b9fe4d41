//! Resolves names of Rust that a build chooses: what is behind `#[cfg(…)]` may be left out, and then another import or
//! definition of the same name counts.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;

use super::branch::Load;
use super::edge::{Resolution, ResolutionMethod};
use super::file_facts::{FileFacts, ImportRow};
use super::resolver::Resolver;
use super::symbol::{SymbolCategory, SymbolId};
use super::value::Value;

/// The attribute that leaves out what follows it.
const CONDITION: &str = "cfg";

/// What a name means in the builds of a project.
#[derive(Debug, Default)]
pub(super) struct Choices {
    symbols: Vec<SymbolId>,
    /// How many definitions and imports lead to symbols that those before them do not lead to.
    count: usize,
    /// Whether an import leads out of the branch, or is not known.
    is_open: bool,
}

impl Choices {
    pub(super) fn add(&mut self, mut symbols: Vec<SymbolId>) {
        symbols.retain(|id| !self.symbols.contains(id));
        self.count += usize::from(!symbols.is_empty());
        self.symbols.extend(symbols);
    }

    pub(super) fn add_value(&mut self, value: Value) {
        match value {
            Value::Symbols(symbols) => self.add(symbols),
            Value::Type(of) => self.add(vec![of]),
            Value::External | Value::Unknown => self.is_open = true,
            _ => {}
        }
    }

    /// The symbols, if the name means them in every build.
    pub(super) fn certain(self) -> Option<Vec<SymbolId>> {
        (self.count == 1 && !self.is_open).then_some(self.symbols)
    }
}

impl<L: Load> Resolver<'_, L> {
    /// What a name means at a byte of a Rust file of which the build leaves out definitions, in `top`, or imports: several
    /// choices are candidates. None if no condition is before what the name may mean.
    pub(super) fn of_build(
        &self,
        file: FileIndex,
        at: u32,
        name: &str,
        wanted: SymbolCategory,
        top: &[SymbolId],
    ) -> Result<Option<Resolution>> {
        let facts = self.facts(file)?;
        if facts.bindings_of(CONDITION).next().is_none() {
            return Ok(None);
        }
        let is_optional = |import: &&ImportRow| is_conditional(facts, import.span.start);
        if !top.iter().all(|id| is_conditional(facts, facts.symbols[id.symbol as usize].span.start)) {
            return Ok(None);
        }
        let imports = self.imports_of(file, at, name)?;
        let wildcards = || facts.imports.iter().filter(|import| facts.text(import.name) == "*");
        let has_condition = match imports.first() {
            _ if !top.is_empty() => true,
            Some(first) => is_optional(first),
            None => wildcards().any(|import| is_optional(&import)),
        };
        if !has_condition {
            return Ok(None);
        }
        let mut choices = Choices::default();
        choices.add(top.to_vec());
        let mut is_settled = false;
        for import in imports {
            choices.add_value(self.imported(file, import)?);
            is_settled = !is_optional(&import);
            if is_settled {
                break;
            }
        }
        for import in wildcards() {
            if is_settled {
                break;
            }
            let found = self.taken_whole(file, import, name, wanted)?;
            is_settled = !found.is_empty() && !is_optional(&import);
            choices.add(found);
        }
        Ok(match choices {
            Choices { count: 0, .. } => None,
            Choices { count: 1, is_open: false, symbols } => {
                let how = if top.is_empty() { ResolutionMethod::Import } else { ResolutionMethod::SameFile };
                Some(Resolution::new(how, symbols))
            }
            Choices { mut symbols, .. } => {
                symbols.sort_unstable();
                Some(Resolution::new(ResolutionMethod::Ambiguous, symbols))
            }
        })
    }
}

impl<L: Load> Resolver<'_, L> {
    /// Whether a build may leave out definitions of Rust, and take an import of their name instead.
    pub(super) fn is_alternative(&self, definitions: &[SymbolId], name: &str) -> Result<bool> {
        for id in definitions {
            let facts = self.facts(id.file)?;
            let is_optional = is_conditional(facts, facts.symbols[id.symbol as usize].span.start);
            if !is_optional || self.imports_of(id.file, 0, name)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a build may leave out the item at a byte: the attribute is before it, and no other item is between.
pub(super) fn is_conditional(facts: &FileFacts, item: u32) -> bool {
    let Some(condition) = facts.binding_before(CONDITION, item) else { return false };
    let is_between = |at: u32| condition.span.start < at && at < item;
    let first = facts.references.partition_point(|row| row.span.start <= condition.span.start);
    let is_referred = facts.references.get(first).is_some_and(|row| is_between(row.span.start));
    let first = facts.symbols.partition_point(|row| row.span.start <= condition.span.start);
    let is_defined = facts.symbols.get(first).is_some_and(|row| is_between(row.span.start));
    let first = facts.imports.partition_point(|row| row.span.start <= condition.span.start);
    let is_imported = facts.imports.get(first).is_some_and(|row| is_between(row.span.start));
    condition.evidence == Evidence::Condition && !(is_referred || is_defined || is_imported)
}
