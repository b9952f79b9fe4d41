//! The whole index against a naive model, and against damage.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use codecairn_base::bitmap::Bitmap;
use codecairn_base::error::ErrorKind;
use codecairn_base::id::{DocId, Generation};
use codecairn_base::span::ByteSpan;

use super::analyzer::{for_each_term, query_terms, stem};
use super::*;

/// A document of which the first `comment` bytes are a comment.
#[derive(Debug, Clone)]
struct Text {
    body: String,
    names: Vec<String>,
    comment: usize,
}

fn word() -> impl Strategy<Value = String> {
    const WORDS: [&str; 12] = [
        "token",
        "tokens",
        "Tokenizer",
        "parse",
        "parser",
        "getUser",
        "get_users",
        "HTTPServer",
        "x",
        "größe",
        "検索",
        "utf8",
    ];
    prop_oneof![6 => proptest::sample::select(&WORDS[..]).prop_map(str::to_owned), 1 => "[a-zA-Z_0-9]{1,80}"]
}

fn text() -> impl Strategy<Value = Text> {
    (vec(word(), 0..40), vec(word(), 0..4), 0usize..6).prop_map(|(words, names, comment)| {
        let comment = words[..comment.min(words.len())].join(" ").len();
        Text { body: words.join(" "), names, comment }
    })
}

fn analyze(texts: &[Text]) -> AnalyzedBatch {
    let names: Vec<Vec<&str>> = texts.iter().map(|text| text.names.iter().map(String::as_str).collect()).collect();
    let spans: Vec<[ByteSpan; 1]> = texts.iter().map(|text| [ByteSpan::new(0, text.comment)]).collect();
    let documents = texts.iter().zip(&names).zip(&spans);
    AnalyzedBatch::analyze(documents.map(|((text, names), comments)| Document { text: &text.body, names, comments }))
}

/// One segment per entry of `cuts`, each of so many texts (and batches of three), the rest in a last one.
fn build(folder: &Path, texts: &[Text], cuts: &[usize]) -> Vec<SegmentFile> {
    let (mut files, mut first) = (Vec::new(), 0);
    for &cut in cuts.iter().chain([&texts.len()]) {
        let end = (first + cut).min(texts.len());
        let mut builder = SegmentBuilder::new(DocId(first as u32));
        for batch in texts[first..end].chunks(3) {
            builder.push(&analyze(batch), &vec![true; batch.len()]);
        }
        assert_eq!((builder.len(), builder.is_empty()), (end - first, end == first));
        files.push(builder.write(folder, Generation(7)).unwrap());
        first = end;
    }
    files.dedup();
    files
}

type Counts = (u16, u16, u16);

/// By term: each document's frequencies.
fn model(texts: &[Text], live: &Bitmap, key: impl Fn(&str) -> String) -> BTreeMap<String, BTreeMap<u32, Counts>> {
    let mut model: BTreeMap<String, BTreeMap<u32, Counts>> = BTreeMap::new();
    for doc in live.iter() {
        let mut add = |text: &str, body, names, comments| {
            for_each_term(text, |term| {
                let counts = model.entry(key(term)).or_default().entry(doc as u32).or_default();
                *counts = (counts.0 + body, counts.1 + names, counts.2 + comments);
            });
        };
        let text = &texts[doc];
        add(&text.body[..text.comment], 1, 0, 1);
        add(&text.body[text.comment..], 1, 0, 0);
        text.names.iter().for_each(|name| add(name, 0, 1, 0));
    }
    model
}

fn found(postings: &TermPostings) -> BTreeMap<u32, Counts> {
    postings.iter().map(|found| (found.doc.0, (found.body, found.names.into(), found.comments.into()))).collect()
}

fn docs(postings: &TermPostings) -> Vec<u32> {
    postings.iter().map(|posting| posting.doc.0).collect()
}

