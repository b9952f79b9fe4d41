//! Finds where the names of symbols stand without anything that tells which symbol is meant there, the likeliest places
//! first: uses that no rule resolves, names in templates and notebooks, symbols and strings.
//!
//! It is the guard of the answer that nothing uses a symbol: that holds only where no other text has its name.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use codecairn_base::error::Result;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;

use super::edge::{Edge, EdgeKind, Resolution, ResolutionMethod};
use super::family::Family;
use super::name_places::{Line, Spelling, holds_uses, is_declaration, is_quoted, is_template};
use super::queries::Graph;
use super::resolver::Resolver;
use super::symbol::SymbolId;

/// Files whose text is searched for one name, at most, in order of path: an answer waits for it.
const MAX_FILES_READ: usize = 5_000;

/// Places of the names that are found, at most: so many mean that many or more.
pub const MAX_PLACES: usize = 10_000;

/// How likely a place uses the symbol whose name stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likelihood {
    /// A use in a language that can name the symbol.
    Use,
    /// Code of such a language, where no query reads a use.
    Code,
    /// A template or a notebook.
    Template,
    /// Code of another language.
    OtherLanguage,
    /// A string, a symbol of Ruby or Elixir, settings.
    Text,
}

/// Symbols of one name.
#[derive(Debug, Default)]
struct Named {
    /// The families of the languages that they are written in.
    families: HashSet<Family>,
    /// Where they are defined: what stands in there uses them from within.
    spans: Vec<(FileIndex, ByteSpan)>,
    /// Whether any of them is no function.
    has_others: bool,
}

impl Named {
    /// Whether an edge by their name may mean any of them: in Elixir, a name in the place of a type is that of a type.
    fn may_be_meant(&self, edge: &Edge) -> bool {
        let is_type = edge.kind == EdgeKind::Reference && edge.resolution.targets.is_empty();
        self.has_others || !is_type || self.families.iter().any(|family| *family != Family::Elixir)
    }
}

