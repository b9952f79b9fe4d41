//! A statement that is forgotten, corrected or purged is gone wherever it occurs, until a person says it again.

use super::*;
use crate::context::{Audience, Budget, ContextBuilder, Form, NoLookup};

const PORT: &str = "The MatrixOne port is 6001 in all environments, that's a rule.";
const OTHER: &str = "The lamp in the hall is green.";

fn add(memory: &Memory, text: &str) -> String {
    memory.add(told(text, FactType::Rule)).unwrap().id
}

/// The id of the live fact that says something.
fn fact_of(memory: &Memory, words: &str) -> String {
    let found = memory.list(&FactFilter::default(), 99).unwrap();
    found.into_iter().find(|fact| fact.text.contains(words)).expect("there is one").id
}

fn summary(memory: &Memory, session: &str, text: &str, maker: &str, sources: Vec<i64>) -> String {
    let new = NewFact {
        maker: maker.into(),
        origin: Origin::Agent,
        subject: format!("session {session}"),
        predicate: "summary".into(),
        session: Some(session.into()),
        sources,
        ..told(text, FactType::SessionSummary)
    };
    memory.add(new).unwrap().id
}

/// Everything that a caller can be shown, in one text.
fn render_all(memory: &Memory) -> String {
    let mut all = String::new();
    for (limit, text) in [(50, "which port does MatrixOne use?"), (50, PORT), (50, "lamp")] {
        let options = everything(limit);
        all.extend([format!("{:?}", memory.recall(text, &options).unwrap())]);
        all.extend([format!("{:?}", memory.answers(text, &options).unwrap())]);
        let history = FactFilter { with_history: true, with_private: true, ..FactFilter::default() };
        all.extend([format!(
            "{:?}",
            memory.recall(text, &RecallOptions { filter: history, ..everything(limit) }).unwrap()
        )]);
    }
    let history = FactFilter { with_history: true, with_private: true, all_projects: true, ..FactFilter::default() };
    all.extend([format!("{:?}", memory.list(&history, 999).unwrap())]);
    all.extend([format!("{:?}", memory.events(None, None, true, 999).unwrap())]);
    all.extend([format!("{:?}", memory.sessions(99).unwrap())]);
    all += &memory.export(true).unwrap();
    let root = Path::new("/nowhere");
    let budget = Budget { total: 4000, static_part: 2000 };
    let builder = ContextBuilder::new(
        memory,
        root,
        &Audience { trusts: true, host: String::new() },
        budget,
        Form::Markdown,
        &NoLookup,
    );
    for session in ["s", "later"] {
        all += &builder.static_part(session, false).unwrap().text;
        all += &builder.volatile(session, "which port does MatrixOne use?").unwrap().text;
        all += &builder.compaction(session).unwrap().text;
    }
    all
}

fn says_port(text: &str) -> bool {
    text.to_lowercase().contains("6001 in all environments") || text.contains("６００１")
}

#[test]
fn a_forgotten_statement_is_shown_nowhere_and_the_rest_is() {
    let (_home, memory) = Home::new().open_kept();
    let seq = memory.record(prompt("s", &format!("{PORT} {OTHER}"))).unwrap().seq.unwrap();
    memory.record(answer("s", "Noted: the MatrixOne port is 6001 in all environments, that’s a rule. Bye.")).unwrap();
    let id = add(&memory, PORT);
    summary(
        &memory,
        "s",
        &format!("{}\n\nLearned:\n- {PORT}\n- {OTHER}", &format!("{PORT} {OTHER}")[..40]),
        "rule",
        vec![seq],
    );
    assert!(says_port(&render_all(&memory)));
    memory.forget(&id, "").unwrap();
    let after = render_all(&memory);
    assert!(!says_port(&after), "{after}");
    assert!(after.contains("lamp in the hall is green"));
    assert_eq!(memory.event(&format!("E{seq}")).unwrap().unwrap().body, format!("[…] {OTHER}"));
    assert_eq!(memory.events(Some("s"), None, false, 1).unwrap()[0].body, "Noted: […] Bye.");
    assert!(memory.verify().unwrap().is_empty());
    // Only its own history has it, by which it is restored.
    assert!(says_port(&memory.fact(&id).unwrap()[0].text));
    memory.restore(&id, "").unwrap();
    let restored = render_all(&memory);
    assert!(says_port(&restored) && memory.event(&format!("E{seq}")).unwrap().unwrap().body.contains("6001"));
}

