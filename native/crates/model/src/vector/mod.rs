//! Vectors of chunks: kept in mapped segments, searched by cosine.
//!
//! | module | question it answers |
//! |---|---|
//! | [`QuantisedVector`] | what of a vector is kept: 8-bit values and their scale |
//! | `segment`, `layout`, `writer` | how a contiguous range of documents lies in a file |
//! | `simd` | how many rows fit into a millisecond: the only `unsafe` here |
//! | `exact` | which rows are nearest, looking at all of them; also the oracle of the others |
//! | `sketch` | the same through one bit per dimension, the best of them looked at exactly |
//! | `hnsw`, `hnsw_links` | the same through a graph, which usearch builds |
//! | [`VectorIndex`] | which of these to use, over all segments and the live documents only |
//!
//! Invariant: whatever the method, a score is the cosine of the two 8-bit vectors, the same to the
//! bit on every platform, so methods differ in what they find and never in how they rate it. Exact
//! and sketch results do not depend on how documents are cut into segments, nor on threads.

mod block;
mod exact;
mod hnsw;
mod hnsw_links;
mod index;
mod layout;
mod method;
mod nearest;
mod placement;
mod quantise;
mod query;
mod segment;
mod simd;
mod sketch;
mod sketch_scan;
mod sketched_vector;
mod top_k;
mod writer;

pub use hnsw::{Hnsw, HnswFile};
pub use index::VectorIndex;
pub use method::Method;
pub use placement::{format_name, put_in, segment_bytes, take_out};
pub use quantise::{QuantisedVector, quantise};
pub use query::Query;
pub use segment::VectorSegmentFile;
pub use simd::agreements;
pub use sketched_vector::SketchedVector;
pub use writer::{SegmentOptions, VectorSegmentWriter, merge};
