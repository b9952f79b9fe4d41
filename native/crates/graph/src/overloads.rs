//! Chooses between overloads by the number of arguments. In Java, overloads that a type inherits stay visible beside its own.

use codecairn_base::error::Result;
use codecairn_syntax::Evidence;
use codecairn_syntax::kind::Kind;

use super::branch::Load;
use super::edge::Resolution;
use super::receiver::parts;
use super::resolver::Resolver;
use super::symbol::SymbolId;
use super::value::Value;

/// The maximum number of bases that are searched for a fitting overload.
const MAX_BASES: usize = 32;

impl<L: Load> Resolver<'_, L> {
    /// Of methods of one type, those that take a number of arguments; if none does, those of the nearest base that do. What
    /// is found stays as it is if parameters are not known.
    pub(super) fn accepting(&self, arguments: u8, found: Resolution) -> Result<Resolution> {
        let Some(&first) = found.targets.first().filter(|_| found.how.is_resolved()) else { return Ok(found) };
        let Some(fitting) = self.fitting(&found.targets, arguments)? else { return Ok(found) };
        if !fitting.is_empty() {
            return Ok(Resolution::new(found.how, fitting));
        }
        let name = self.facts(first.file)?.name(first.symbol);
        let mut next: Vec<SymbolId> = self.owner(first)?.into_iter().collect();
        let mut seen = 0;
        while let Some(of) = next.pop().filter(|_| seen < MAX_BASES) {
            seen += 1;
            for base in self.bases(of)?.iter().rev() {
                if let Value::Type(base) = *base
                    && base != of
                {
                    next.push(base);
                }
            }
            let Some(&base) = next.last() else { break };
            let fitting = self.fitting(&self.own_members(base, name)?, arguments)?.unwrap_or_default();
            if !fitting.is_empty() {
                return Ok(Resolution::new(found.how, fitting));
            }
        }
        Ok(found)
    }

    /// Those of some methods that take a number of arguments; none if it is not known of one of them.
    fn fitting(&self, methods: &[SymbolId], arguments: u8) -> Result<Option<Vec<SymbolId>>> {
        let mut fitting = Vec::new();
        for &method in methods {
            match self.takes(method, usize::from(arguments))? {
                Some(true) => fitting.push(method),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(Some(fitting))
    }

    fn takes(&self, method: SymbolId, arguments: usize) -> Result<Option<bool>> {
        let facts = self.facts(method.file)?;
        let row = &facts.symbols[method.symbol as usize];
        if row.kind != Kind::Method {
            return Ok(None);
        }
        let Some(written) = facts.binding_from("(", row.name_span.end) else { return Ok(None) };
        if written.evidence != Evidence::Parameters || !row.span.contains(written.span) {
            return Ok(None);
        }
        let Some(list) = facts.text(written.text).strip_prefix('(').and_then(|list| list.strip_suffix(')')) else {
            return Ok(None);
        };
        let parameters: Vec<&str> = parts(list, ',').into_iter().filter(|part| !part.is_empty()).collect();
        let is_open = parameters.last().is_some_and(|last| last.contains("..."));
        let count = parameters.len();
        Ok(Some(if is_open { arguments + 1 >= count } else { arguments == count }))
    }
}
