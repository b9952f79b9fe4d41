//! Room for the scores of a query, kept from one query to the next.
//!
//! Scores are a handful of numbers for every chunk, most of them zero. Fresh memory for them costs more than the scores
//! of most queries: it comes in pages that must be mapped and cleared one by one.

use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::lexical::LexicalIndex;
use crate::view::View;

use super::query::Query;
use super::scores::{LengthNorms, LexicalScores};

/// Scores kept for the next queries, which may come side by side.
const KEPT: usize = 4;

/// Scores that are zero and free to be used.
#[derive(Debug, Default)]
pub(super) struct SpareScores(Mutex<Vec<LexicalScores>>);

/// The scores of one query; dropping them gives their room back.
#[derive(Debug)]
pub(super) struct LentScores<'a> {
    spare: &'a SpareScores,
    /// Empty only while it is dropped.
    scores: Option<LexicalScores>,
}

impl SpareScores {
    /// The scores of every chunk and file of the branch.
    pub(super) fn compute(
        &self,
        query: &Query,
        view: &View,
        index: &LexicalIndex,
        norms: &LengthNorms,
    ) -> Result<LentScores<'_>> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut scores = spare.unwrap_or_else(|| LexicalScores::zeros(view));
        let added = scores.add(query, view, index, norms);
        let lent = LentScores { spare: self, scores: Some(scores) };
        added.map(|()| lent)
    }
}

impl Deref for LentScores<'_> {
    type Target = LexicalScores;

    fn deref(&self) -> &LexicalScores {
        self.scores.as_ref().expect("invariant: only drop takes them")
    }
}

impl Drop for LentScores<'_> {
    fn drop(&mut self) {
        let Some(mut scores) = self.scores.take() else { return };
        scores.clear();
        let mut spare = self.spare.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < KEPT {
            spare.push(scores);
        }
    }
}
