//! Resolves the references of a file to edges, and finds the edges to a symbol.

use codecairn_base::error::Result;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;
use codecairn_syntax::{Evidence, ReferenceKind};

use super::branch::Load;
use super::edge::{Edge, EdgeKind, Resolution, ResolutionMethod};
use super::family::Family;
use super::resolver::Resolver;
use super::scoped_name::last;
use super::symbol::{SymbolCategory, SymbolId};
use super::value::Value;

impl<L: Load> Resolver<'_, L> {
    /// All edges that begin in a file, in order of position.
    pub(super) fn edges_of(&self, file: FileIndex) -> Result<Vec<Edge>> {
        let facts = self.facts(file)?;
        let mut edges = Vec::with_capacity(facts.references.len() + facts.imports.len());
        for number in 0..facts.references.len() as u32 {
            edges.extend(self.edge_of_reference(file, number)?);
        }
        for number in 0..facts.imports.len() as u32 {
            edges.extend(self.edge_of_import(file, number)?);
        }
        for number in 0..facts.bases.len() as u32 {
            edges.push(self.edge_of_base(file, number)?);
        }
        edges.sort_by_key(|edge| (edge.span.start, edge.kind));
        Ok(edges)
    }

    /// The names under which a file keeps what has a name: `M.nearest = round`, `write = console.write`. Those outside
    /// of functions are marked, as other files may know them.
    pub(super) fn kept_names(&self, file: FileIndex, name: &str) -> Result<Vec<(&str, bool)>> {
        let mut kept = Vec::new();
        if !matches!(self.branch.family(file), Family::Python | Family::Script | Family::Lua) {
            return Ok(kept);
        }
        let facts = self.facts(file)?;
        let keeps = |evidence| matches!(evidence, Evidence::Value | Evidence::Entry);
        for binding in facts.bindings.iter().filter(|binding| keeps(binding.evidence)) {
            let other = last(facts.text(binding.name));
            if other != name && last(facts.text(binding.text)) == name {
                kept.push((other, self.is_of_file(file, binding.span.start)));
            }
        }
        Ok(kept)
    }

    /// The edges of a file that use a name, in order of position.
    pub(super) fn edges_naming(&self, file: FileIndex, name: &str) -> Result<Vec<Edge>> {
        let facts = self.facts(file)?;
        let mut edges = Vec::new();
        let mut names = vec![name];
        for (number, import) in facts.imports.iter().enumerate() {
            let (taken, alias) = (facts.text(import.name), facts.text(import.alias));
            if last(taken) == name {
                edges.extend(self.edge_of_import(file, number as u32)?);
                if !alias.is_empty() && !names.contains(&alias) {
                    names.push(alias);
                }
            } else if taken.is_empty() && !alias.is_empty() && last(facts.text(import.source)) == name {
                names.push(alias);
            }
        }
        for name in names {
            for number in facts.uses(name) {
                edges.extend(self.edge_of_reference(file, number)?);
            }
        }
        for (number, base) in facts.bases.iter().enumerate() {
            if last(facts.text(base.base)) == name {
                edges.push(self.edge_of_base(file, number as u32)?);
            }
        }
        edges.sort_by_key(|edge| (edge.span.start, edge.kind));
        Ok(edges)
    }

    /// The edge of a reference; none of a value that is no symbol.
    fn edge_of_reference(&self, file: FileIndex, number: u32) -> Result<Option<Edge>> {
        let facts = self.facts(file)?;
        let row = facts.references[number as usize];
        let (kind, resolution) = self.reference(file, number)?;
        let is_value = match row.kind {
            ReferenceKind::Value | ReferenceKind::Symbol | ReferenceKind::Write => true,
            ReferenceKind::Bare => self.branch.family(file).reads_members(),
            _ => false,
        };
        if is_value && resolution.targets.is_empty() {
            return Ok(None);
        }
        let mut edge = self.edge(file, facts.text(row.name), row.span, kind, resolution)?;
        if row.kind == ReferenceKind::Decorator {
            // What is decorated depends on the decorator, which is written before it.
            let next = facts.symbols.partition_point(|symbol| symbol.span.start <= row.span.start);
            let decorated = (next < facts.symbols.len()).then_some(SymbolId { file, symbol: next as u32 });
            edge.source = decorated.or(edge.source);
        }
        Ok(Some(edge))
    }

    fn edge_of_import(&self, file: FileIndex, number: u32) -> Result<Option<Edge>> {
        let facts = self.facts(file)?;
        let import = facts.imports[number as usize];
        let name = facts.text(import.name);
        let is_module = name == "self" && self.branch.family(file) == Family::Rust;
        if name.is_empty() || name == "*" || is_module {
            return Ok(None);
        }
        let resolution = self.scip_or(file, import.span, last(name), || {
            Ok(match self.imported(file, &import)? {
                Value::Symbols(symbols) => Resolution::new(ResolutionMethod::Import, symbols),
                Value::External => Resolution::external(),
                _ => {
                    let candidates = self.by_name(file, last(name), SymbolCategory::Any, false)?;
                    if candidates.targets.is_empty() { Resolution::unknown() } else { candidates }
                }
            })
        })?;
        if resolution.how == ResolutionMethod::Unknown {
            return Ok(None);
        }
        self.edge(file, last(name), import.name_span, EdgeKind::Import, resolution).map(Some)
    }

    fn edge_of_base(&self, file: FileIndex, number: u32) -> Result<Edge> {
        let facts = self.facts(file)?;
        let base = facts.bases[number as usize];
        let name = facts.text(base.base);
        let kind = if base.implements { EdgeKind::Implement } else { EdgeKind::Inherit };
        let derived = facts.enclosing(base.span.start);
        // Asked inside of the type, the name could find one of its members.
        let at = derived.map_or(base.span.start, |symbol| facts.symbols[symbol as usize].span.start.saturating_sub(1));
        let resolution = self.scip_or(file, base.span, last(name), || {
            Ok(match self.type_named(file, at.min(base.span.start), name)? {
                Value::Type(of) if of.file == file => Resolution::new(ResolutionMethod::SameFile, vec![of]),
                Value::Type(of) => Resolution::new(ResolutionMethod::Import, vec![of]),
                Value::External => Resolution::external(),
                _ => Resolution::unknown(),
            })
        })?;
        self.edge(file, last(name), base.span, kind, resolution)
    }

    /// An edge of the innermost symbol around it.
    pub(super) fn edge(
        &self,
        file: FileIndex,
        name: &str,
        span: ByteSpan,
        kind: EdgeKind,
        resolution: Resolution,
    ) -> Result<Edge> {
        let facts = self.facts(file)?;
        let mut around = facts.chain(facts.enclosing(span.start));
        let source =
            around.find(|&symbol| !matches!(facts.symbols[symbol as usize].kind, Kind::Constant | Kind::Module));
        let source = source.map(|symbol| SymbolId { file, symbol });
        Ok(Edge { file, source, name: name.to_owned(), span, kind, resolution })
    }
}