impl Graph<'_> {
    /// The edges by the names of `targets`, in files of their language family, that could not be resolved and have
    /// no candidates, or others: any of them may lead to one of `targets`. By path and position. Constructors are used by
    /// the names of their types.
    pub fn unresolved_edges(&self, targets: &[SymbolId]) -> Result<Vec<Edge>> {
        let resolver = Resolver::new(&self.branch);
        let mut edges = Vec::new();
        for (name, named) in self.names_of(targets)? {
            for file in self.files_using(&name)? {
                if named.families.contains(&self.branch.family(file)) {
                    let found = resolver.edges_naming(file, &name)?;
                    let is_open = |edge: &Edge| is_open(edge, targets) && !is_outside(edge) && named.may_be_meant(edge);
                    edges.extend(found.into_iter().filter(is_open));
                }
            }
        }
        edges.sort_by_key(|edge| (edge.file, edge.span.start, edge.kind));
        edges.dedup_by_key(|edge| (edge.file, edge.span.start));
        Ok(edges)
    }

    /// Where the names of `targets` stand outside of their definitions and nothing certain is known of the place: their
    /// [unresolved edges](Self::unresolved_edges), and names that no query reads as a use, as edges of the kind
    /// [`EdgeKind::Mention`]. The likeliest come first, then by path and position. Comments, prose, definitions of
    /// other symbols and uses that are resolved elsewhere are none. At most [`MAX_PLACES`].
    pub fn unresolved_places(&self, targets: &[SymbolId]) -> Result<Vec<Edge>> {
        let resolver = Resolver::new(&self.branch);
        let mut found: Vec<(Likelihood, Edge)> = Vec::new();
        for (name, named) in self.names_of(targets)? {
            let spelling = Spelling::of(&name);
            let files = self.files_using(spelling.word())?;
            let may_use = |file: &FileIndex| {
                let own = named.families.contains(&self.branch.family(*file));
                holds_uses(&self.branch.view.file(*file), own)
            };
            for file in files.into_iter().filter(may_use).take(MAX_FILES_READ) {
                if found.len() >= MAX_PLACES {
                    break;
                }
                self.places_in(&resolver, file, &spelling, &named, targets, &mut found)?;
            }
        }
        found.sort_by_key(|(likelihood, edge)| (*likelihood, edge.file, edge.span.start, edge.kind));
        let mut seen = BTreeSet::new();
        found.retain(|(_, edge)| seen.insert((edge.file, edge.span.start)));
        found.truncate(MAX_PLACES);
        Ok(found.into_iter().map(|(_, edge)| edge).collect())
    }

    /// The places of one name in one file.
    fn places_in(
        &self,
        resolver: &Resolver<'_, codecairn_store::Snapshot>,
        file: FileIndex,
        spelling: &Spelling<'_>,
        named: &Named,
        targets: &[SymbolId],
        found: &mut Vec<(Likelihood, Edge)>,
    ) -> Result<()> {
        let is_inside =
            |at: u32| named.spans.iter().any(|(own, span)| *own == file && span.start <= at && at < span.end);
        let row = self.branch.view.file(file);
        let is_own = named.families.contains(&self.branch.family(file));
        let in_code = match () {
            () if is_own => Likelihood::Code,
            () if is_template(row.language) => Likelihood::Template,
            () => Likelihood::OtherLanguage,
        };
        let text = self.branch.text(file)?;
        let mut known = HashSet::new();
        let mut line = Line::default();
        for edge in resolver.edges_naming(file, spelling.name())? {
            // The use of a symbol begins at its sign: `:name`.
            let used = text.get(edge.span.range()).unwrap_or_default();
            let offset = used.find(spelling.name()).unwrap_or_default();
            known.insert(edge.span.start + offset as u32);
            let around = line.around(&text, edge.span.range());
            let may_be_meant = named.may_be_meant(&edge) && !is_declaration(row.language, &around);
            if may_be_meant && is_open(&edge, targets) && !is_inside(edge.span.start) {
                let likelihood = if is_own && !is_outside(&edge) { Likelihood::Use } else { in_code };
                found.push((likelihood, edge));
            }
        }
        let facts = self.branch.facts(file)?;
        // An assignment in Ruby calls another function, `name=`.
        let setter = format!("{}=", spelling.name());
        known.extend(facts.uses(&setter).map(|number| facts.references[number as usize].span.start));
        let mut defined: HashSet<u32> = HashSet::new();
        for name in [spelling.name(), &setter] {
            defined.extend(facts.named(name).map(|symbol| facts.symbols[symbol as usize].name_span.start));
        }
        let mut line = Line::default();
        for (at, length) in spelling.places_in(&text, row.language.id) {
            let start = at as u32;
            if found.len() >= MAX_PLACES {
                break;
            }
            if known.contains(&start) || defined.contains(&start) || is_inside(start) || facts.is_remark(start) {
                continue;
            }
            let around = line.around(&text, at..at + length);
            if is_declaration(row.language, &around) {
                continue;
            }
            let is_text = row.language.class == codecairn_syntax::language::Class::Config
                || (!is_template(row.language) && is_quoted(around.before, around.after));
            if is_own && !is_text && resolver.is_variable(file, start, spelling.name(), around.before) {
                continue;
            }
            let likelihood = if is_text { Likelihood::Text } else { in_code };
            let span = ByteSpan { start, end: start + length as u32 };
            let edge = resolver.edge(file, spelling.name(), span, EdgeKind::Mention, Resolution::unknown())?;
            found.push((likelihood, edge));
        }
        Ok(())
    }

    /// The names under which symbols are used: a constructor under that of its type.
    fn names_of(&self, targets: &[SymbolId]) -> Result<BTreeMap<String, Named>> {
        let resolver = Resolver::new(&self.branch);
        let mut names: BTreeMap<String, Named> = BTreeMap::new();
        for &id in targets {
            let used = resolver.constructed(id)?.unwrap_or(id);
            let named = names.entry(self.node(used)?.name).or_default();
            named.families.insert(self.branch.family(id.file));
            named.spans.push((id.file, self.node(id)?.span));
            named.has_others |= !matches!(self.node(used)?.kind, Kind::Function | Kind::Method);
        }
        Ok(names)
    }
}

/// Whether an edge may lead to one of `targets`, and is no candidate for it.
fn is_open(edge: &Edge, targets: &[SymbolId]) -> bool {
    match edge.resolution.how {
        ResolutionMethod::Unknown | ResolutionMethod::External => true,
        ResolutionMethod::UniqueName | ResolutionMethod::Ambiguous => {
            !edge.resolution.targets.iter().any(|target| targets.contains(target))
        }
        _ => false,
    }
}

/// Whether an edge is taken to leave the branch, by a receiver or an import that the branch does not define.
fn is_outside(edge: &Edge) -> bool {
    edge.resolution.how == ResolutionMethod::External
}