#[test]
fn what_a_model_wrote_of_it_in_words_of_its_own_is_dropped() {
    let (_home, memory) = Home::new().open_kept();
    let seq = memory.record(prompt("s", PORT)).unwrap().seq.unwrap();
    summary(&memory, "s", "Learned:\n- MatrixOne listens on 6001", "model", vec![seq]);
    let other = summary(&memory, "other", "Learned:\n- the lamp is green", "model", vec![]);
    let id = fact_or_add(&memory);
    memory.forget(&id, "").unwrap();
    let left: Vec<String> = memory
        .list(&FactFilter { types: vec![FactType::SessionSummary], ..FactFilter::default() }, 9)
        .unwrap()
        .into_iter()
        .map(|fact| fact.id)
        .collect();
    assert_eq!(left, [other]);
}

fn fact_or_add(memory: &Memory) -> String {
    add(memory, PORT)
}

#[test]
fn the_older_words_of_an_updated_or_superseded_fact_are_in_its_history_alone() {
    for is_update in [true, false] {
        let (_home, memory) = Home::new().open_kept();
        let seq = memory.record(prompt("s", &format!("{PORT} {OTHER}"))).unwrap().seq.unwrap();
        summary(&memory, "s", &format!("Learned:\n- {PORT}\n- {OTHER}"), "rule", vec![seq]);
        let id = add(&memory, PORT);
        let new = PORT.replace("6001", "7001");
        if is_update {
            memory.update(&id, &FactChange { text: Some(new.clone()), ..FactChange::default() }).unwrap();
        } else {
            memory.add(NewFact { supersedes: vec![id.clone()], ..told(&new, FactType::Rule) }).unwrap();
        }
        let builder = |session: &str| {
            let budget = Budget { total: 4000, static_part: 2000 };
            let audience = Audience { trusts: true, host: String::new() };
            let form = Form::Markdown;
            let builder = ContextBuilder::new(&memory, Path::new("/nowhere"), &audience, budget, form, &NoLookup);
            builder.static_part(session, false).unwrap().text
                + &builder.volatile(session, "which port does MatrixOne use?").unwrap().text
        };
        let text = builder("later");
        assert!(!says_port(&text) && text.contains("7001"), "{text}");
        assert!(!says_port(&format!("{:?}", memory.recall(PORT, &everything(20)).unwrap())));
        assert!(memory.fact(&id).unwrap().iter().any(|version| says_port(&version.text)));
    }
}

#[test]
fn a_purged_statement_is_in_no_byte_of_any_file() {
    let (home, memory) = Home::new().open_kept();
    let seq = memory.record(prompt("s", &format!("{PORT} {OTHER}"))).unwrap().seq.unwrap();
    memory.record(NewEvent { meta: [("000.text".into(), PORT.into())].into(), ..answer("s", "ok then") }).unwrap();
    memory.record(answer("s", "you said THE MATRIXONE PORT is 6001 in all environments, that's a rule!")).unwrap();
    home.open_as("elsewhere").record(prompt("x", PORT)).unwrap();
    summary(&memory, "s", &format!("Learned:\n- {PORT}\n- {OTHER}"), "rule", vec![seq]);
    let id = add(&memory, PORT);
    render_all(&memory);
    memory.update(&id, &FactChange { tags: Some(vec!["x".into()]), ..FactChange::default() }).unwrap();
    let purged = memory.purge(&Selection::Items(vec![id])).unwrap();
    assert_eq!(purged.left_in, [""; 0]);
    let bytes = home.bytes().to_ascii_lowercase();
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(!holds("6001 in all environments") && !holds("matrixone port is"));
    assert!(holds("lamp in the hall") && !says_port(&render_all(&memory)));
    assert!(memory.verify().unwrap().is_empty());
}

