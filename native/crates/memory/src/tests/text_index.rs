//! The full-text index: however its documents came and went, it answers as one that was built at once.

use codecairn_base::database::Database;
use proptest::prelude::*;

use super::*;
use crate::text::{Document, EventFilter, Question, Search, SearchHit, SegmentCache, Space, search};
use crate::text::{merge_largest, put, remove};

const WORDS: [&str; 9] = ["ferry", "harbour", "tide", "lamp?", "rope", "engine", "yesterday", "缓存大小", "Ann"];
const EVOLVED: Space = Space::events(70);
const BUILT: Space = Space::events(71);

#[derive(Debug, Clone)]
enum Step {
    Put { session: i64, words: Vec<&'static str>, speaker: &'static str },
    Remove { which: Vec<prop::sample::Index> },
    Merge,
}

fn step() -> impl Strategy<Value = Step> {
    let words = prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..7);
    let speaker = prop::sample::select(vec!["", "", "Ann", "Bea"]);
    prop_oneof![
        20 => (1_i64..5, words, speaker).prop_map(|(session, words, speaker)| Step::Put { session, words, speaker }),
        1 => prop::collection::vec(any::<prop::sample::Index>(), 1..4).prop_map(|which| Step::Remove { which }),
        1 => Just(Step::Merge),
    ]
}

/// A document with its number, its session, its terms and its sketch.
type Put = (i64, i64, Document, [u8; 4]);

fn put_into(database: &Database, space: Space, (doc, session, document, sketch): &Put) {
    put(database, space, *doc, *session, document, sketch).unwrap();
}

fn found(database: &Database, cache: &SegmentCache, space: Space, query: &str) -> Vec<SearchHit> {
    let (question, only) = (Question::of(query), EventFilter::default());
    let wanted = Search { question: &question, sketch: &[3, 0, 255, 9], limit: 12, only: &only };
    let found = search(database, cache, &[space], &wanted).unwrap().found;
    found.into_iter().map(|hit| SearchHit { space: BUILT, ..hit }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn any_order_of_changes_answers_as_one_build(steps in prop::collection::vec(step(), 1..220)) {
        let (_home, memory) = Home::new().open_kept();
        memory.record(prompt("s", "makes the database")).unwrap();
        let work = |database: &Database| {
            let (mut stays, cache): (Vec<Put>, _) = (Vec::new(), SegmentCache::default());
            for (step, doc) in steps.iter().zip(1_i64..) {
                match step {
                    Step::Put { session, words, speaker } => {
                        let text = words.join(" ");
                        let document = Document::of(&[(text.as_str(), 1)], &text, speaker);
                        let new = (doc, *session, document, [doc as u8, 0, 255, words.len() as u8]);
                        put_into(database, EVOLVED, &new);
                        stays.push(new);
                    }
                    Step::Remove { which } => {
                        let docs: Vec<i64> = which.iter().filter(|_| !stays.is_empty()).map(|at| at.get(&stays).0).collect();
                        remove(database, EVOLVED, &docs).unwrap();
                        stays.retain(|each| !docs.contains(&each.0));
                    }
                    Step::Merge => while merge_largest(database).unwrap() {},
                }
                if doc % 16 == 0 {
                    found(database, &cache, EVOLVED, "ferry tide");
                }
            }
            for each in &stays {
                put_into(database, BUILT, each);
            }
            for query in ["ferry tide", "when did Ann see the lamp", "缓存 rope", "harbour-lamp engine", "nothing of it"] {
                let (evolved, built) = (found(database, &cache, EVOLVED, query), found(database, &cache, BUILT, query));
                assert_eq!(evolved, built, "{query}");
            }
            remove(database, EVOLVED, &stays.iter().map(|each| each.0).collect::<Vec<_>>())?;
            assert!(found(database, &cache, EVOLVED, "ferry").is_empty());
            let rows = "SELECT count(*) FROM text_segment WHERE space = ?1";
            assert_eq!(database.only(rows, [EVOLVED.number()], |row| Ok(row.get::<_, i64>(0)?))?, 0);
            Ok(())
        };
        memory.write(work).unwrap();
    }
}

#[test]
fn an_answer_is_found_by_its_question_wherever_segments_end() {
    let (_home, memory) = Home::new().open_kept();
    for number in 0..40 {
        memory.record(prompt("s", &format!("Which colour has boat{number}?"))).unwrap();
        memory.record(answer("s", &format!("It was painted {}.", ["red", "blue", "green"][number % 3]))).unwrap();
    }
    for number in 0..40 {
        let hits = memory.recall(&format!("boat{number}"), &everything(80)).unwrap();
        let seqs: Vec<i64> = hits.iter().map(|hit| hit.event.as_ref().unwrap().seq).collect();
        let first_answer = hits.iter().position(|hit| texts(std::slice::from_ref(hit))[0].starts_with("It was"));
        assert_eq!(first_answer.map(|at| seqs[at]), Some(seqs[0] + 1), "{number}");
    }
}

#[test]
fn an_index_of_another_version_is_rebuilt() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", "the harbour lamp is green")).unwrap();
    memory.add(told("the ferry leaves at nine", FactType::Note)).unwrap();
    let expected = memory.recall("harbour ferry", &everything(9)).unwrap();
    let other = "UPDATE meta SET value = 1 WHERE key = 'text_version'; UPDATE text_segment SET postings = x'00'";
    memory.write(|database| database.script(other)).unwrap();
    drop(memory);
    let memory = home.open();
    let found = memory.recall("harbour ferry", &everything(9)).unwrap();
    assert_eq!(
        found.iter().map(|hit| &hit.id).collect::<Vec<_>>(),
        expected.iter().map(|hit| &hit.id).collect::<Vec<_>>()
    );
    assert!(memory.verify().unwrap().is_empty());
}