fn live_of(texts: &[Text], dead: &BTreeSet<usize>) -> Bitmap {
    let mut live = Bitmap::new(texts.len());
    (0..texts.len()).filter(|doc| !dead.contains(doc)).for_each(|doc| live.set(doc));
    live
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_index_finds_what_the_model_finds(
        texts in vec(text(), 0..30),
        cuts in vec(0usize..12, 0..4),
        dead in proptest::collection::btree_set(0usize..30, 0..10),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let files = build(folder.path(), &texts, &cuts);
        let index = LexicalIndex::open(folder.path(), &files).unwrap();
        index.verify().unwrap();
        prop_assert_eq!(index.document_count(), texts.len());
        let live = live_of(&texts, &dead);
        let mut counts = BTreeMap::<String, u32>::new();
        index.for_each_term(|term, documents| *counts.entry(term.to_owned()).or_default() += documents).unwrap();
        let everything = model(&texts, &live_of(&texts, &BTreeSet::new()), str::to_owned);
        prop_assert_eq!(counts, everything.iter().map(|(term, by_doc)| (term.clone(), by_doc.len() as u32)).collect());
        let (by_term, by_stem) = (model(&texts, &live, str::to_owned), model(&texts, &live, |term| stem(term).into_owned()));
        for term in everything.keys().map(String::as_str).chain(["absent", "", "zzz"]) {
            let (exact, group) = index.postings(&query_term(term), &live).unwrap();
            prop_assert_eq!(found(&exact), by_term.get(term).cloned().unwrap_or_default(), "{}", term);
            prop_assert_eq!(found(&group), by_stem.get(&*stem(term)).cloned().unwrap_or_default(), "{}", term);
            let (mut streamed, mut written) = (Vec::new(), Vec::new());
            index
                .for_each_posting(&query_term(term), |posting, as_written| {
                    if live.get(posting.doc.index()) {
                        streamed.push(posting);
                        written.extend((as_written != ExactMatch::default()).then_some((posting.doc, as_written)));
                    }
                })
                .unwrap();
            prop_assert_eq!(&streamed, &group.iter().copied().collect::<Vec<_>>(), "{}", term);
            let of = |posting: &Posting| ExactMatch { body: posting.body, is_name: posting.names > 0 };
            let expected: Vec<_> = exact.iter().map(|posting| (posting.doc, of(posting))).collect();
            let told: Vec<_> = expected.into_iter().filter(|entry| entry.1 != ExactMatch::default()).collect();
            prop_assert_eq!(written, told, "{}", term);
            let mut alone = Vec::new();
            index.for_each_exact(term, |posting| alone.extend(live.get(posting.doc.index()).then_some(posting))).unwrap();
            prop_assert_eq!(alone, exact.iter().copied().collect::<Vec<_>>(), "{}", term);
        }
        for (doc, text) in texts.iter().enumerate() {
            let mut body = 0;
            for_each_term(&text.body, |_| body += 1);
            let kept = index.lengths(DocId(doc as u32));
            prop_assert!(kept.body <= body && body - kept.body <= body / 8, "{} for {}", kept.body, body);
        }
        prop_assert_eq!(index.lengths(DocId(texts.len() as u32)), FieldLengths::default());
    }

    #[test]
    fn merging_gives_the_file_of_building_at_once(texts in vec(text(), 1..20), cuts in vec(0usize..8, 1..4)) {
        let (folder, at_once) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = build(folder.path(), &texts, &cuts);
        let merged = merge(folder.path(), &files, Generation(7)).unwrap();
        let [single] = &build(at_once.path(), &texts, &[])[..] else { panic!("one segment") };
        prop_assert_eq!(&merged, single);
        let read = |folder: &Path| std::fs::read(folder.join(&merged.file_name)).unwrap();
        prop_assert!(read(folder.path()) == read(at_once.path()));
    }

    #[test]
    fn damaged_bytes_are_an_error_and_never_a_panic(
        texts in vec(text(), 1..12),
        flips in vec((any::<prop::sample::Index>(), 1u8..=255), 0..4),
        length in proptest::option::of(any::<prop::sample::Index>()),
        checksums_fit: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let files = build(folder.path(), &texts, &[]);
        let path = folder.path().join(&files[0].file_name);
        let sound = std::fs::read(&path).unwrap();
        let mut bytes = sound.clone();
        for (at, flip) in &flips {
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
        }
        if let Some(length) = length {
            bytes.truncate(length.index(bytes.len()));
        }
        if checksums_fit && bytes.len() >= 72 {
            let body = xxh3_64(&bytes[72..]);
            bytes[56..64].copy_from_slice(&body.to_le_bytes());
            let header = xxh3_64(&bytes[..64]);
            bytes[64..72].copy_from_slice(&header.to_le_bytes());
        }
        std::fs::write(&path, &bytes).unwrap();
        let outcome = read_everything(folder.path(), &files, &texts);
        if bytes == sound {
            prop_assert!(outcome.is_ok());
        } else if !checksums_fit {
            prop_assert!(outcome.is_err());
        }
        if let Err(error) = outcome {
            prop_assert_eq!(error.kind(), ErrorKind::StoreDamaged);
        }
    }
}