#[test]
fn a_statement_that_comes_again_stays_out_until_a_person_says_it() {
    for is_purge in [false, true] {
        let (home, memory) = Home::new().open_kept();
        memory.record(prompt("s", &format!("{PORT} {OTHER}"))).unwrap();
        let id = add(&memory, PORT);
        let old = memory.export(true).unwrap();
        if is_purge {
            memory.purge(&Selection::Items(vec![id])).unwrap();
        } else {
            memory.forget(&id, "").unwrap();
        }
        memory.import(&old).unwrap();
        memory.record(NewEvent { hook: "import".into(), ..prompt("t", PORT) }).unwrap();
        memory.record(answer("t", &format!("As I said: {PORT}"))).unwrap();
        memory
            .record(prompt("t", "is it so that the MatrixOne port is 6001 in all environments, that's a rule?"))
            .unwrap();
        let by_model = NewFact { maker: "model".into(), origin: Origin::Agent, ..told(PORT, FactType::Discovery) };
        assert_eq!(memory.add(by_model.clone()).unwrap().id, "");
        let by_agent = NewFact { maker: "add".into(), ..by_model };
        assert!(memory.add(by_agent).is_err());
        assert!(!says_port(&render_all(&memory)), "{}", render_all(&memory));
        assert_eq!(is_purge, !home.holds("6001 in all environments"));
        if is_purge {
            add(&memory, PORT);
        } else {
            memory.record(prompt("u", &format!("Actually, {PORT}"))).unwrap();
        }
        assert!(says_port(&render_all(&memory)));
    }
}

#[test]
fn a_tombstone_has_no_word_and_a_key_of_its_own() {
    let (home, memory) = Home::new().open_kept();
    let id = add(&memory, PORT);
    memory.purge(&Selection::Items(vec![id])).unwrap();
    let rows = memory
        .look(|database, _| {
            database.all("SELECT hash, beginnings FROM tombstone", [], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
            })
        })
        .unwrap()
        .unwrap();
    assert!(!rows.is_empty() && !home.holds("matrixone"));
    let (_other_home, other) = Home::new().open_kept();
    let id = add(&other, PORT);
    other.purge(&Selection::Items(vec![id])).unwrap();
    let others = other
        .look(|database, _| database.all("SELECT hash FROM tombstone", [], |row| Ok(row.get::<_, Vec<u8>>(0)?)))
        .unwrap()
        .unwrap();
    assert!(rows.iter().all(|(hash, _)| !others.contains(hash)));
}

#[test]
fn what_was_made_of_records_before_a_removal_is_not_stored_after_it() {
    let (_home, memory) = Home::new().open_kept();
    let seq = memory.record(prompt("s", PORT)).unwrap().seq.unwrap();
    let removals = Some(memory.removals().unwrap());
    memory.purge(&Selection::Session("s".into())).unwrap();
    let late =
        NewEvent { hook: "codecairn.summarised".into(), removals, ..answer("s", "Learned: MatrixOne is on 6001") };
    let kept = memory.record(late.clone()).unwrap();
    assert!(!kept.is_kept && kept.seq.is_none());
    let fact =
        NewFact { maker: "model".into(), removals, sources: vec![seq], ..told("MatrixOne is on 6001", FactType::Note) };
    assert_eq!(memory.add(fact).unwrap().id, "");
    assert!(memory.events(None, None, true, 9).unwrap().is_empty());
    let removals = Some(memory.removals().unwrap());
    assert!(memory.record(NewEvent { removals, ..late }).unwrap().is_kept);
}

#[test]
fn a_purged_event_takes_what_was_drawn_from_it_and_stays_out() {
    let (home, memory) = Home::new().open_kept();
    let text = "We decided to use Quetzal for queues, because Postgres locks up under load.";
    let seq = memory.record(prompt("s", text)).unwrap().seq.unwrap();
    summary(&memory, "s", "Learned:\n- Quetzal does queues", "model", vec![seq]);
    fact_of(&memory, "Quetzal for queues");
    let old = memory.export(true).unwrap();
    memory.purge(&Selection::Items(vec![format!("E{seq}")])).unwrap();
    assert!(!home.holds("Quetzal"));
    let doc: serde_json::Value = serde_json::from_str(&old).unwrap();
    let only_events = serde_json::json!({"schema": doc["schema"], "events": doc["events"]}).to_string();
    memory.import(&only_events).unwrap();
    assert!(!home.holds("Quetzal"));
}

