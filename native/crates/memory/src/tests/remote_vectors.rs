//! Vectors of a provider take the place of the built-in model's, and go with their texts.

use codecairn_base::hash::ContentHash;

use super::*;

const SPACE: &str = "voyage/voyage-3.5@16";

/// A vector in the direction of one of sixteen topics.
fn vector(topic: usize) -> Vec<f32> {
    let mut values = vec![0.05; 16];
    values[topic] = 1.0;
    values
}

/// Puts a vector for all that waits: of topic 1 where the text has the word, else of topics that nothing asks for.
fn embed(memory: &Memory, space: &str, word: &str) -> u64 {
    let waiting = memory.texts_to_embed(&memory.texts_without_vector(space).unwrap()).unwrap();
    let topic = |at: usize, text: &str| if text.contains(word) { 1 } else { 2 + at % 14 };
    let rows: Vec<_> =
        waiting.iter().enumerate().map(|(at, (hash, text))| (*hash, Some(vector(topic(at, text))))).collect();
    memory.put_remote_vectors(space, 16, &rows).unwrap()
}

fn with_query(topic: usize, limit: usize) -> RecallOptions {
    let embedding = Some(QueryEmbedding::new(SPACE.into(), vector(topic)));
    RecallOptions { embedding, ..everything(limit) }
}

/// The memory's own texts among those that wait.
fn waiting(memory: &Memory) -> Vec<String> {
    let own = memory.texts_to_embed(&memory.texts_without_vector(SPACE).unwrap()).unwrap();
    own.into_iter().map(|(_, text)| text).filter(|text| text.contains('@')).collect()
}

#[test]
fn a_paraphrase_without_a_common_word_comes_first() {
    let (_home, memory) = Home::new().open_kept();
    let answer_text = "The connection pool is capped at twenty.";
    memory.record(answer("s", answer_text)).unwrap();
    for number in 0..30 {
        memory.record(prompt("s", &format!("How many windows may be painted at once on floor {number}?"))).unwrap();
    }
    memory.add(told("Many handles are painted.", FactType::Note)).unwrap();
    let query = "How many database handles may be open at once?";
    assert_ne!(texts(&memory.recall(query, &everything(1)).unwrap()), [answer_text]);
    embed(&memory, SPACE, "pool");
    let strict = RecallOptions { least_evidence: 0.05, ..with_query(1, 5) };
    let found = memory.recall(query, &strict).unwrap();
    assert_eq!(texts(&found)[0], answer_text);
    assert!(found[0].cosine > 0.5, "{}", found[0].cosine);
}

#[test]
fn records_without_a_vector_are_found_as_before() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "The ferry leaves at noon.")).unwrap();
    embed(&memory, SPACE, "nothing");
    memory.record(prompt("s", "The harbour lamp is green.")).unwrap();
    let found = memory.recall("harbour lamp", &with_query(1, 1)).unwrap();
    assert_eq!(texts(&found), ["The harbour lamp is green."]);
    let other = RecallOptions { session: Some("other".into()), ..with_query(1, 9) };
    assert!(memory.recall("harbour lamp", &RecallOptions { facts: false, ..other }).unwrap().is_empty());
}

#[test]
fn private_texts_and_tool_output_never_wait() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "said @ once")).unwrap();
    memory.record(answer("s", "answered @ once")).unwrap();
    memory.record(command("s", "ls", "printed @ once", 0)).unwrap();
    memory.record(NewEvent { privacy_tags: vec!["private".into()], ..prompt("s", "hidden @ once") }).unwrap();
    let hidden = NewFact { privacy_tags: vec!["private".into()], ..told("secret @ once", FactType::Note) };
    memory.add(hidden).unwrap();
    memory.add(told("known @ once", FactType::Note)).unwrap();
    assert_eq!(waiting(&memory), ["known @ once", "answered @ once", "said @ once"]);
    // The same text, said in private later, is held back from then on.
    let hashes = memory.texts_without_vector(SPACE).unwrap();
    memory.record(NewEvent { privacy_tags: vec!["private".into()], ..prompt("t", "said @ once") }).unwrap();
    assert_eq!(waiting(&memory), ["known @ once", "answered @ once"]);
    assert!(memory.texts_to_embed(&hashes).unwrap().iter().all(|(_, text)| text != "said @ once"));
    let said = ContentHash::of(b"said @ once");
    assert_eq!(memory.put_remote_vectors(SPACE, 16, &[(said, Some(vector(3)))]).unwrap(), 0);
    let counts = memory.remote_vector_counts(SPACE).unwrap();
    assert_eq!((counts.texts, counts.embedded, counts.refused), (2, 0, 0));
}

