//! The features of a file that the ranker weighs.
//!
//! Scores are divided by the highest value in the pool, so that weights hold across repositories and queries. Files are
//! ranked, not chunks: the evidence of all chunks of a file adds up, and a file gives one result.

mod assemble;
mod gather;

pub(super) use assemble::{Evidence, FileFacts, features};
pub(super) use gather::{COHERENT, FileScores};

/// Names of the features, in the order of a [`FeatureVector`].
///
/// BM25 is that of Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009). Which evidence carries was
/// first seen in prototypes of this ranker on the public benchmark; the weight of each is in `weights/ranker.json`.
/// *Rarity* is the inverse document frequency.
pub const FEATURES: [&str; 40] = [
    // The best chunk of the file, by words. A file's best passage ranks better than its average (Callan, "Passage-level
    // evidence in document retrieval", 1994).
    "body",          // BM25 of stemmed terms
    "exact",         // BM25 of terms as written
    "names",         // BM25 over the names that the chunk defines: a field of its own, as in BM25F
    "name_coverage", // how nearly the query is the name that it defines: what is asked by its name has that name
    "comments",      // BM25 over its comments: the words of questions rather than of code
    // The nearest chunk.
    "vector", // cosine to the query
    // How much of the file is about it: a sum over the query's best sixty chunks, by file.
    "coherence",        // of BM25
    "vector_coherence", // of cosines
    // The whole file as one document: a thing that is spread over many chunks.
    "file_body",  // BM25 of stemmed terms
    "file_names", // BM25 over all names that it defines
    // The path, which names the purpose of a file. As BM25, and as shares in both directions, because a match of one
    // common word misleads.
    "path",             // BM25 over the whole path
    "stem",             // BM25 over the file's stem
    "path_coverage",    // share of the query (by rarity) that the path has
    "stem_coverage",    // share of the stem that the query has
    "path_vector",      // cosine of the path's words to the query, less that of the mean of all paths
    "rare_path_vector", // the same of the path's words by rarity among paths and the query's by rarity in the branch
    // Names in the query that are defined here.
    "symbol",         // one over the root of how many files define it
    "symbol_in_stem", // the same, if the stem fits too
    // The role of the file by its path; see `Role`.
    "test",
    "example",
    "barrel",
    "declaration",
    "generated", // by content
    "prose",     // documentation and configuration languages
    // How much there is.
    "length", // log of the number of chunks
    // Ranks instead of scores: the margin of the first does not count.
    "body_rank",       // 1 / rank by body
    "vector_rank",     // 1 / rank by vector
    "body_and_vector", // body times vector: two witnesses
    "fusion",          // fused score of all retrievers
    // Coverage: having each word of the query once beats having one of them often.
    "coverage",       // share of the query (by rarity) that the best chunk has
    "file_coverage",  // whole file: the same
    "names_coverage", // whole file: the same of all names it defines
    // Words of the path in the same family as the query's; see `PrefixIndex`.
    "path_kinship", // share of the query (by rarity) that the path is akin to
    "stem_kinship", // share of the stem that the query is akin to
    // Which of several alike is the one to read first: not the deeper one, not the one for another platform or version,
    // but the one that others speak of and that has the substance.
    "depth",    // folders below the shallowest file of the pool
    "lines",    // log of the file's lines
    "mentions", // log of how many files mention the stem; see `Mentions`
    "platform",
    "legacy",
    "copied",
];

/// One value per feature.
pub type FeatureVector = [f32; FEATURES.len()];
