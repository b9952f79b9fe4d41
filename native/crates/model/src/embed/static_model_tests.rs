use proptest::prelude::*;

use super::super::{ModelRows, write_model};
use super::*;

const WORDS: [&str; 9] = ["a", "form", "format", "mat", "or", "parse", "parser", "user", "größe"];

fn model_bytes(max_tokens: u32) -> Vec<u8> {
    let mut words = WORDS;
    words.sort_unstable();
    let rows: Vec<f32> = (0..words.len() * 4).map(|i| (i as f32 * 0.7).sin() * (1.0 + (i / 4) as f32)).collect();
    write_model(&ModelRows { id: "test-4", dimensions: 4, max_tokens, words: &words, rows: &rows }).unwrap()
}

fn model(max_tokens: u32) -> StaticModel {
    StaticModel::compiled_in(model_bytes(max_tokens).leak()).unwrap()
}

fn pieces(word: &str) -> Vec<String> {
    let model = model(10);
    let vocabulary = Vocabulary::new(model.source.bytes(), &model.layout);
    let mut rows = Vec::new();
    vocabulary.pieces(word, &mut rows);
    rows.iter().map(|&row| String::from_utf8(vocabulary.word(row as usize).to_vec()).unwrap()).collect()
}

/// Pieces as they are defined, one slice at a time.
fn naive_pieces(word: &str) -> Vec<String> {
    if WORDS.contains(&word) {
        return vec![word.to_owned()];
    }
    let mut pieces = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let longest =
            WORDS.iter().filter(|piece| piece.len() >= MIN_PIECE && rest.starts_with(**piece)).max_by_key(|p| p.len());
        pieces.extend(longest.map(|piece| (*piece).to_owned()));
        rest = &rest[longest.map_or(first.len_utf8(), |piece| piece.len())..];
    }
    pieces
}

#[test]
fn unknown_words_fall_into_the_longest_known_pieces() {
    assert_eq!(pieces("parser"), ["parser"]);
    assert_eq!(pieces("a"), ["a"]);
    assert_eq!(pieces("reformatted"), ["format"]);
    assert_eq!(pieces("userparse"), ["user", "parse"]);
    assert_eq!(pieces("xgrößeformmat"), ["größe", "form", "mat"]);
    assert!(pieces("orra").is_empty(), "pieces of two letters say nothing");
}

#[test]
fn a_text_is_the_weighted_sum_of_its_words() {
    let model = model(10);
    let scratch = &mut Scratch::default();
    let vector = model.embed_document("parseUser user formatUser", scratch);
    let mut expected = vec![0.0f64; 4];
    let bytes = model.source.bytes();
    let vocabulary = Vocabulary::new(bytes, &model.layout);
    for (word, count) in [("parse", 1.0f64), ("user", 3.0), ("format", 1.0)] {
        let (row, _) = vocabulary.longest_prefix(word.as_bytes(), 1).unwrap();
        let row = row as usize;
        let scale = f32::from_le_bytes(bytes[model.layout.scales.clone()][row * 4..row * 4 + 4].try_into().unwrap());
        for (at, value) in expected.iter_mut().enumerate() {
            let part = bytes[model.layout.rows.start + row * 4 + at].cast_signed();
            *value += count.ln_1p() * f64::from(scale) * f64::from(part);
        }
    }
    let length = expected.iter().map(|value| value * value).sum::<f64>().sqrt();
    for (value, expected) in vector.iter().zip(&expected) {
        assert!((f64::from(*value) - expected / length).abs() < 1e-6);
    }
}

#[test]
fn tokens_beyond_the_limit_do_not_count() {
    let scratch = &mut Scratch::default();
    let model = model(2);
    assert_eq!(model.embed_document("user parse a a a", scratch), model.embed_document("user parse", scratch));
    assert_eq!(model.embed_document("user parseformat", scratch), model.embed_document("user parse", scratch));
}

#[test]
fn words_that_weigh_alike_give_the_vector_of_the_query() {
    let (model, scratch) = (model(10), &mut Scratch::default());
    for text in ["user parse", "parse parse user format", "zzz 0", ""] {
        let weighted = model.embed_weighted(text, &|_| 2.5, scratch);
        for (value, expected) in weighted.iter().zip(model.embed_query(text, scratch)) {
            assert!((value - expected).abs() < 1e-6, "{text}");
        }
    }
}

#[test]
fn a_word_that_weighs_nothing_is_not_there() {
    let (model, scratch) = (model(10), &mut Scratch::default());
    let of_one = model.embed_weighted("user parse", &|word| f32::from(u8::from(word == "user")), scratch);
    assert_eq!(of_one, model.embed_weighted("user", &|_| 1.0, scratch));
    assert_eq!(model.embed_weighted("user parse", &|_| 0.0, scratch), [0.0; 4]);
}

#[test]
fn unknown_words_alone_give_zeros() {
    assert_eq!(model(9).embed_query("zzz 0", &mut Scratch::default()), [0.0; 4]);
}

#[test]
fn a_mapped_model_equals_a_compiled_in_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    std::fs::write(&path, model_bytes(10)).unwrap();
    let mapped = StaticModel::mapped(Arc::new(MappedFile::open(&path).unwrap())).unwrap();
    let scratch = &mut Scratch::default();
    assert_eq!((mapped.id(), mapped.dimensions()), ("test-4", 4));
    assert_eq!(mapped.embed_query("user parse", scratch), model(10).embed_query("user parse", scratch));
}

#[test]
fn every_cut_or_flipped_byte_is_found() {
    let bytes = model_bytes(10);
    for len in 0..bytes.len() {
        assert!(Layout::read(&bytes[..len]).is_err(), "cut at {len}");
    }
    for at in (0..bytes.len()).filter(|at| !(24..28).contains(at) && !(36..40).contains(at) && !(48..64).contains(at)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        assert!(Layout::read(&damaged).is_err(), "flipped at {at}");
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let model = ModelRows { id: "bad", dimensions: 2, max_tokens: 9, words: &["b", "a"], rows: &[0.0; 4] };
    assert!(write_model(&model).is_err(), "not sorted");
    assert!(write_model(&ModelRows { rows: &[0.0; 3], ..model.clone() }).is_err(), "a value short");
    assert!(write_model(&ModelRows { words: &["a", "a"], ..model.clone() }).is_err(), "twice");
    assert!(
        write_model(&ModelRows { words: &["a", "b"], rows: &[f32::NAN; 4], ..model.clone() }).is_err(),
        "no number"
    );
    assert!(write_model(&ModelRows { words: &["a", "b"], ..model }).is_ok());
}

proptest! {
    #[test]
    fn pieces_are_those_of_the_definition(word in "[aformtpseugöß]{1,12}") {
        prop_assert_eq!(pieces(&word), naive_pieces(&word));
    }

    #[test]
    fn what_was_embedded_before_never_matters(texts in proptest::collection::vec("[aformtpseu ]{0,40}", 1..8)) {
        let model = model(6);
        let mut warm = Scratch::default();
        for text in &texts {
            prop_assert_eq!(model.embed_document(text, &mut warm), model.embed_document(text, &mut Scratch::default()));
        }
    }
}
