//! Scores by stretches against the plain way: all chunks at once, in the order of documents.

#![expect(clippy::float_cmp, reason = "equal to the bit is what is promised")]

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::id::{BlobId, DocId, Generation};
use codecairn_base::span::{ByteSpan, LineSpan};
use codecairn_index::view::{BlobFacts, FileInput, FileSource, ViewBuilder};
use codecairn_lexical::{AnalyzedBatch, Bm25, Document, Field, LexicalIndex, SegmentBuilder, dequantise, idf};
use codecairn_syntax::kind::Kind;
use codecairn_syntax::language::{self, Class};

use super::*;
use crate::norms::{FILE_BODY, FILE_NAMES, LengthNorms};
use crate::posting_cache::PostingCache;
use crate::query::Query;

const WORDS: [&str; 9] = ["token", "tokens", "Tokenizer", "parse", "parser", "getUser", "get_users", "struct", "größe"];

fn words(most: usize) -> impl Strategy<Value = String> {
    vec(proptest::sample::select(&WORDS[..]), 0..most).prop_map(|words| words.join(" "))
}

/// Texts with the names that they define and how many bytes of them are comments.
fn texts() -> impl Strategy<Value = Vec<(String, String)>> {
    vec((words(12), words(3)), 1..24)
}

fn index(folder: &std::path::Path, texts: &[(String, String)]) -> LexicalIndex {
    let mut builder = SegmentBuilder::new(DocId(0));
    for (text, names) in texts {
        let names: Vec<&str> = names.split_whitespace().collect();
        let comments = [ByteSpan::new(0, text.len() / 3)];
        let comments = if text.is_char_boundary(text.len() / 3) { &comments[..] } else { &[] };
        builder.push(&AnalyzedBatch::analyze([Document { text, names: &names, comments }]), &[true]);
    }
    LexicalIndex::open(folder, &[builder.write(folder, Generation(1)).unwrap()]).unwrap()
}

/// A branch of files that have these documents as chunks.
fn view(files: &[Vec<usize>], index: &LexicalIndex) -> View {
    let inputs: Vec<FileInput> = files
        .iter()
        .enumerate()
        .map(|(number, docs)| {
            let mut facts = BlobFacts::with_capacity(docs.len());
            for &doc in docs {
                let place = (ByteSpan::new(0, 1), LineSpan { start: 1, end: 1 });
                facts.push(DocId(doc as u32), place, (Kind::Function, 0), false, false);
            }
            let source = FileSource::Decoded(Arc::new(facts), language::fallback(), Class::Code);
            FileInput { path: format!("{number:03}.rs"), blob: BlobId(number as u32), source }
        })
        .collect();
    let builder = ViewBuilder { origin: (1, Generation(1)), doc_count: index.document_count(), before: None };
    builder.build(&inputs, |doc| index.length_codes(doc)).unwrap()
}

/// Coverage, body, exact, names, comments and coverage by names of each chunk.
type Plain = (Vec<[f32; 6]>, Vec<[f32; 4]>);

