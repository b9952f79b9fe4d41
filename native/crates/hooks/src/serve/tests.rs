//! Tests of whole calls, in a project with a memory of its own.

use std::cell::Cell;

use codecairn_base::clock::FixedClock;
use codecairn_memory::{Event, FactChange, Selection};

use super::super::project_config::tests::project;
use super::*;

const NOW_MS: i64 = 1_795_596_102_000;

/// A project whose hooks are called.
struct Fixture {
    folder: tempfile::TempDir,
    project: ProjectConfig,
    environment: Environment,
    recorded: Cell<usize>,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let variables = [("CODECAIRN_HOME".into(), root.join("home").into_os_string())].into();
        let environment = Environment { variables, home: root.join("user"), working_directory: root.clone() };
        Self { project: project(&root, &root.join("memory.db")), folder, environment, recorded: Cell::new(0) }
    }

    fn answer(&self, call: Call<'_>) -> Answer {
        let services = Services {
            environment: &self.environment,
            clock: Arc::new(FixedClock(NOW_MS * 1_000_000)),
            resolve: &|_| Ok(Resolution { place: self.project.clone(), files: Vec::new() }),
            zone: &|_| (0, "UTC".to_owned()),
            on_recorded: &|| self.recorded.set(self.recorded.get() + 1),
        };
        serve(call, &services)
    }

    fn call(&self, event: &str, payload: &Value) -> Answer {
        let raw = payload.to_string();
        self.answer(Call { agent: "claude", event, raw: raw.as_bytes(), happened_ms: NOW_MS, is_late: false })
    }

    fn memory(&self) -> Memory {
        let options = MemoryOptions::from_json(self.project.memory.clone(), &self.project.root, &self.project.options);
        Memory::open(options.unwrap(), Arc::new(FixedClock(0))).unwrap()
    }

    fn events(&self) -> Vec<Event> {
        let mut events = self.memory().events(None, None, true, 100).unwrap();
        events.reverse();
        events
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("home/data/hooks/log")).unwrap_or_default()
    }
}

fn prompt(text: &str) -> Value {
    json!({"session_id": "s", "prompt": text})
}

#[test]
fn an_event_is_recorded_once_however_often_it_is_delivered() {
    let fixture = Fixture::new();
    for _ in 0..2 {
        assert_eq!(fixture.call("UserPromptSubmit", &prompt("say hello")).text, NEUTRAL);
    }
    let raw = prompt("say hello").to_string();
    let late =
        Call { agent: "claude", event: "UserPromptSubmit", raw: raw.as_bytes(), happened_ms: NOW_MS, is_late: true };
    fixture.answer(late);
    let events = fixture.events();
    assert_eq!(
        events.iter().map(|event| (event.body.as_str(), event.ts_ms)).collect::<Vec<_>>(),
        [("say hello", NOW_MS)]
    );
    assert_eq!(fixture.recorded.get(), 2);
}

#[test]
fn paths_are_relative_to_the_root() {
    let fixture = Fixture::new();
    let file = fixture.project.root.join("shop/a.py");
    let call =
        json!({"session_id": "s", "tool_name": "Write", "tool_input": {"file_path": file}, "tool_response": "x"});
    fixture.call("PostToolUse", &call);
    assert_eq!(fixture.events()[0].path, "shop/a.py");
}

#[test]
fn nothing_is_recorded_where_it_is_switched_off_or_was_asked_by_us() {
    let mut fixture = Fixture::new();
    fixture.call("UserPromptSubmit", &prompt("codecairn:skip this"));
    fixture.call("UserPromptSubmit", &prompt(&format!("{REQUESTED}: x")));
    fixture.project.captures = false;
    std::fs::remove_dir_all(fixture.folder.path().join("home")).unwrap();
    fixture.call("UserPromptSubmit", &prompt("say hello"));
    assert_eq!(fixture.events(), []);
    assert_eq!(fixture.log(), "");
}

