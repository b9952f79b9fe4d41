//! Finds overriding members, as a call through a base type may dispatch to any of them. The search stops at
//! [`MAX_TYPES`] types.

use std::collections::BTreeSet;

use codecairn_base::error::Result;
use codecairn_syntax::kind::Kind;

use super::edge::{Edge, EdgeKind, Resolution, ResolutionMethod};
use super::queries::Graph;
use super::resolver::Resolver;
use super::scoped_name::last;
use super::symbol::SymbolId;
use super::symbol::is_type;
use super::value::Value;

/// The maximum number of base or derived types that are searched.
const MAX_TYPES: usize = 64;

/// A type that more files than this mention is not searched for derived types.
const MAX_FILES: usize = 400;

impl Graph<'_> {
    /// The members that each of `targets` overrides, with it.
    pub(super) fn overridden(&self, targets: &BTreeSet<SymbolId>) -> Result<Vec<(SymbolId, SymbolId)>> {
        let resolver = Resolver::new(&self.branch);
        let mut found = Vec::new();
        for &target in targets {
            if resolver.row(target)?.kind != Kind::Method {
                continue;
            }
            let Some(owner) = resolver.owner(target)? else { continue };
            let name = self.node(target)?.name;
            let (mut seen, mut next) = (BTreeSet::from([owner]), vec![owner]);
            while let Some(of) = next.pop().filter(|_| seen.len() <= MAX_TYPES) {
                for base in resolver.bases(of)?.iter() {
                    if let Value::Type(base) = *base
                        && seen.insert(base)
                    {
                        next.push(base);
                        let members = resolver.own_members(base, &name)?.into_iter();
                        found.extend(members.filter(|member| !targets.contains(member)).map(|member| (member, target)));
                    }
                }
            }
        }
        Ok(found)
    }

    /// For a call of a member, the same call as one of the members that override it, if any do.
    pub(super) fn overriding(&self, edge: &Edge) -> Result<Option<Edge>> {
        if edge.kind != EdgeKind::MethodCall || !edge.resolution.how.knows_type() {
            return Ok(None);
        }
        let resolver = Resolver::new(&self.branch);
        let mut found = BTreeSet::new();
        for &target in &edge.resolution.targets {
            let Some(owner) = resolver.owner(target)?.filter(|_| edge.source != Some(target)) else { continue };
            let name = self.node(target)?.name;
            for derived in self.derived(&resolver, owner)? {
                found.extend(resolver.own_members(derived, &name)?);
            }
        }
        // An override that calls its base resolves to the base: `super().step()`.
        if edge.source.is_some_and(|source| found.contains(&source)) {
            return Ok(None);
        }
        found.retain(|member| !edge.resolution.targets.contains(member));
        let targets: Vec<SymbolId> = found.into_iter().collect();
        Ok((!targets.is_empty())
            .then(|| Edge { resolution: Resolution::new(ResolutionMethod::Override, targets), ..edge.clone() }))
    }

    /// The types that are known to derive from one, over all steps.
    pub(super) fn derived(
        &self,
        resolver: &Resolver<'_, codecairn_store::Snapshot>,
        from: SymbolId,
    ) -> Result<BTreeSet<SymbolId>> {
        let (mut found, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(of) = next.pop().filter(|_| found.len() <= MAX_TYPES) {
            if !is_type(resolver.row(of)?.kind) {
                continue;
            }
            let name = self.node(of)?.name;
            let files = self.files_using(&name)?;
            if files.len() > MAX_FILES {
                continue;
            }
            for file in files {
                let facts = self.branch.facts(file)?;
                for base in facts.bases.iter().filter(|base| last(facts.text(base.base)) == name) {
                    let derived = facts.symbols.iter().position(|row| {
                        is_type(row.kind) && row.qualified_name == base.derived && row.span.contains(base.span)
                    });
                    let Some(symbol) = derived.map(|symbol| SymbolId { file, symbol: symbol as u32 }) else { continue };
                    if symbol != of && resolver.bases(symbol)?.contains(&Value::Type(of)) && found.insert(symbol) {
                        next.push(symbol);
                    }
                }
            }
        }
        Ok(found)
    }
}
