//! Finds which types of Go implement which interfaces: those that have all methods, each with the same result.

use std::collections::BTreeSet;

use codecairn_base::error::Result;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::edge::{Edge, EdgeKind, Resolution, ResolutionMethod};
use super::family::Family;
use super::queries::Graph;
use super::resolver::Resolver;
use super::symbol::{SymbolId, is_type};
use super::value::Value;

/// The maximum number of types that are compared with one.
const MAX_TYPES: usize = 200;

/// The names of methods with their results.
type Methods = BTreeSet<(String, String)>;

impl<L: Load> Resolver<'_, L> {
    /// Whether a symbol is an interface of Go.
    fn is_go_interface(&self, id: SymbolId) -> Result<bool> {
        Ok(self.branch.family(id.file) == Family::Go && self.row(id)?.kind == Kind::Interface)
    }

    /// The methods that an interface asks for, with those of the interfaces in it; none if some are not known.
    fn interface_methods(&self, interface: SymbolId) -> Result<Option<Methods>> {
        self.deeper(None, || {
            let facts = self.facts(interface.file)?;
            let mut methods = Methods::new();
            for (symbol, row) in (0_u32..).zip(&facts.symbols) {
                if row.parent == Some(interface.symbol) && row.kind == Kind::Method {
                    methods.insert(self.method(SymbolId { file: interface.file, symbol })?);
                }
            }
            for base in self.bases(interface)?.iter() {
                let Value::Type(base) = *base else { return Ok(None) };
                let Some(further) = self.interface_methods(base)? else { return Ok(None) };
                methods.extend(further);
            }
            Ok(Some(methods))
        })
    }

    /// A method's name and its result as written, without packages.
    fn method(&self, id: SymbolId) -> Result<(String, String)> {
        let facts = self.facts(id.file)?;
        let (name, span) = (facts.name(id.symbol), facts.symbols[id.symbol as usize].name_span);
        let mut bindings = facts.bindings_of(name);
        let result = bindings.find(|binding| binding.span == span && binding.evidence == Evidence::Returns);
        let result = result.map(|binding| facts.text(binding.text)).unwrap_or_default();
        let plain = result.rsplit('.').next().unwrap_or(result).trim_matches(['(', ')', '*', ' ', '[', ']']);
        Ok((name.to_owned(), plain.to_owned()))
    }

    /// Whether a type has all of these methods, itself or from what it embeds.
    fn has_methods(&self, of: SymbolId, methods: &Methods) -> Result<bool> {
        for method in methods {
            let members = self.members_of(of, &method.0)?.symbols;
            let mut is_there = false;
            for &member in &members {
                is_there |= self.row(member)?.kind == Kind::Method && self.method(member)? == *method;
            }
            if !is_there {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The types or interfaces with a method of this name.
    fn owners_of_methods(&self, name: &str, are_interfaces: bool) -> Result<BTreeSet<SymbolId>> {
        let mut owners = BTreeSet::new();
        for &id in self.branch.defining(name)?.iter() {
            if owners.len() < MAX_TYPES
                && self.row(id)?.kind == Kind::Method
                && self.branch.family(id.file) == Family::Go
                && let Some(owner) = self.owner(id)?
                && is_type(self.row(owner)?.kind)
                && self.is_go_interface(owner)? == are_interfaces
            {
                owners.insert(owner);
            }
        }
        Ok(owners)
    }

    fn implementation(&self, of: SymbolId, interface: SymbolId) -> Result<Edge> {
        let name = self.facts(interface.file)?.name(interface.symbol).to_owned();
        let resolution = Resolution::new(ResolutionMethod::Package, vec![interface]);
        let span = self.row(of)?.name_span;
        Ok(Edge { file: of.file, source: Some(of), name, span, kind: EdgeKind::Implement, resolution })
    }
}

impl Graph<'_> {
    /// The edges of all types that implement any of these interfaces without naming it.
    pub(super) fn implicit_implementations(&self, targets: &BTreeSet<SymbolId>) -> Result<Vec<Edge>> {
        let resolver = Resolver::new(&self.branch);
        let mut edges = Vec::new();
        for &interface in targets {
            if !resolver.is_go_interface(interface)? {
                continue;
            }
            let Some(methods) = resolver.interface_methods(interface)? else { continue };
            let Some((first, _)) = methods.first() else { continue };
            for of in resolver.owners_of_methods(first, false)? {
                if resolver.has_methods(of, &methods)? {
                    edges.push(resolver.implementation(of, interface)?);
                }
            }
        }
        Ok(edges)
    }

    /// The edges of a type to the interfaces that it implements without naming them.
    pub(super) fn implicit_interfaces(&self, of: SymbolId) -> Result<Vec<Edge>> {
        let resolver = Resolver::new(&self.branch);
        let row = resolver.row(of)?;
        if self.branch.family(of.file) != Family::Go || !is_type(row.kind) || row.kind == Kind::Interface {
            return Ok(Vec::new());
        }
        let simple = resolver.facts(of.file)?.name(of.symbol);
        let mut interfaces = BTreeSet::new();
        let mut edges = Vec::new();
        for (file, facts) in self.facts_beside(of.file)? {
            for (symbol, row) in (0_u32..).zip(&facts.symbols) {
                let is_own = row.kind == Kind::Method
                    && facts.qualified_name(symbol).strip_prefix(simple).is_some_and(|rest| rest.starts_with('.'));
                if is_own && resolver.owner(SymbolId { file, symbol })? == Some(of) {
                    interfaces.extend(resolver.owners_of_methods(facts.name(symbol), true)?);
                }
            }
        }
        for interface in interfaces {
            if let Some(methods) = resolver.interface_methods(interface)?
                && resolver.has_methods(of, &methods)?
            {
                edges.push(resolver.implementation(of, interface)?);
            }
        }
        Ok(edges)
    }
}
