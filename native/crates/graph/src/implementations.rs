//! Tells the functions that a type of Rust has itself from those of the traits that it implements: where both have a
//! name, the call means the type's own.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::ReferenceKind;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::resolver::Resolver;
use super::scoped_name::last;
use super::symbol::SymbolId;

impl<L: Load> Resolver<'_, L> {
    /// Of several functions of a type of Rust, the only one that is in no implementation of a trait.
    pub(super) fn inherent(&self, functions: &[SymbolId]) -> Result<Option<SymbolId>> {
        let mut found = None;
        for &function in functions {
            if self.is_of_trait(function)? {
                continue;
            }
            if found.is_some() {
                return Ok(None);
            }
            found = Some(function);
        }
        Ok(found)
    }

    /// Whether a function belongs to a trait or to an implementation of one, as far as is known: an `impl` is no symbol,
    /// but its header names the trait and the type, and nothing is defined between them.
    fn is_of_trait(&self, function: SymbolId) -> Result<bool> {
        let (facts, row) = (self.facts(function.file)?, self.row(function)?);
        if row.parent.is_some_and(|outer| facts.symbols[outer as usize].kind == Kind::Trait) {
            return Ok(true);
        }
        let Some((scope, _)) = facts.qualified_name(function.symbol).rsplit_once('.') else { return Ok(true) };
        let (name, start) = (last(scope), row.span.start);
        let before = facts.bases.partition_point(|base| base.span.start < start);
        let is_of_type = |derived: &str| last(derived) == name;
        let traits = facts.bases[..before].iter().rev();
        let Some(named) = traits.filter(|base| base.implements).find(|base| is_of_type(facts.text(base.derived)))
        else {
            return Ok(false);
        };
        let uses = facts.uses(name).map(|number| facts.references[number as usize]);
        let headers = uses
            .take_while(|it| it.span.start < start)
            .filter(|it| it.kind == ReferenceKind::Type && facts.enclosing(it.span.start) == row.parent);
        let Some(header) = headers.last().filter(|header| header.span.start > named.span.start) else {
            return Ok(true);
        };
        let next = facts.symbols.partition_point(|symbol| symbol.span.start < named.span.start);
        Ok(facts.symbols[next].span.start > header.span.start)
    }

    /// Whether a byte of a file lies in an implementation of a trait: what is called by the trait's name there is mostly
    /// another implementation, `Source::get(&**self)`.
    pub(super) fn is_in_implementation(&self, file: FileIndex, at: u32, of: SymbolId) -> Result<bool> {
        if self.row(of)?.kind != Kind::Trait {
            return Ok(false);
        }
        let facts = self.facts(file)?;
        let is_module = |symbol: u32| facts.symbols[symbol as usize].kind == Kind::Module;
        let Some(member) = facts.chain(facts.enclosing(at)).filter(|&symbol| !is_module(symbol)).last() else {
            return Ok(false);
        };
        let Some((scope, _)) = facts.qualified_name(member).rsplit_once('.') else { return Ok(false) };
        let before = facts.bases.partition_point(|base| base.span.start < at);
        let Some(named) = before.checked_sub(1).map(|number| facts.bases[number]) else { return Ok(false) };
        let is_of_type = last(facts.text(named.derived)) == last(scope);
        let name = self.facts(of.file)?.name(of.symbol);
        Ok(named.implements && is_of_type && last(facts.text(named.base)) == name)
    }
}
