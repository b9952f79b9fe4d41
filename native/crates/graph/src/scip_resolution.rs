//! Resolves names by a SCIP index.

use std::collections::BTreeSet;

use codecairn_base::error::Result;
use codecairn_base::span::ByteSpan;
use codecairn_index::view::FileIndex;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::edge::{Resolution, ResolutionMethod};
use super::resolver::Resolver;
use super::scip_evidence::{ScipEvidence, ScipNames};
use super::scoped_name::last;
use super::symbol::SymbolId;
use crate::scip::{SymbolNumber, name_hash};

/// The answer of an index for one name.
#[derive(Debug, PartialEq, Eq)]
enum ScipAnswer {
    /// No valid answer.
    Nothing,
    /// It is not defined in any file of the index.
    External,
    /// It is no symbol of the graph: a parameter, a variable.
    NoSymbol,
    /// It refers to these symbols.
    Symbols(Vec<SymbolId>),
}

impl<L: Load> Resolver<'_, L> {
    /// Resolves a name by the SCIP index, or by `own` if the index has no answer.
    pub(super) fn scip_or(
        &self,
        file: FileIndex,
        site: ByteSpan,
        name: &str,
        own: impl FnOnce() -> Result<Resolution>,
    ) -> Result<Resolution> {
        let Some(evidence) = self.branch.evidence() else { return own() };
        match self.scip_answer(evidence, file, site, name)? {
            ScipAnswer::Nothing => own(),
            ScipAnswer::Symbols(symbols) => Ok(Resolution::new(ResolutionMethod::Scip, symbols)),
            ScipAnswer::NoSymbol => Ok(Resolution::unknown()),
            ScipAnswer::External => {
                // The index does not cover files that it lacks.
                let own = own()?;
                let is_apart = own.targets.iter().all(|target| evidence.document(target.file).is_none());
                Ok(if own.how.is_resolved() && is_apart { own } else { Resolution::external() })
            }
        }
    }

    /// Other names that refer to these symbols by the index, with the files that use them.
    pub(super) fn other_names(&self, targets: &BTreeSet<SymbolId>) -> Result<BTreeSet<(FileIndex, String)>> {
        let mut found = BTreeSet::new();
        let Some(evidence) = self.branch.evidence() else { return Ok(found) };
        for &target in targets {
            let (Some(document), span) = (evidence.document(target.file), self.row(target)?.name_span) else {
                continue;
            };
            let Some(names) = self.branch.scip_names(evidence, document)? else { continue };
            let own = name_hash(self.facts(target.file)?.name(target.symbol));
            for at in names.inside(span) {
                let name = evidence.index.document(document).names[at];
                if name.is_definition {
                    self.add_other_names(evidence, name.symbol, own, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    fn add_other_names(
        &self,
        evidence: &ScipEvidence,
        symbol: SymbolNumber,
        own: u64,
        found: &mut BTreeSet<(FileIndex, String)>,
    ) -> Result<()> {
        for document in evidence.index.naming(symbol) {
            let (Some(file), Some(names)) = (evidence.file(document), self.branch.scip_names(evidence, document)?)
            else {
                continue;
            };
            let all = evidence.index.document(document).names.iter().zip(&names.hashes);
            let other: BTreeSet<u64> =
                all.filter(|(name, hash)| name.symbol == symbol && **hash != own).map(|(_, hash)| *hash).collect();
            if other.is_empty() {
                continue;
            }
            let facts = self.facts(file)?;
            let used = facts.references.iter().map(|row| facts.text(row.name));
            let names = used.chain(facts.imports.iter().map(|import| last(facts.text(import.name))));
            let meant = names.filter(|name| other.contains(&name_hash(name)));
            found.extend(meant.map(|name| (file, name.to_owned())));
        }
        Ok(())
    }

    fn scip_answer(&self, evidence: &ScipEvidence, file: FileIndex, site: ByteSpan, name: &str) -> Result<ScipAnswer> {
        let Some(document) = evidence.document(file) else { return Ok(ScipAnswer::Nothing) };
        let Some(names) = self.branch.scip_names(evidence, document)? else { return Ok(ScipAnswer::Nothing) };
        let hash = name_hash(name);
        let mut symbols = BTreeSet::new();
        let mut best = ScipAnswer::Nothing;
        for at in names.inside(site) {
            let known = evidence.index.document(document).names[at];
            if names.hashes[at] != hash || known.is_definition {
                continue;
            }
            match self.symbol_answer(evidence, file, known.symbol, name)? {
                ScipAnswer::Symbols(found) => symbols.extend(found),
                said @ (ScipAnswer::NoSymbol | ScipAnswer::External) if best == ScipAnswer::Nothing => best = said,
                ScipAnswer::NoSymbol => best = ScipAnswer::NoSymbol,
                ScipAnswer::External | ScipAnswer::Nothing => {}
            }
        }
        Ok(if symbols.is_empty() { best } else { ScipAnswer::Symbols(symbols.into_iter().collect()) })
    }

    /// The symbols of the graph for a symbol of the index, as `name` in a file.
    fn symbol_answer(
        &self,
        evidence: &ScipEvidence,
        file: FileIndex,
        symbol: SymbolNumber,
        name: &str,
    ) -> Result<ScipAnswer> {
        let hash = name_hash(name);
        let (mut symbols, mut is_other) = (Vec::new(), false);
        for (document, at) in evidence.index.definitions(symbol) {
            let (Some(target), Some(names)) = (evidence.file(document), self.branch.scip_names(evidence, document)?)
            else {
                // The definition may have moved, as its file has changed.
                return Ok(ScipAnswer::Nothing);
            };
            let (span, defined) = (names.spans[at as usize], names.hashes[at as usize]);
            if span.is_empty() || (target == file && self.is_imported_at(file, span)?) {
                return Ok(ScipAnswer::Nothing);
            }
            let facts = self.facts(target)?;
            let bears =
                |row: &&super::file_facts::SymbolRow| row.name_span.start < span.end && span.start < row.name_span.end;
            match facts.symbols.iter().position(|row| bears(&row)) {
                Some(row) => symbols.push(SymbolId { file: target, symbol: row as u32 }),
                None if defined == hash => is_other = true,
                None => return Ok(ScipAnswer::Nothing),
            }
        }
        if symbols.is_empty() {
            let written = evidence.index.written(symbol);
            return Ok(match is_other {
                true => ScipAnswer::NoSymbol,
                false if written == hash || (written > 0 && self.is_imported(file, name)?) => ScipAnswer::External,
                false => ScipAnswer::Nothing,
            });
        }
        let mut found = Vec::with_capacity(symbols.len());
        for symbol in symbols {
            match self.constructor_or_self(symbol, file, name)? {
                Some(symbol) => found.push(symbol),
                None => return Ok(ScipAnswer::Nothing),
            }
        }
        Ok(ScipAnswer::Symbols(found))
    }

    /// The symbol that `name` refers to: the symbol itself if it bears that name, and its type for a constructor.
    fn constructor_or_self(&self, symbol: SymbolId, file: FileIndex, name: &str) -> Result<Option<SymbolId>> {
        let facts = self.facts(symbol.file)?;
        if self.row(symbol)?.kind == Kind::Method
            && let Some(owner) = self.owner(symbol)?
        {
            let (of, own) = (facts.name(symbol.symbol), self.facts(owner.file)?.name(owner.symbol));
            let is_constructor = of == own || matches!(of, "constructor" | "__init__" | "__construct" | "<init>");
            if is_constructor && (own == name || self.is_imported(file, name)?) {
                return Ok(Some(owner));
            }
        }
        Ok((facts.name(symbol.symbol) == name || self.is_imported(file, name)?).then_some(symbol))
    }

    /// Whether a file takes this name from elsewhere, where it may be another's.
    fn is_imported(&self, file: FileIndex, name: &str) -> Result<bool> {
        let facts = self.facts(file)?;
        let mut imports = facts.imports.iter();
        Ok(imports.any(|import| facts.text(import.alias) == name || last(facts.text(import.name)) == name))
    }

    /// Whether an import is at a position: a name that it defines is an alias.
    fn is_imported_at(&self, file: FileIndex, span: ByteSpan) -> Result<bool> {
        Ok(self.facts(file)?.imports.iter().any(|import| import.span.contains(span)))
    }
}

impl ScipNames {
    /// The names, by number, that lie inside of a place.
    fn inside(&self, place: ByteSpan) -> impl Iterator<Item = usize> + '_ {
        let first = self.spans.partition_point(|span| span.start < place.start);
        let names = self.spans[first..].iter().take_while(move |span| span.start < place.end).enumerate();
        names.filter(move |(_, span)| !span.is_empty() && span.end <= place.end).map(move |(at, _)| first + at)
    }
}
