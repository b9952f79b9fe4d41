//! Finds constructors: the methods that run when an instance of their type is made. Naming a type runs none.

use std::collections::{BTreeMap, BTreeSet};

use codecairn_base::error::Result;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::edge::{Edge, EdgeKind};
use super::family::Family;
use super::queries::Graph;
use super::resolver::Resolver;
use super::symbol::{SymbolId, is_type};

impl Family {
    /// The names of constructors, besides that of their type. In Rust, Go and Lua a function that makes an instance is
    /// called by its own name.
    fn constructor_names(self) -> &'static [&'static str] {
        match self {
            Self::Python => &["__init__", "__new__"],
            Self::Script | Self::Jvm => &["constructor"],
            Self::Php => &["__construct"],
            Self::Ruby => &["initialize"],
            Self::Swift => &["init"],
            _ => &[],
        }
    }

    /// Whether a constructor has the name of its type.
    fn names_constructors_as_types(self) -> bool {
        matches!(self, Self::Jvm | Self::CSharp | Self::C | Self::Other)
    }
}

impl<L: Load> Resolver<'_, L> {
    /// The constructors that run when an instance of a type is made: its own, else the nearest of its bases.
    pub(super) fn constructors(&self, of: SymbolId) -> Result<Vec<SymbolId>> {
        let family = self.branch.family(of.file);
        let mut found = Vec::new();
        for name in family.constructor_names() {
            found.extend(self.members_of(of, name)?.symbols);
        }
        if family.names_constructors_as_types() {
            let name = self.facts(of.file)?.name(of.symbol);
            found.extend(self.own_members(of, name)?);
        }
        let is_method = |id: &SymbolId| self.row(*id).is_ok_and(|row| row.kind == Kind::Method);
        found.retain(is_method);
        Ok(found)
    }

    /// The type that a constructor makes instances of; none for any other symbol.
    pub(super) fn constructed(&self, id: SymbolId) -> Result<Option<SymbolId>> {
        let (row, facts) = (self.row(id)?, self.facts(id.file)?);
        if row.kind != Kind::Method {
            return Ok(None);
        }
        let family = self.branch.family(id.file);
        let name = facts.text(row.name);
        if !family.names_constructors_as_types() && !family.constructor_names().contains(&name) {
            return Ok(None);
        }
        let Some(owner) = self.owner(id)?.filter(|&owner| self.row(owner).is_ok_and(|row| is_type(row.kind))) else {
            return Ok(None);
        };
        let is_constructor =
            family.constructor_names().contains(&name) || name == self.facts(owner.file)?.name(owner.symbol);
        Ok(is_constructor.then_some(owner))
    }
}

/// Types, each with those of some constructors that run when an instance of it is made.
pub(super) struct ConstructedTypes {
    pub(super) types: BTreeMap<SymbolId, Vec<SymbolId>>,
}

impl ConstructedTypes {
    /// The constructors that an edge runs; none if it only names a type.
    pub(super) fn run_by(&self, edge: &Edge) -> Option<Vec<SymbolId>> {
        if edge.kind != EdgeKind::Construct {
            return None;
        }
        let run = edge.resolution.targets.iter().filter_map(|target| self.types.get(target));
        let run: Vec<SymbolId> = run.flatten().copied().collect();
        (!run.is_empty()).then_some(run)
    }
}

impl Graph<'_> {
    /// The types whose instances any of these symbols make: those that own them, and derived ones without a constructor
    /// of their own.
    pub(super) fn constructed_types(&self, targets: &BTreeSet<SymbolId>) -> Result<ConstructedTypes> {
        let resolver = Resolver::new(&self.branch);
        let mut types: BTreeMap<SymbolId, Vec<SymbolId>> = BTreeMap::new();
        for &target in targets {
            let Some(owner) = resolver.constructed(target)? else { continue };
            types.entry(owner).or_default().push(target);
            for derived in self.derived(&resolver, owner)? {
                if resolver.constructors(derived)?.contains(&target) {
                    types.entry(derived).or_default().push(target);
                }
            }
        }
        Ok(ConstructedTypes { types })
    }
}