/// Uses all that reads; the first error.
fn read_everything(folder: &Path, files: &[SegmentFile], texts: &[Text]) -> codecairn_base::Result<()> {
    let index = LexicalIndex::open(folder, files)?;
    let live = live_of(texts, &BTreeSet::new());
    let mut outcome = Ok(());
    for text in texts {
        for term in query_terms(&text.body) {
            outcome = outcome.and(index.postings(&term, &live).map(drop));
            outcome = outcome.and(index.for_each_posting(&term, |_, _| {}));
        }
    }
    for doc in 0..=texts.len() {
        let _ = index.lengths(DocId(doc as u32));
    }
    outcome = outcome.and(merge(folder, files, Generation(8)).map(drop));
    outcome.and(index.verify())
}

fn query_term(term: &str) -> analyzer::QueryTerm {
    analyzer::QueryTerm { term: term.to_owned(), stem: stem(term).into_owned(), is_whole_identifier: false }
}

fn plain(text: &str) -> Text {
    Text { body: text.to_owned(), names: Vec::new(), comment: 0 }
}

#[test]
fn dropped_documents_take_no_number_and_leave_no_terms() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = SegmentBuilder::new(DocId(0));
    builder.push(&analyze(&[plain("alpha"), plain("beta"), plain("alpha gamma")]), &[false, true, true]);
    assert!(builder.byte_size() > 0);
    let file = builder.write(folder.path(), Generation(1)).unwrap();
    let index = LexicalIndex::open(folder.path(), &[file]).unwrap();
    let live = live_of(&[plain(""), plain("")], &BTreeSet::new());
    assert_eq!(docs(&index.term_postings("alpha", &live).unwrap()), [1]);
    assert_eq!(docs(&index.term_postings("beta", &live).unwrap()), [0]);
}

#[test]
fn segments_that_do_not_follow_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = build(folder.path(), &[plain("a"), plain("b"), plain("c")], &[1, 1]);
    let gap = [files[0].clone(), files[2].clone()];
    let error = LexicalIndex::open(folder.path(), &gap).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StoreDamaged);
    let error = merge(folder.path(), &gap, Generation(2)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(merge(folder.path(), &[], Generation(2)).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let listed_wrongly = SegmentFile { generation: Generation(9), ..files[0].clone() };
    assert_eq!(LexicalIndex::open(folder.path(), &[listed_wrongly]).unwrap_err().kind(), ErrorKind::StoreDamaged);
}

#[test]
fn an_absent_segment_is_an_input_error() {
    let folder = tempfile::tempdir().unwrap();
    let files = build(folder.path(), &[plain("a")], &[]);
    std::fs::remove_file(folder.path().join(&files[0].file_name)).unwrap();
    assert_eq!(LexicalIndex::open(folder.path(), &files).unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn no_segments_find_nothing() {
    let index = LexicalIndex::open(Path::new("."), &[]).unwrap();
    assert!(index.stem_postings("a", &Bitmap::new(0)).unwrap().is_empty());
}

/// Scores of equal live documents, by text, under another cut and order of commits with dead ones between.
#[test]
fn scores_depend_on_the_live_documents_alone() {
    let texts =
        ["parse the tokens", "token token tokenizer", "a parser of parsers and the tokens it parses", "unrelated"]
            .map(plain);
    let dead = ["token parse dead", "dead tokens"].map(plain);
    let scores = |order: &[&Text], cuts: &[usize]| {
        let folder = tempfile::tempdir().unwrap();
        let all: Vec<Text> = order.iter().map(|text| (*text).clone()).collect();
        let index = LexicalIndex::open(folder.path(), &build(folder.path(), &all, cuts)).unwrap();
        let mut live = Bitmap::new(all.len());
        (0..all.len()).filter(|&doc| !all[doc].body.contains("dead")).for_each(|doc| live.set(doc));
        let docs: Vec<DocId> = live.iter().map(|doc| DocId(doc as u32)).collect();
        let of_live = Bm25::TEXT.norms(docs.iter().map(|&doc| index.lengths(doc).of(Field::Body)));
        let mut norms = vec![0.0; all.len()];
        docs.iter().zip(of_live).for_each(|(doc, norm)| norms[doc.index()] = norm);
        let mut scores = vec![0.0; all.len()];
        for term in query_terms("how are tokens parsed") {
            let group = index.stem_postings(&term.stem, &live).unwrap();
            Bm25::TEXT.accumulate(&group, Field::Body, docs.len(), &norms, &mut scores);
        }
        all.into_iter()
            .zip(scores)
            .filter(|(_, score)| *score > 0.0)
            .map(|(text, score)| (text.body, score.to_bits()))
            .collect::<BTreeMap<_, _>>()
    };
    let ([first, second, third, fourth], [dead_one, dead_two]) = (&texts, &dead);
    let expected = scores(&[first, second, third, fourth], &[]);
    assert_eq!(expected.len(), 3);
    assert_eq!(scores(&[fourth, dead_one, third, dead_two, second, first], &[1, 3]), expected);
}
