//! Finds the bounds of type parameters: what is called on a `T: Trait` is a member of the trait.

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::family::Family;
use super::file_facts::BindingRow;
use super::receiver::parts;
use super::resolver::Resolver;
use super::symbol::SymbolId;
use super::value::Value;

/// The maximum number of bounds of one name in a file that are compared.
const MAX_BOUNDS: usize = 16;

impl<L: Load> Resolver<'_, L> {
    /// An object of a type parameter's bounds, if a name is a bounded type parameter at a byte of a file.
    pub(super) fn type_parameter(&self, file: FileIndex, at: u32, name: &str) -> Result<Option<Value>> {
        let facts = self.facts(file)?;
        let bounds: Vec<&BindingRow> =
            facts.bindings_of(name).filter(|binding| binding.evidence == Evidence::Bound).collect();
        if bounds.is_empty() {
            return Ok(None);
        }
        for scope in facts.chain(facts.enclosing(at)) {
            if let Some(bound) = bounds.iter().find(|bound| facts.enclosing(bound.span.start) == Some(scope)) {
                return self.bound(file, bound).map(Some);
            }
        }
        if self.branch.family(file) != Family::Rust {
            return Ok(None);
        }
        // An `impl` is no symbol: its parameters hold for the members behind it.
        let is_module = |symbol: u32| facts.symbols[symbol as usize].kind == Kind::Module;
        let Some(member) = facts.chain(facts.enclosing(at)).filter(|&symbol| !is_module(symbol)).last() else {
            return Ok(None);
        };
        let start = facts.symbols[member as usize].span.start;
        let Some((scope, _)) = facts.qualified_name(member).rsplit_once('.') else { return Ok(None) };
        let Some(bound) = bounds.iter().rev().find(|bound| bound.span.start < start) else { return Ok(None) };
        let first = facts.symbols.partition_point(|row| row.span.start < bound.span.start);
        let is_alone = (first as u32..member).all(|symbol| {
            let rest = facts.qualified_name(symbol).strip_prefix(scope);
            rest.is_some_and(|rest| rest.starts_with('.'))
        });
        let is_header = facts.enclosing(bound.span.start).is_none_or(is_module);
        if is_alone && is_header { self.bound(file, bound).map(Some) } else { Ok(None) }
    }

    /// What a member returns that a type inherits, if that is a type parameter of the base: the type itself where the
    /// parameter stands for what derives from the base, else nothing that is known, as the type says what it stands for.
    /// None if it returns anything else.
    pub(super) fn inherited_parameter(&self, of: SymbolId, member: SymbolId) -> Result<Option<Value>> {
        if !matches!(self.branch.family(member.file), Family::Jvm | Family::CSharp | Family::Script) {
            return Ok(None);
        }
        let facts = self.facts(member.file)?;
        let span = facts.symbols[member.symbol as usize].name_span;
        let returned = facts.binding_from(facts.name(member.symbol), span.start);
        let Some(returned) = returned.filter(|it| it.span == span && it.evidence == Evidence::Returns) else {
            return Ok(None);
        };
        let mut bounds = facts.bindings_of(facts.text(returned.text)).filter(|it| it.evidence == Evidence::Bound);
        let Some(first) = bounds.next() else { return Ok(None) };
        let Some(owner) = self.owner(member)?.filter(|&owner| owner != of) else { return Ok(None) };
        let is_of_owner = |bound: &BindingRow| facts.enclosing(bound.span.start) == Some(owner.symbol);
        let Some(bound) = std::iter::once(first).chain(bounds).find(|bound| is_of_owner(bound)) else {
            return Ok(None);
        };
        let is_derived = self.bound(member.file, bound)? == Value::Instance(owner);
        Ok(Some(if is_derived { Value::Instance(of) } else { Value::Unknown }))
    }

    /// An object in a field of Rust whose type is a type parameter, by the parameter's bounds where the field is used.
    pub(super) fn parameter_field(&self, file: FileIndex, at: u32, of: SymbolId, name: &str) -> Result<Value> {
        let (facts, span) = (self.facts(of.file)?, self.row(of)?.span);
        let mut fields = facts.bindings_of(name).filter(|binding| span.contains(binding.span));
        let Some(field) = fields.find(|binding| binding.evidence == Evidence::Type) else { return Ok(Value::Unknown) };
        Ok(self.type_parameter(file, at, facts.text(field.text))?.unwrap_or(Value::Unknown))
    }

    /// An object of a type parameter's bounds where it has none itself, as in a field of a type, if all bounds of the
    /// name in the file lead to the same type.
    pub(super) fn common_bound(&self, file: FileIndex, name: &str) -> Result<Value> {
        let facts = self.facts(file)?;
        let mut bounds = facts.bindings_of(name).filter(|binding| binding.evidence == Evidence::Bound);
        let Some(first) = bounds.next() else { return Ok(Value::Unknown) };
        let value = self.bound(file, first)?;
        for (number, bound) in bounds.enumerate() {
            if number > MAX_BOUNDS || bound.text != first.text && self.bound(file, bound)? != value {
                return Ok(Value::Unknown);
            }
        }
        Ok(value)
    }

    /// An object of the first of several bounds that is a type of the project.
    pub(super) fn bounded(&self, file: FileIndex, at: u32, text: &str) -> Result<Value> {
        let mut are_external = true;
        for bound in parts(text, '+') {
            // A parameter does not bound itself.
            match self.typed(file, at.saturating_sub(1), bound)? {
                value @ Value::Instance(_) => return Ok(value),
                value => are_external &= value == Value::External,
            }
        }
        Ok(if are_external { Value::External } else { Value::Unknown })
    }
}