#[test]
fn what_was_forgotten_before_there_were_tombstones_is_hidden() {
    let (home, memory) = Home::new().open_kept();
    memory.record(prompt("s", PORT)).unwrap();
    let id = add(&memory, PORT);
    memory.withdraw(&id, "wrong").unwrap();
    make_older(&memory);
    drop(memory);
    assert!(!says_port(&render_all(&home.open())));
}

/// A database as the version before tombstones left it.
fn make_older(memory: &Memory) {
    let older = "DROP TABLE tombstone; DROP TABLE hidden; DROP TABLE project_folder; PRAGMA user_version = 5; \
                 DELETE FROM meta WHERE key IN ('tombstone_key', 'tombstones_adopted', 'tombstone_state')";
    memory.write(|database| database.script(older)).unwrap();
}

#[test]
fn what_holds_when_older_forgotten_facts_are_hidden_stays() {
    let (home, memory) = Home::new().open_kept();
    for text in [PORT, OTHER, "The queue is named quetzal in production."] {
        let id = add(&memory, text);
        memory.withdraw(&id, "wrong").unwrap();
    }
    memory.record(prompt("s", &format!("Please note: {PORT}"))).unwrap();
    memory.record(prompt("s", &format!("Forget this: {OTHER}"))).unwrap();
    add(&memory, "The queue is named quetzal in production.");
    make_older(&memory);
    drop(memory);
    let memory = home.open();
    assert!(memory.list(&FactFilter::default(), 9).unwrap().iter().any(|fact| fact.text.contains("quetzal")));
    let bodies: Vec<String> = memory.events(Some("s"), None, false, 9).unwrap().into_iter().map(|e| e.body).collect();
    assert!(bodies.contains(&format!("Please note: {PORT}")), "{bodies:?}");
    assert!(bodies.contains(&"Forget this: […]".to_owned()), "{bodies:?}");
}

#[test]
fn a_prompt_that_asks_to_forget_lifts_nothing() {
    let (_home, memory) = Home::new().open_kept();
    let id = add(&memory, PORT);
    memory.forget(&id, "").unwrap();
    for text in ["Please forget this: @", "No longer true - @", "2026-11-02 10:11:12 INFO @", "Forget:\n- @"] {
        memory.record(prompt("s", &text.replace('@', PORT))).unwrap();
    }
    assert!(!says_port(&render_all(&memory)), "{}", render_all(&memory));
}

#[test]
fn a_request_to_forget_is_no_fact() {
    let (_home, memory) = Home::new().open_kept();
    memory.record(prompt("s", &format!("Please forget this: {PORT}"))).unwrap();
    memory.record(prompt("s", &format!("Vergiss bitte endgültig: {PORT}"))).unwrap();
    assert_eq!(memory.list(&FactFilter::default(), 9).unwrap(), []);
}

#[test]
fn a_restored_fact_leaves_the_words_that_it_had_replaced_out_of_sight() {
    let (_home, memory) = Home::new().open_kept();
    let seq = memory.record(prompt("s", PORT)).unwrap().seq.unwrap();
    let id = add(&memory, PORT);
    let new = PORT.replace("6001", "7001");
    memory.update(&id, &FactChange { text: Some(new.clone()), ..FactChange::default() }).unwrap();
    memory.forget(&id, "").unwrap();
    memory.restore(&id, "").unwrap();
    assert_eq!(memory.list(&FactFilter::default(), 9).unwrap()[0].text, new);
    assert_eq!(memory.event(&format!("E{seq}")).unwrap().unwrap().body, "");
}

fn agents(text: &str) -> NewFact {
    NewFact { origin: Origin::Agent, ..told(text, FactType::Discovery) }
}