#[test]
fn refused_texts_wait_last_and_are_counted() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "first @")).unwrap();
    memory.record(prompt("s", "second @")).unwrap();
    memory.put_remote_vectors(SPACE, 16, &[(ContentHash::of(b"second @"), None)]).unwrap();
    assert_eq!(waiting(&memory), ["first @", "second @"]);
    assert!(!memory.has_remote_vectors(SPACE).unwrap());
    assert_eq!(memory.remote_vector_counts(SPACE).unwrap().refused, 1);
    assert!(memory.recall("second", &with_query(1, 1)).is_ok());
}

#[test]
fn purged_and_forgotten_texts_leave_no_vector() {
    let (home, memory) = Home::new().open_kept();
    let event = memory.record(prompt("s", "the zanzibar plan @")).unwrap().seq.unwrap();
    let fact = memory.add(told("zebras are striped @", FactType::Note)).unwrap().id;
    let marked = |first: f32| (0..16).map(|at| first + at as f32).collect::<Vec<f32>>();
    let hashes = [ContentHash::of(b"the zanzibar plan @"), ContentHash::of(b"zebras are striped @")];
    let rows = [(hashes[0], Some(marked(112.0))), (hashes[1], Some(marked(96.0)))];
    assert_eq!(memory.put_remote_vectors(SPACE, 16, &rows).unwrap(), 2);
    let stored = |vector: &[f32]| codecairn_model::vector::quantise(vector).unwrap().to_bytes();
    let is_in_a_file = |vector: &[f32]| home.bytes().windows(16).any(|window| window == stored(vector));
    assert!(is_in_a_file(&marked(112.0)) && is_in_a_file(&marked(96.0)));
    memory.purge(&Selection::Items(vec![format!("E{event}")])).unwrap();
    assert!(!is_in_a_file(&marked(112.0)));
    memory.forget(&fact, "").unwrap();
    assert_eq!(memory.remote_vector_counts(SPACE).unwrap(), RemoteVectorCounts::default());
    memory.purge(&Selection::Items(vec![fact])).unwrap();
    assert!(!is_in_a_file(&marked(96.0)));
    // A response that comes after the purge brings nothing back.
    assert_eq!(memory.put_remote_vectors(SPACE, 16, &rows).unwrap(), 0);
}

#[test]
fn another_model_replaces_the_vectors_and_other_dimensions_are_an_error() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "said @")).unwrap();
    assert!(embed(&memory, SPACE, "said") > 0);
    assert!(memory.texts_without_vector(SPACE).unwrap().is_empty());
    let other = "openai/text-embedding-3-small@16";
    assert!(!memory.has_remote_vectors(other).unwrap());
    assert!(embed(&memory, other, "said") > 0);
    assert!(memory.has_remote_vectors(other).unwrap() && !memory.has_remote_vectors(SPACE).unwrap());
    let hash = ContentHash::of(b"said @");
    let error = memory.put_remote_vectors(other, 16, &[(hash, Some(vec![1.0; 8]))]).unwrap_err();
    assert!(error.to_string().contains("8 dimensions, not 16"), "{error}");
    let embedding = Some(QueryEmbedding::new(other.into(), vec![1.0; 8]));
    let error = memory.recall("said", &RecallOptions { embedding, ..everything(1) }).unwrap_err();
    assert!(error.to_string().contains("8 dimensions"), "{error}");
    assert!(memory.put_remote_vectors(memory.model.id(), 16, &[]).is_err());
}
