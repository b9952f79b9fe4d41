//! Finds the members of types: their own, else those of their bases, depth first in source order.

use std::sync::Arc;

use codecairn_base::error::Result;
use codecairn_index::view::FileIndex;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::family::Family;
use super::file_facts::{BindingRow, FileFacts};
use super::resolver::Resolver;
use super::scoped_name::last;
use super::symbol::SymbolId;
use super::symbol::{SymbolCategory, is_type};
use super::value::Value;

/// The maximum number of assignments to one field that are evaluated.
const MAX_VALUES: usize = 8;

/// Members of one name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Members {
    /// The member, or its overloads.
    pub(super) symbols: Vec<SymbolId>,
    /// Whether all bases are resolved, so that a missing member does not exist.
    pub(super) is_complete: bool,
}

impl<L: Load> Resolver<'_, L> {
    /// The members of this name that a type has itself or from its bases.
    pub(super) fn members_of(&self, of: SymbolId, name: &str) -> Result<Members> {
        let own = self.own_members(of, name)?;
        if !own.is_empty() {
            return Ok(Members { symbols: own, is_complete: true });
        }
        for other in self.augmentations(of)? {
            let added = self.own_members(other, name)?;
            if !added.is_empty() {
                return Ok(Members { symbols: added, is_complete: true });
            }
        }
        let mut found = self.members_of_bases(of, name)?;
        if found.symbols.is_empty() && self.branch.family(of.file) == Family::Script {
            found.symbols = self.prototype_members(of, name)?;
        }
        Ok(found)
    }

    /// The interfaces of TypeScript that add members to one: those of its name in `declare module` and the like.
    fn augmentations(&self, of: SymbolId) -> Result<Vec<SymbolId>> {
        let mut found = Vec::new();
        if self.branch.family(of.file) != Family::Script || self.row(of)?.kind != Kind::Interface {
            return Ok(found);
        }
        let name = self.facts(of.file)?.name(of.symbol);
        for &id in self.branch.defining(name)?.iter() {
            let facts = self.facts(id.file)?;
            let row = &facts.symbols[id.symbol as usize];
            let is_in_module = row.parent.is_some_and(|outer| facts.symbols[outer as usize].kind == Kind::Module);
            if id != of && row.kind == Kind::Interface && (is_in_module || id.file == of.file) {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// The members of this name that a type has from its bases.
    pub(super) fn members_of_bases(&self, of: SymbolId, name: &str) -> Result<Members> {
        if self.branch.defining(name)?.is_empty() {
            return Ok(Members { symbols: Vec::new(), is_complete: true });
        }
        self.deeper(Members::default(), || {
            let mut is_complete = true;
            let mut bases = self.bases(of)?.to_vec();
            if self.branch.family(of.file) == Family::Php {
                bases.sort_by_key(|base| self.precedence(base));
            }
            for base in bases {
                match base {
                    Value::Type(base) if base != of => {
                        let mut found = self.members_of(base, name)?;
                        if !found.symbols.is_empty() && self.is_mixed_in(base)? {
                            found = self.without_own(base, name, found)?;
                        }
                        if !found.symbols.is_empty() {
                            return Ok(found);
                        }
                        is_complete &= found.is_complete;
                    }
                    _ => is_complete = false,
                }
            }
            Ok(Members { symbols: Vec::new(), is_complete })
        })
    }

    /// Whether a base is a module of Ruby, which gives on its methods of objects alone.
    fn is_mixed_in(&self, base: SymbolId) -> Result<bool> {
        Ok(self.branch.family(base.file) == Family::Ruby && self.row(base)?.kind == Kind::Module)
    }

    /// The members of a module without the methods of the module itself; if it has no others, those of its bases.
    fn without_own(&self, module: SymbolId, name: &str, mut found: Members) -> Result<Members> {
        let mut kept = Vec::with_capacity(found.symbols.len());
        for id in found.symbols {
            if !self.is_of_one_object(id)? {
                kept.push(id);
            }
        }
        found.symbols = kept;
        if found.symbols.is_empty() { self.members_of_bases(module, name) } else { Ok(found) }
    }

    /// The order in which a class of PHP takes members from its bases, in whatever order it names them: from its traits,
    /// then from its parent, and only then from interfaces.
    fn precedence(&self, base: &Value) -> u8 {
        match base {
            Value::Type(base) => match self.row(*base).map(|row| row.kind) {
                Ok(Kind::Trait) => 0,
                Ok(Kind::Interface) => 2,
                _ => 1,
            },
            _ => 1,
        }
    }

    /// The members of this name that a type has itself.
    pub(super) fn own_members(&self, of: SymbolId, name: &str) -> Result<Vec<SymbolId>> {
        let facts = self.facts(of.file)?;
        let (full, simple) = (facts.qualified_name(of.symbol), facts.name(of.symbol));
        let is_member = |symbol: &u32| {
            let row = &facts.symbols[*symbol as usize];
            let by_name = || {
                let scopes = facts.qualified_name(*symbol).strip_suffix(name).and_then(|rest| rest.strip_suffix('.'));
                scopes == Some(full)
            };
            row.parent == Some(of.symbol) || by_name()
        };
        let mut found: Vec<SymbolId> =
            facts.named(name).filter(is_member).map(|symbol| SymbolId { file: of.file, symbol }).collect();
        let family = self.branch.family(of.file);
        if family == Family::Script && matches!(self.row(of)?.kind, Kind::Function | Kind::Method) {
            // Of an object that a function makes, what it defines as members comes before functions inside.
            let is_method = |id: &SymbolId| facts.symbols[id.symbol as usize].kind == Kind::Method;
            if found.iter().any(is_method) {
                found.retain(is_method);
            }
        }
        let are_elsewhere = found.is_empty() || family == Family::C;
        if are_elsewhere && family.members_are_spread() {
            let folder = self.branch.folder(of.file);
            let mut spread = Vec::new();
            for &id in self.branch.members(simple, name)?.iter() {
                let is_near = match family {
                    Family::Go => self.branch.folder(id.file) == folder,
                    Family::Rust => self.same_crate(id.file, of.file),
                    // A function of Kotlin that extends a type is in no type.
                    Family::Jvm => self.branch.family(id.file) == family && self.row(id)?.parent.is_none(),
                    _ => self.branch.family(id.file) == family,
                };
                if is_near && id.file != of.file {
                    spread.push(id);
                }
            }
            // If there are several types of this name, each has its members in its own folder.
            let is_only = self.is_only_type(of, simple)?;
            if family == Family::C && !is_only {
                // Those of C++ are written with the scopes of their type.
                let has_scopes = |id: &SymbolId| {
                    let scopes = self.branch.qualified_name(*id).ok().and_then(|full| full.rsplit_once('.'));
                    scopes.is_some_and(|(scopes, _)| scopes == full)
                };
                if spread.iter().any(has_scopes) {
                    spread.retain(has_scopes);
                    found.append(&mut spread);
                }
            }
            if !is_only && family == Family::Rust {
                // The type that an `impl` means in its file.
                for &id in &spread {
                    if self.owner(id)? == Some(of) {
                        found.push(id);
                    }
                }
            } else if is_only || spread.iter().all(|id| self.branch.folder(id.file) == folder) {
                found.extend(spread);
            }
            found = self.definitions(found)?;
        }
        // A method comes before a field of the same name.
        let callable = |id: &SymbolId| self.row(*id).is_ok_and(|row| row.kind != Kind::Constant);
        if found.iter().any(callable) {
            found.retain(callable);
        }
        Ok(found)
    }

    fn same_crate(&self, a: FileIndex, b: FileIndex) -> bool {
        let folder = |file| self.branch.layout().crate_of(self.branch.path(file)).map(|named| &named.folder);
        folder(a) == folder(b)
    }

    fn is_only_type(&self, of: SymbolId, name: &str) -> Result<bool> {
        let family = self.branch.family(of.file);
        for &id in self.branch.defining(name)?.iter() {
            let is_rival = id.file != of.file && is_type(self.row(id)?.kind) && self.branch.family(id.file) == family;
            if is_rival && (family != Family::Rust || self.same_crate(id.file, of.file)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The bases of a type in source order; a base that is not in the branch is [`Value::External`].
    ///
    /// Each name inside a type may be a member of a base, so they are asked for again and again: an answer is kept,
    /// and counts as much as if it were found again, so that no answer depends on which were kept.
    pub(super) fn bases(&self, of: SymbolId) -> Result<Arc<[Value]>> {
        if let Some((known, effort)) = self.branch.known_bases(of)
            && self.spend(effort)
        {
            return Ok(known);
        }
        let (found, effort) = self.measured(|| self.find_bases(of))?;
        let found: Arc<[Value]> = found.into();
        if let Some(effort) = effort {
            self.branch.keep_bases(of, Arc::clone(&found), effort);
        }
        Ok(found)
    }

    fn find_bases(&self, of: SymbolId) -> Result<Vec<Value>> {
        let facts = self.facts(of.file)?;
        let row = facts.symbols[of.symbol as usize];
        let mut found = Vec::new();
        for base in facts.bases.iter().filter(|base| base.derived == row.qualified_name) {
            let text = facts.text(base.base);
            // Resolved inside the derived type, the name could find the derived type itself.
            let at = row.span.start.saturating_sub(1).min(base.span.start);
            found.push(self.deeper(Value::Unknown, || self.type_named(of.file, at, text))?);
        }
        Ok(found)
    }

    /// The type that a member belongs to.
    pub(super) fn owner(&self, member: SymbolId) -> Result<Option<SymbolId>> {
        let facts = self.facts(member.file)?;
        let row = facts.symbols[member.symbol as usize];
        let outer = facts.chain(row.parent).find(|&outer| is_type(facts.symbols[outer as usize].kind));
        if let Some(symbol) = outer {
            return Ok(Some(SymbolId { file: member.file, symbol }));
        }
        if self.branch.family(member.file) == Family::Script
            && let Some(of) = self.prototype_owner(member)?
        {
            return Ok(Some(of));
        }
        let Some((scope, _)) = facts.qualified_name(member.symbol).rsplit_once('.') else { return Ok(None) };
        let simple = last(scope);
        let is_owner = |symbol: &u32| {
            is_type(facts.symbols[*symbol as usize].kind) || facts.symbols[*symbol as usize].kind == Kind::Module
        };
        // Several functions may have a type of this name: the one beside the member is meant.
        let is_beside = |symbol: &u32| is_owner(symbol) && facts.symbols[*symbol as usize].parent == row.parent;
        let is_whole = |symbol: &u32| is_beside(symbol) && facts.qualified_name(*symbol) == scope;
        let here = facts.named(simple).find(is_whole).or_else(|| facts.named(simple).find(is_beside));
        let here = here.or_else(|| facts.named(simple).find(is_owner));
        if let Some(symbol) = here {
            return Ok(Some(SymbolId { file: member.file, symbol }));
        }
        // A class in a class of C++ has its members written away from both.
        if self.branch.family(member.file) == Family::C
            && let Some((outer, _)) = scope.rsplit_once('.')
        {
            let found = self.by_scopes(member.file, outer, simple, SymbolCategory::Type)?;
            if let [only] = found.as_slice()
                && self.branch.qualified_name(*only)? == scope
            {
                return Ok(Some(*only));
            }
        }
        self.deeper(None, || match self.type_named(member.file, row.span.start.saturating_sub(1), simple)? {
            Value::Type(of) => Ok(Some(of)),
            _ => Ok(None),
        })
    }

    /// The type whose body, or whose member's body, holds a place.
    pub(super) fn enclosing_type(&self, file: FileIndex, at: u32) -> Result<Option<SymbolId>> {
        let facts = self.facts(file)?;
        let family = self.branch.family(file);
        for symbol in facts.chain(facts.enclosing(at)) {
            let row = &facts.symbols[symbol as usize];
            let is_module = row.kind == Kind::Module && matches!(family, Family::Ruby | Family::Elixir);
            if is_type(row.kind) || is_module {
                return Ok(Some(SymbolId { file, symbol }));
            }
            // A constant of an `impl` is a member as a function is.
            let is_free = row.kind == Kind::Function || (row.kind == Kind::Constant && family == Family::Rust);
            let is_member = row.kind == Kind::Method || (is_free && row.qualified_name != row.name);
            if is_member && let Some(owner) = self.owner(SymbolId { file, symbol })? {
                return Ok(Some(owner));
            }
        }
        Ok(None)
    }

    /// The binding of a local name at a position: the last one before it in the innermost function that has any; else
    /// the one outside of functions.
    pub(super) fn local(&self, file: FileIndex, at: u32, name: &str) -> Result<Option<&BindingRow>> {
        let facts = self.facts(file)?;
        let is_typed = |binding: &&BindingRow| binding.evidence.is_of_variable();
        for scope in facts.chain(facts.enclosing(at)) {
            let row = &facts.symbols[scope as usize];
            if is_type(row.kind) {
                continue;
            }
            let bindings = facts.bindings_of(name).filter(is_typed).filter(|binding| {
                // The bindings of an inner function are its own.
                row.span.contains(binding.span) && self.is_bound_at(file, binding, at)
            });
            if let Some(found) = nearest(facts, &bindings.collect::<Vec<_>>(), at) {
                return Ok(Some(found));
            }
        }
        let bindings = facts.bindings_of(name).filter(is_typed);
        let outer = bindings.filter(|binding| {
            let mut inner = facts.chain(facts.enclosing(binding.span.start));
            inner.all(|symbol| matches!(facts.symbols[symbol as usize].kind, Kind::Constant | Kind::Module))
        });
        let (free, bound): (Vec<_>, Vec<_>) = outer.partition(|binding| facts.closure_of(binding).is_none());
        let is_around = |binding: &&BindingRow| self.is_bound_at(file, binding, at);
        let bound = nearest(facts, &bound.into_iter().filter(is_around).collect::<Vec<_>>(), at);
        Ok(bound.or_else(|| free.first().copied()))
    }

    /// Whether a binding holds at a byte of its file: both are in the same function, or the byte is in one inside.
    pub(super) fn is_bound_at(&self, file: FileIndex, binding: &BindingRow, at: u32) -> bool {
        let Ok(facts) = self.facts(file) else { return false };
        self.is_visible(file, binding.span.start, at)
            && facts.closure_of(binding).is_none_or(|closure| closure.start <= at && at < closure.end)
    }

    /// Whether the binding at `there` is in a function around `at`.
    pub(super) fn is_visible(&self, file: FileIndex, there: u32, at: u32) -> bool {
        let Ok(facts) = self.facts(file) else { return false };
        let is_function = |&symbol: &u32| matches!(facts.symbols[symbol as usize].kind, Kind::Function | Kind::Method);
        let declaring = facts.chain(facts.enclosing(there)).find(is_function);
        declaring.is_none_or(|declaring| {
            let span = facts.symbols[declaring as usize].span;
            span.start <= at && at < span.end
        })
    }

    /// A field of the type around a place, in languages where it needs no receiver.
    pub(super) fn own_field(&self, file: FileIndex, at: u32, name: &str) -> Result<Option<Value>> {
        let family = self.branch.family(file);
        if !(family.members_are_bare() || family == Family::Ruby) {
            return Ok(None);
        }
        match self.enclosing_type(file, at)? {
            Some(of) => self.field(of, name),
            None => Ok(None),
        }
    }

    /// The value of a field of a type, its own or one of its bases'.
    pub(super) fn field(&self, of: SymbolId, name: &str) -> Result<Option<Value>> {
        if let Ok(number) = name.parse::<usize>()
            && self.branch.family(of.file) == Family::Rust
        {
            let at = self.row(of)?.name_span.start;
            return match self.tuple_fields(of)?.get(number) {
                Some(field) => self.deeper(None, || self.typed(of.file, at, field).map(Some)),
                None => Ok(None),
            };
        }
        let facts = self.facts(of.file)?;
        let row = facts.symbols[of.symbol as usize];
        let mut bindings = Vec::new();
        for prefix in ["self.", "this.", "", "@"] {
            let full = format!("{prefix}{name}");
            bindings.extend(facts.bindings_of(&full).filter(|binding| {
                let inside = row.span.contains(binding.span) && binding.evidence.is_of_variable();
                let inner = facts.enclosing(binding.span.start);
                // Without a receiver it is a field only if no function holds it, or if the constructor takes it.
                inside && (!prefix.is_empty() || self.is_field_like(of, inner))
            }));
        }
        // A declared type comes before what is assigned; of several values the first that is known is meant.
        bindings.sort_by_key(|binding: &&BindingRow| binding.evidence != Evidence::Type);
        let mut found = None;
        for binding in bindings.into_iter().take(MAX_VALUES) {
            let value = self.bound(of.file, binding)?;
            if !matches!(value, Value::Unknown | Value::External) {
                return Ok(Some(value));
            }
            found = found.or(Some(value));
        }
        // Traits have no fields.
        if found.is_some() || self.branch.family(of.file) == Family::Rust {
            return Ok(found);
        }
        self.deeper(None, || {
            for base in self.bases(of)?.iter() {
                if let Value::Type(base) = *base
                    && base != of
                    && let Some(found) = self.field(base, name)?
                {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        })
    }

    fn is_field_like(&self, of: SymbolId, inner: Option<u32>) -> bool {
        let Ok(facts) = self.facts(of.file) else { return false };
        let mut chain = facts.chain(inner).take_while(|&symbol| symbol != of.symbol);
        chain.all(|symbol| {
            let row = &facts.symbols[symbol as usize];
            let name = facts.name(symbol);
            let is_constructor = matches!(name, "constructor" | "__init__" | "__construct" | "initialize" | "init")
                || name == facts.name(of.symbol);
            row.kind == Kind::Constant || is_constructor
        })
    }
}

/// Of the bindings of one name that hold at a byte, by position, the last one before it in the innermost closure that has
/// any, else the first one behind it.
fn nearest<'f>(facts: &'f FileFacts, bindings: &[&'f BindingRow], at: u32) -> Option<&'f BindingRow> {
    let in_order = |bindings: &[&'f BindingRow]| {
        let behind = bindings.partition_point(|binding| binding.span.start <= at);
        bindings[..behind].last().or(bindings.get(behind)).copied()
    };
    if bindings.len() > 1 {
        for closure in facts.closures_around(at) {
            let own = bindings.iter().copied().filter(|binding| facts.closure_of(binding) == Some(closure));
            if let Some(found) = in_order(&own.collect::<Vec<_>>()) {
                return Some(found);
            }
        }
    }
    in_order(bindings)
}
