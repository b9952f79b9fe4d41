//! Several threads and processes on one store, and the sudden death of one of them.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use codecairn_base::cancel::CancelToken;
use codecairn_base::error::Error;

use super::*;

/// Starts one of the tests below that are ignored in a process of its own, on the store of `fixture`.
fn start(test: &str, fixture: &Fixture) -> (Child, std::io::Lines<BufReader<ChildStdout>>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("tests::processes::{test}"), "--ignored", "--nocapture"])
        // The test program knows no arguments of ours, but it takes any name of a test to be skipped.
        .arg(format!("--skip=store:{}", fixture.path().display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

/// In the child: the store's folder.
fn given_folder() -> PathBuf {
    std::env::args().find_map(|argument| argument.strip_prefix("--skip=store:").map(PathBuf::from)).unwrap()
}

#[test]
#[ignore = "run by another test in a process of its own"]
fn child_holds_the_lock() {
    let guard = open(&given_folder()).unwrap().lock("the child").unwrap();
    println!("locked");
    let _ = std::io::stdin().read(&mut [0]);
    drop(guard);
}

#[test]
#[ignore = "run by another test in a process of its own"]
fn child_publishes_without_end() {
    let store = open(&given_folder()).unwrap();
    let mut guard = store.lock("the child").unwrap();
    for round in 0u32.. {
        let texts: Vec<(String, String)> =
            (0..20).map(|file| (format!("file-{file}"), format!("round {round}\nfile {file}\n").repeat(50))).collect();
        let files: Vec<(&str, Option<&str>)> =
            texts.iter().map(|(path, text)| (path.as_str(), Some(text.as_str()))).collect();
        let branch = format!("branch-{}", round % 3);
        publish(&mut guard, &branch, None, &files);
        println!("published {round}");
        std::io::stdout().flush().unwrap();
    }
}

#[test]
fn killed_writer_leaves_the_lock_to_the_next() {
    let fixture = Fixture::new();
    let (mut child, mut lines) = start("child_holds_the_lock", &fixture);
    assert!(lines.any(|line| line.unwrap().contains("locked")), "the child took the lock");
    let Err(Error::Locked { owner }) = fixture.store.lock("the parent") else { panic!("the child holds it") };
    assert!(owner.starts_with(&format!("the child (process {}", child.id())), "{owner}");
    child.kill().unwrap();
    child.wait().unwrap();
    fixture.store.lock("the parent").unwrap();
}

#[test]
fn killed_writer_leaves_a_sound_store() {
    let fixture = Fixture::new();
    for rounds in [1, 3, 9, 14] {
        let (mut child, lines) = start("child_publishes_without_end", &fixture);
        let seen = lines.filter(|line| line.as_ref().unwrap().contains("published")).take(rounds).count();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(seen, rounds);
        let problems = fixture.read().verify(Depth::Full, &CancelToken::default()).unwrap();
        let problems: Vec<_> = problems.into_iter().filter(|problem| problem.code != ProblemCode::Segment).collect();
        assert_eq!(problems, []);
        assert!(fixture.read().generation() >= Generation(rounds as u64));
        assert_eq!(fixture.texts("branch-0").len(), 20);
        publish(&mut fixture.lock(), "own", None, &[("a", Some("still written"))]);
    }
}

#[test]
fn readers_never_see_half_a_publication() {
    let fixture = Fixture::new();
    let mut guard = fixture.lock();
    let files: Vec<String> = (0..30).map(|file| format!("file-{file}")).collect();
    let mut write = |round: u32| {
        let text = format!("round {round}");
        let all: Vec<(&str, Option<&str>)> = files.iter().map(|file| (file.as_str(), Some(text.as_str()))).collect();
        publish(&mut guard, "main", None, &all)
    };
    write(1);
    let done = CancelToken::default();
    let read = || {
        let mut reads = 0;
        while !done.is_cancelled() || reads == 0 {
            let snapshot = fixture.read();
            let expected = format!("round {}", snapshot.generation().0);
            let catalog = snapshot.catalog("main").unwrap().unwrap();
            assert_eq!(catalog.len(), 30);
            for blob in catalog.values() {
                assert_eq!(snapshot.blob_text(*blob).unwrap(), expected);
            }
            reads += 1;
        }
    };
    std::thread::scope(|scope| {
        let readers = [scope.spawn(read), scope.spawn(read)];
        for round in 2..30 {
            assert_eq!(write(round), Generation(u64::from(round)));
        }
        done.cancel();
        for reader in readers {
            reader.join().unwrap();
        }
    });
}