#[test]
fn garbage_has_a_neutral_answer() {
    let fixture = Fixture::new();
    let call =
        |agent, event, raw: &[u8]| fixture.answer(Call { agent, event, raw, happened_ms: NOW_MS, is_late: false }).text;
    for raw in [&b""[..], b"{", b"[]", b"\xff\xfe", b"{\"session_id\": 5}", b"{\"session_id\": \"s\"}"] {
        assert_eq!(call("claude", "UserPromptSubmit", raw), NEUTRAL);
    }
    assert_eq!(call("emacs", "", b"{}"), NEUTRAL);
    assert!(fixture.log().contains("unknown agent `emacs`"), "{}", fixture.log());
    assert_eq!(call("cursor", "beforeSubmitPrompt", br#"{"session_id": "s", "prompt": "x"}"#), r#"{"continue":true}"#);
}

#[test]
fn an_error_is_logged_without_what_was_said() {
    let mut fixture = Fixture::new();
    fixture.project.options = "{".to_owned();
    assert_eq!(fixture.call("UserPromptSubmit", &prompt("my salary")).text, NEUTRAL);
    let log = fixture.log();
    assert!(log.contains(" claude UserPromptSubmit: ") && !log.contains("salary"), "{log}");
}

#[test]
fn a_session_s_ends_are_occasions_for_work() {
    let mut fixture = Fixture::new();
    let root = fixture.project.root.clone();
    let due = |fixture: &Fixture, event: &str| {
        fixture.call(event, &json!({"session_id": "s", "last_assistant_message": "x"})).due
    };
    for event in ["SessionStart", "PreCompact", "SessionEnd"] {
        assert_eq!(due(&fixture, event), Some(DueWork::Maintenance(root.clone())));
    }
    assert_eq!(due(&fixture, "Stop"), None);
    fixture.project.works_when_quiet = true;
    std::fs::remove_dir_all(root.join("home")).unwrap();
    assert_eq!(due(&fixture, "Stop"), Some(DueWork::Reading(root.clone())));
    fixture.project.works = false;
    std::fs::remove_dir_all(root.join("home")).unwrap();
    assert_eq!(due(&fixture, "SessionEnd"), None);
}

#[test]
fn a_prompt_is_accompanied_by_a_hint_once() {
    let fixture = Fixture::new();
    let ask = |text| fixture.call("UserPromptSubmit", &prompt(text)).text;
    assert!(ask("where are tokens verified?").contains("`codebase_search`"));
    assert_eq!(ask("where are prices summed?"), NEUTRAL);
}

#[test]
fn hooks_of_cursor_itself_go_before_those_it_plays() {
    let fixture = Fixture::new();
    let payload = json!({"session_id": "s", "prompt": "say hello", "cursor_version": "2"});
    std::fs::create_dir_all(fixture.project.root.join(".cursor")).unwrap();
    std::fs::write(fixture.project.root.join(".cursor/hooks.json"), "codecairn hook cursor stop").unwrap();
    fixture.call("UserPromptSubmit", &payload);
    assert_eq!(fixture.events(), []);
}

const PORT: &str = "The MatrixOne port is 6001 in all environments, that's a rule.";

impl Fixture {
    /// A session in which a person states a rule, and the agent repeats it; gives the fact that is kept of it.
    fn state(&self) -> String {
        self.call("UserPromptSubmit", &prompt(&format!("{PORT} Now add a route.")));
        self.call("Stop", &json!({"session_id": "s", "last_assistant_message": format!("Noted: {PORT} Done.")}));
        let told = json!({"text": PORT, "type": "rule", "origin": "user", "maker": "add", "confidence": 1.0});
        self.memory().add(serde_json::from_value(told).unwrap()).unwrap().id
    }

    /// What a later session is given when it starts and when it asks.
    fn open_session(&self, session: &str) -> String {
        let start = json!({"session_id": session, "source": "startup"});
        let question = json!({"session_id": session, "prompt": "which port does MatrixOne use?"});
        self.call("SessionStart", &start).text + &self.call("UserPromptSubmit", &question).text
    }

    fn holds(&self, words: &str) -> bool {
        let mut folders = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if std::fs::read(path).unwrap().windows(words.len()).any(|part| part == words.as_bytes()) {
                    return true;
                }
            }
        }
        false
    }
}