#[test]
fn a_damaged_segment_is_found_and_repaired() {
    let (_home, memory) = Home::new().open_kept();
    for number in 0..20 {
        memory.record(prompt("s", &format!("the harbour lamp number{number}"))).unwrap();
    }
    assert!(memory.verify().unwrap().is_empty());
    let damage = "UPDATE text_segment SET postings = zeroblob(length(postings)) WHERE level = 1; \
                  UPDATE text_segment SET members = x'' WHERE number = (SELECT max(number) FROM text_segment)";
    memory.write(|database| database.script(damage)).unwrap();
    let found = memory.verify().unwrap();
    assert_eq!(found.len(), 3, "{found:?}");
    memory.rescue().unwrap();
    assert!(memory.verify().unwrap().is_empty());
    assert!(texts(&memory.recall("number7", &everything(1)).unwrap())[0].ends_with("number7"));
}

#[test]
fn chinese_and_japanese_are_found_by_words() {
    let (_home, memory) = Home::new().open_kept();
    for text in [
        "默认缓存大小是 512 MB",
        "缓慢的请求存在大量日志",
        "キャッシュの設定を変更しました",
        "変な定数を設けました",
        "钉钉机器人在周五发布",
    ] {
        memory.record(prompt("s", text)).unwrap();
    }
    for (query, start) in [("缓存多大", "默认"), ("大量日志", "缓慢"), ("設定の変更", "キャッシュ"), ("钉钉", "钉钉")]
    {
        let found = memory.recall(query, &everything(1)).unwrap();
        assert!(texts(&found)[0].starts_with(start), "{query}: {:?}", texts(&found));
    }
    // Characters that only happen to stand side by side are no match.
    let accidental = memory.recall("缓存", &everything(9)).unwrap();
    let slow = accidental.iter().find(|hit| texts(std::slice::from_ref(*hit))[0].starts_with("缓慢"));
    assert!(slow.is_none_or(|hit| hit.lexical == 0.0));
}