#[test]
fn an_agent_brings_nothing_back_and_takes_no_word_of_a_person_away() {
    let (_home, memory) = Home::new().open_kept();
    let id = add(&memory, PORT);
    memory.forget(&id, "").unwrap();
    let change =
        |text: &str| FactChange { text: Some(text.into()), origin: Some(Origin::Agent), ..FactChange::default() };
    let own = memory.add(agents("The staging queue is named heron these days")).unwrap().id;
    let error = memory.update(&own, &change(PORT)).unwrap_err().to_string();
    assert!(error.contains("forgotten or replaced"), "{error}");
    // An agent corrects itself, and back; what the person said stays.
    let said = memory.record(prompt("s", "The staging queue is named heron these days.")).unwrap().seq.unwrap();
    let noted = memory.record(answer("s", "Noted: The staging queue is named heron these days.")).unwrap().seq.unwrap();
    let body = |seq: i64| memory.event(&format!("E{seq}")).unwrap().unwrap().body;
    memory.update(&own, &change("The staging queue is named finch these days")).unwrap();
    assert_eq!(body(said), "The staging queue is named heron these days.");
    assert_eq!(body(noted), "Noted: […]");
    memory.update(&own, &change("The staging queue is named heron these days")).unwrap();
    assert_eq!(memory.fact(&own).unwrap()[0].text, "The staging queue is named heron these days");
    assert_eq!(body(noted), "Noted: The staging queue is named heron these days.");
}

#[test]
fn a_sentence_that_a_person_stated_as_a_fact_of_its_own_holds_when_a_longer_fact_goes() {
    let (_home, memory) = Home::new().open_kept();
    let own = add(&memory, OTHER);
    let id = add(&memory, &format!("{PORT} {OTHER}"));
    memory.forget(&id, "").unwrap();
    let live: Vec<String> = memory.list(&FactFilter::default(), 9).unwrap().into_iter().map(|fact| fact.id).collect();
    assert_eq!(live, [own]);
    assert!(!says_port(&render_all(&memory)));
}

#[test]
fn nothing_is_left_of_a_line_that_only_introduced_a_statement() {
    let (_home, memory) = Home::new().open_kept();
    summary(&memory, "s", &format!("- Remember: {PORT}\n- {OTHER}"), "rule", vec![]);
    let id = add(&memory, PORT);
    memory.forget(&id, "").unwrap();
    assert_eq!(memory.list(&FactFilter::default(), 9).unwrap()[0].text, format!("- {OTHER}"));
}

#[test]
fn a_short_statement_is_purged_from_its_own_project_alone() {
    let (home, memory) = Home::new().open_kept();
    let elsewhere = home.open_as("elsewhere");
    add(&elsewhere, "Use tabs.");
    add(&elsewhere, PORT);
    let (short, long) = (add(&memory, "Use tabs."), add(&memory, PORT));
    memory.purge(&Selection::Items(vec![short, long])).unwrap();
    let left: Vec<String> = elsewhere.list(&FactFilter::default(), 9).unwrap().into_iter().map(|f| f.text).collect();
    assert_eq!(left, ["Use tabs."]);
    assert!(memory.list(&FactFilter::default(), 9).unwrap().is_empty());
}

#[test]
fn a_project_that_joins_brings_its_tombstones_and_a_purged_one_leaves_none() {
    let (home, memory) = Home::new().open_kept();
    let other = home.open_as("elsewhere");
    let seq = other.record(answer("x", &format!("Noted. {PORT}"))).unwrap().seq.unwrap();
    let id = add(&memory, PORT);
    memory.forget(&id, "").unwrap();
    let short = other.record(answer("x", "Use tabs.")).unwrap().seq.unwrap();
    let id = add(&memory, "Use tabs.");
    memory.purge(&Selection::Items(vec![id])).unwrap();
    let number = |memory: &Memory| memory.look(|_, project| Ok(project)).unwrap().unwrap();
    memory.adopt_project(number(&other)).unwrap();
    assert_eq!(memory.event(&format!("E{seq}")).unwrap().unwrap().body, "Noted. […]");
    assert_eq!(memory.event(&format!("E{short}")).unwrap().unwrap().body, "");
    memory.purge(&Selection::Project).unwrap();
    let left = memory.write(|database| {
        database.only("SELECT count(*) FROM tombstone WHERE project > 0", [], |row| Ok(row.get::<_, i64>(0)?))
    });
    assert_eq!(left.unwrap(), 0);
}

#[test]
fn a_fact_that_goes_on_after_a_statement_says_something_else() {
    let (_home, memory) = Home::new().open_kept();
    let id = add(&memory, "The billing service uses Redis");
    memory.forget(&id, "").unwrap();
    let by_model = |text: &str| {
        let new = NewFact { maker: "model".into(), origin: Origin::Agent, ..told(text, FactType::Discovery) };
        memory.add(new).unwrap().id
    };
    assert_eq!(by_model("A user said that the billing service uses Redis."), "");
    assert_ne!(by_model("The billing service uses Redis for sessions"), "");
    assert_eq!(memory.list(&FactFilter::default(), 9).unwrap()[0].text, "The billing service uses Redis for sessions");
}