fn plain(query: &Query, view: &View, index: &LexicalIndex, norms: &LengthNorms) -> Plain {
    let columns = view.postings();
    let mut chunks = vec![[0.0f32; 6]; view.chunk_count()];
    let mut files = vec![[0.0f32; 4]; view.file_count()];
    let mut in_names = vec![0.0f32; view.chunk_count()];
    let (mut total, mut file_total) = (f32::MIN_POSITIVE, f32::MIN_POSITIVE);
    let mut stems: Vec<&str> = Vec::new();
    for term in &query.terms {
        let (exact, stemmed) = index.postings(term, view.live()).unwrap();
        let rarity = idf(view.live_count(), exact.document_frequency(Field::Body));
        for posting in &exact {
            for chunk in columns.occurrences(posting.doc).map(|chunk| chunk.0 as usize) {
                let norm = norms.body[usize::from(columns.lengths[chunk][0])];
                if posting.body > 0 {
                    chunks[chunk][2] += Bm25::TEXT.weigh(rarity, posting.body.into(), norm);
                }
                in_names[chunk] += if posting.names > 0 { 0.2 } else { 0.0 };
            }
        }
        if stems.contains(&&*term.stem) {
            continue;
        }
        stems.push(&term.stem);
        let [body, names, comments] = [Field::Body, Field::Names, Field::Comments]
            .map(|field| idf(view.live_count(), stemmed.document_frequency(field)));
        let mut by_file: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for posting in &stemmed {
            for chunk in columns.occurrences(posting.doc) {
                let codes = columns.lengths[chunk.0 as usize].map(usize::from);
                let scores = &mut chunks[chunk.0 as usize];
                if posting.body > 0 || posting.names > 0 {
                    scores[0] += body;
                    let sum = by_file.entry(view.file_of(chunk).0).or_default();
                    *sum = (sum.0 + u32::from(posting.body), sum.1 + u32::from(posting.names));
                }
                if posting.body > 0 {
                    scores[1] += Bm25::TEXT.weigh(body, posting.body.into(), norms.body[codes[0]]);
                }
                if posting.names > 0 {
                    scores[3] += Bm25::NAMES.weigh(names, posting.names.into(), norms.names[codes[1]]);
                    scores[5] += body;
                    in_names[chunk.0 as usize] += 0.8;
                }
                if posting.comments > 0 {
                    scores[4] += Bm25::TEXT.weigh(comments, posting.comments.into(), norms.comments[codes[2]]);
                }
            }
        }
        total += body;
        let having = |side: fn(&(u32, u32)) -> u32| by_file.values().filter(|sum| side(sum) > 0).count();
        let (body, names) = (idf(view.file_count(), having(|sum| sum.0)), idf(view.file_count(), having(|sum| sum.1)));
        file_total += body;
        for (file, (in_body, in_names)) in by_file.into_iter().map(|(file, sum)| (file as usize, sum)) {
            let scores = &mut files[file];
            scores[2] += body;
            if in_body > 0 {
                scores[0] += FILE_BODY.weigh(body, in_body, norms.file_body[file]);
            }
            if in_names > 0 {
                scores[3] += body;
                scores[1] += FILE_NAMES.weigh(names, in_names, norms.file_names[file]);
            }
        }
    }
    for (chunk, scores) in chunks.iter_mut().enumerate() {
        scores[0] /= total;
        let parts = dequantise(columns.lengths[chunk][1]).saturating_sub(1).max(1);
        scores[5] *= (0.3 + 0.7 * in_names[chunk] / parts as f32).min(1.0) / total;
    }
    for scores in &mut files {
        scores[2] /= file_total;
        scores[3] /= file_total;
    }
    (chunks, files)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn stretches_give_the_very_scores_of_the_plain_way(
        texts in texts(),
        files in vec(vec(any::<prop::sample::Index>(), 0..7), 1..9),
        query in words(5),
        range_chunks in 1u32..9,
        most in 1usize..12,
        hidden in vec(any::<bool>(), 60),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let index = index(folder.path(), &texts);
        let files: Vec<Vec<usize>> =
            files.iter().map(|docs| docs.iter().map(|doc| doc.index(texts.len())).collect()).collect();
        let (view, query, known) = (view(&files, &index), Query::parse(&query), PostingCache::default());
        let norms = LengthNorms::of(&view);
        let mut allowed = Bitmap::new(view.chunk_count());
        (0..view.chunk_count()).filter(|&chunk| !hidden[chunk]).for_each(|chunk| allowed.set(chunk));
        let scorer = Scorer::new(&query, &view, &index, &norms, &known).unwrap();
        let mut found = LexicalScores::of(scorer, &view, Some(&allowed), ScanOptions { wanted: 2, files: most, range_chunks });
        let all: Vec<(FileIndex, f32)> = (0..view.file_count() as u32).map(|file| (FileIndex(file), 0.0)).collect();
        found.describe(&all, Some(&allowed));
        let (chunks, of_files) = plain(&query, &view, &index, &norms);
        let mut bodies: Vec<(ChunkIndex, f32)> = Vec::new();
        let mut best_bodies: Vec<(FileIndex, f32)> = Vec::new();
        for (file, words) in (0u32..).map(FileIndex).zip(&found.files) {
            let of_file = [words.body, words.names, words.coverage, words.names_coverage];
            prop_assert_eq!(of_file, of_files[file.0 as usize]);
            let mut best = [0.0f32; 6];
            for (chunk, scores) in view.chunks_of(file).zip(found.of_file(file)) {
                let ChunkScores { body, exact, names, comments, coverage, name_coverage, .. } = scores;
                let scores = [coverage, body, exact, names, comments, name_coverage];
                prop_assert_eq!(scores, chunks[chunk.0 as usize]);
                if allowed.get(chunk.0 as usize) {
                    best = std::array::from_fn(|score| best[score].max(scores[score]));
                    bodies.extend((body > 0.0).then_some((chunk, body)));
                }
            }
            let ChunkScores { body, exact, names, comments, coverage, name_coverage, .. } = words.best;
            prop_assert_eq!([coverage, body, exact, names, comments, name_coverage], best);
            let at = file.0 as usize;
            prop_assert_eq!([found.names[at], found.file_bodies[at]], [names, words.body]);
            best_bodies.push((file, body));
        }
        let best_files = |bodies: Vec<(FileIndex, f32)>| top_k(bodies.into_iter().filter(|entry| entry.1 > 0.0), most);
        let found_bodies = (0u32..).map(FileIndex).zip(found.bodies.iter().copied()).collect();
        prop_assert_eq!(best_files(found_bodies), best_files(best_bodies));
        bodies.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        bodies.truncate(2);
        prop_assert_eq!(&found.best, &bodies);
    }
}
