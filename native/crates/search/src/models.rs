//! The fitted models of search, with the weights that come with this version.

use codecairn_base::error::Result;

use super::ranker::Ranker;
use super::result_confidence::ResultConfidence;
use super::span_ranker::SpanRanker;

/// What files and spans are ranked by, and an answer's confidence is estimated by.
#[derive(Debug)]
pub struct Models {
    pub(super) files: Ranker,
    pub(super) spans: SpanRanker,
    pub(super) confidence: ResultConfidence,
}

impl Models {
    /// The weights that are compiled in.
    ///
    /// # Errors
    /// [`Internal`](codecairn_base::Error::Internal) if they were made for other features.
    pub fn built_in() -> Result<Self> {
        let (files, spans) = (Ranker::built_in()?, SpanRanker::built_in()?);
        Ok(Self { files, spans, confidence: ResultConfidence::built_in()? })
    }
}