#[test]
fn other_words_for_the_same_stay() {
    let (_home, memory) = Home::new().open_kept();
    let kept = add(&memory, "MatrixOne listens on 6001 everywhere");
    let id = add(&memory, PORT);
    memory.record(prompt("s", "Never say that the MatrixOne port is 6001 in tests.")).unwrap();
    memory.forget(&id, "").unwrap();
    assert_eq!(memory.list(&FactFilter::default(), 9).unwrap().last().unwrap().id, kept);
    assert!(memory.events(None, None, false, 9).unwrap()[0].body.contains("port is 6001 in tests"));
}

#[test]
fn a_replaced_version_of_what_repeats_a_forgotten_statement_is_in_no_list() {
    let (_home, memory) = Home::new().open_kept();
    let said = format!("- **{}**", PORT.trim_end_matches('.'));
    memory.record(NewEvent { hook: "import".into(), ..prompt("s", &said) }).unwrap();
    memory.add(told(&said, FactType::Note)).unwrap();
    let id = add(&memory, PORT);
    memory.forget(&id, "").unwrap();
    assert!(!says_port(&render_all(&memory)), "{}", render_all(&memory));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(12))]

    /// After any way in and any way out nothing shows it.
    #[test]
    fn no_way_in_survives_a_way_out(
        ways in proptest::collection::vec(0..8_usize, 1..6),
        out in 0..3_usize,
        form in 0..6_usize,
    ) {
        let (home, memory) = Home::new().open_kept();
        let said = match form {
            0 => PORT.to_owned(),
            1 => PORT.to_uppercase(),
            2 => format!("{OTHER} {PORT}"),
            3 => PORT.replace(' ', "\n"),
            4 => format!("- **{}**", PORT.trim_end_matches('.')),
            _ => format!("Remember: {PORT} {OTHER}"),
        };
        for (at, way) in ways.iter().enumerate() {
            let session = format!("s{at}");
            match way {
                0 => drop(memory.record(prompt(&session, &said)).unwrap()),
                1 => drop(memory.record(answer(&session, &format!("You said: {said}"))).unwrap()),
                2 => drop(memory.record(command(&session, "cat notes", &said, 0)).unwrap()),
                3 => drop(memory.record(NewEvent { hook: "import".into(), ..prompt(&session, &said) }).unwrap()),
                4 => drop(memory.add(NewFact { maker: "model".into(), origin: Origin::Agent, ..told(&said, FactType::Discovery) }).unwrap()),
                5 => drop(summary(&memory, &session, &format!("Learned:\n- {said}\n- {OTHER}"), "rule", vec![])),
                6 => drop(memory.add(told(&said, FactType::Note)).unwrap()),
                _ => {
                    memory.record(NewEvent { meta: [("000.text".into(), said.clone())].into(), ..answer(&session, "x") }).unwrap();
                }
            }
        }
        let id = add(&memory, PORT);
        let old = memory.export(true).unwrap();
        render_all(&memory);
        match out {
            0 => drop(memory.forget(&id, "").unwrap()),
            1 => drop(memory.purge(&Selection::Items(vec![id])).unwrap()),
            _ => {
                memory.forget(&id, "").unwrap();
                memory.purge(&Selection::Items(vec![id])).unwrap();
            }
        }
        for is_again in [false, true] {
            if is_again {
                memory.import(&old).unwrap();
            }
            let text = render_all(&memory).to_lowercase();
            let is_shown = ["port is 6001", "port\nis\n6001", "port\\nis\\n6001"].iter().any(|words| text.contains(words));
            proptest::prop_assert!(!is_shown, "{}", text);
            if out > 0 {
                let bytes = home.bytes().to_ascii_lowercase();
                proptest::prop_assert!(!bytes.windows(9).any(|window| window == b"is\n6001\ni") && !bytes.windows(7).any(|window| window == b"is 6001"));
            }
        }
        proptest::prop_assert!(memory.verify().unwrap().is_empty());
    }
}