#[test]
fn a_forgotten_prompt_is_given_to_no_agent_until_a_person_says_it_again() {
    let fixture = Fixture::new();
    let id = fixture.state();
    assert!(fixture.open_session("before").contains("is 6001"));
    fixture.memory().forget(&id, "").unwrap();
    assert!(!fixture.open_session("after").contains("is 6001"));
    assert_eq!(fixture.events()[0].body, "[…] Now add a route.");
    fixture.call("UserPromptSubmit", &json!({"session_id": "t", "prompt": format!("Remember: {PORT}")}));
    assert!(fixture.open_session("again").contains("is 6001"));
}

#[test]
fn of_a_corrected_prompt_the_newest_words_are_given() {
    let fixture = Fixture::new();
    let id = fixture.state();
    let change = FactChange { text: Some(PORT.replace("6001", "7001")), ..FactChange::default() };
    fixture.memory().update(&id, &change).unwrap();
    let given = fixture.open_session("after");
    assert!(given.contains("is 7001") && !given.contains("is 6001"), "{given}");
}

#[test]
fn a_purged_prompt_is_in_no_file() {
    let fixture = Fixture::new();
    let id = fixture.state();
    fixture.open_session("before");
    assert!(fixture.holds("is 6001"));
    fixture.memory().purge(&Selection::Items(vec![id])).unwrap();
    assert!(!fixture.holds("is 6001") && fixture.holds("Now add a route."));
    assert!(!fixture.open_session("after").contains("is 6001"));
}

#[test]
fn an_event_whose_folder_is_gone_is_of_its_session_s_project() {
    let fixture = Fixture::new();
    let below = fixture.project.root.join("build/tmp");
    std::fs::create_dir_all(&below).unwrap();
    let said = |text: &str, cwd: &Path| {
        fixture.call("UserPromptSubmit", &json!({"session_id": "s", "prompt": text, "cwd": cwd}));
    };
    said("make the report blue", &below);
    std::fs::remove_dir_all(&below).unwrap();
    said("make the report green", &below);
    let bodies: Vec<String> = fixture.events().into_iter().map(|event| event.body).collect();
    assert_eq!(bodies, ["make the report blue", "make the report green"]);
}

#[test]
fn an_event_is_recorded_even_if_the_root_of_its_project_is_gone() {
    let mut fixture = Fixture::new();
    let root = fixture.project.root.join("worktree");
    std::fs::create_dir(&root).unwrap();
    fixture.project.root = root.clone();
    let said = |event: &str, text: &str| {
        fixture.call(event, &json!({"session_id": "s", "prompt": text, "cwd": root, "last_assistant_message": text}))
    };
    said("UserPromptSubmit", "make the report blue");
    let name = {
        let options = MemoryOptions::from_json(fixture.project.memory.clone(), &root, &fixture.project.options);
        options.unwrap().project
    };
    std::fs::remove_dir_all(&root).unwrap();
    // Another folder at its path is not the session's.
    said("UserPromptSubmit", "make the report green");
    assert_eq!(said("Stop", "it is green").due, None);
    let options = MemoryOptions::from_json(fixture.project.memory.clone(), &root, &fixture.project.options).unwrap();
    let memory = Memory::open(MemoryOptions { project: name, ..options }, Arc::new(FixedClock(0))).unwrap();
    let mut bodies: Vec<String> =
        memory.events(None, None, true, 9).unwrap().into_iter().map(|each| each.body).collect();
    bodies.reverse();
    assert_eq!(bodies, ["make the report blue", "make the report green", "it is green"]);
}

#[test]
fn an_unknown_session_without_a_folder_is_not_recorded_anywhere() {
    let fixture = Fixture::new();
    let services = Services {
        environment: &fixture.environment,
        clock: Arc::new(FixedClock(NOW_MS * 1_000_000)),
        resolve: &|folder| Err(Error::InvalidArgument(format!("`{}` does not exist", folder.display()))),
        zone: &|_| (0, "UTC".to_owned()),
        on_recorded: &|| fixture.recorded.set(fixture.recorded.get() + 1),
    };
    let raw = json!({"session_id": "new", "prompt": "x y z", "cwd": "/gone/for/good"}).to_string();
    let call =
        Call { agent: "claude", event: "UserPromptSubmit", raw: raw.as_bytes(), happened_ms: NOW_MS, is_late: false };
    assert_eq!(serve(call, &services).text, NEUTRAL);
    assert_eq!(fixture.recorded.get(), 0);
    assert!(fixture.log().contains("does not exist"), "{}", fixture.log());
}
