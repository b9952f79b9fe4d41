//! What names lead to, language by language, in repositories small enough to read.

#![allow(clippy::disallowed_methods, reason = "files of a developer, at paths of their choice")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use std::fs;
use std::sync::Arc;

use codecairn_base::cancel::CancelToken;
use codecairn_base::clock::FixedClock;
use codecairn_engine::{Engine, OpenOptions};
use codecairn_graph::Direction;

mod callers;

struct Repository {
    _folder: tempfile::TempDir,
    engine: Engine,
}

/// An indexed folder with these files.
fn repository(files: &[(&str, &str)]) -> Repository {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let options = OpenOptions {
        root: folder.path().to_path_buf(),
        store: folder.path().join(".codecairn"),
        embedder: "feature-hash".into(),
        remote: None,
        include: Vec::new(),
        exclude: Vec::new(),
        read_only: false,
        writer: "a test".into(),
        user_ignore: None,
        scip: String::new(),
        vector_method: codecairn_engine::VectorMethod::Auto,
    };
    let engine = Engine::open(options, Arc::new(FixedClock(1_000))).unwrap();
    engine.index(false, None, &|_, _, _| {}, &CancelToken::default()).unwrap();
    Repository { _folder: folder, engine }
}

impl Repository {
    /// Where the name used on a line leads: `path:line how`, all targets joined; `how` alone if nowhere.
    fn target(&self, path: &str, line: u32, name: &str) -> String {
        let uses = self.engine.uses_in(path).unwrap();
        let mut of_name: Vec<_> = uses.into_iter().filter(|found| found.line == line && found.name == name).collect();
        of_name.sort_by_key(|found| found.kind == codecairn_graph::EdgeKind::Import);
        let Some(found) = of_name.first() else { return "no use".to_owned() };
        let targets: Vec<String> =
            found.targets.iter().map(|target| format!("{}:{}", target.path, target.line)).collect();
        format!("{} {}", targets.join(" "), found.how.name()).trim().to_owned()
    }

    /// The uses of the symbols of a name: `path:line how`.
    fn callers(&self, name: &str) -> Vec<String> {
        let symbols = self.engine.symbols(name).unwrap();
        let places: Vec<_> = symbols.into_iter().map(|symbol| (symbol.path, symbol.line, symbol.column)).collect();
        let uses = self.engine.uses_of(&places).unwrap();
        uses.iter().map(|found| format!("{}:{} {}", found.path, found.line, found.how.name())).collect()
    }

    #[track_caller]
    fn check(&self, expected: &[(&str, u32, &str, &str)]) {
        for (path, line, name, target) in expected {
            assert_eq!(self.target(path, *line, name), *target, "{path}:{line} {name}");
        }
    }
}

#[test]
fn python_follows_imports_types_and_bases() {
    let found = repository(&[
        ("pkg/__init__.py", "from .client import Client as Client\n"),
        (
            "pkg/client.py",
            "class Base:\n    def close(self):\n        pass\n\n\nclass Client(Base):\n    def get(self) -> \"Answer\":\n        \
             return self.close()\n    def refetch(self): ...\n\nclass Answer:\n    def text(self):\n        pass\n",
        ),
        (
            "app.py",
            "import json\nimport pkg.client\nfrom pkg import Client\n\n\ndef run(client: Client, close):\n    \
             client.get().text()\n    client.close()\n    json.dumps(1)\n    pkg.client.Client()\n    close()\n    \
             unknown.text()\n    with Client() as other:\n        other.get()\n    unknown.get()\n    unknown.refetch()\n",
        ),
    ]);
    found.check(&[
        ("pkg/client.py", 8, "close", "pkg/client.py:2 receiver"),
        ("app.py", 3, "Client", "pkg/client.py:6 import"),
        ("app.py", 7, "get", "pkg/client.py:7 receiver"),
        ("app.py", 7, "text", "pkg/client.py:12 receiver"),
        ("app.py", 8, "close", "pkg/client.py:2 receiver"),
        ("app.py", 9, "dumps", "outside"),
        ("app.py", 10, "Client", "pkg/client.py:6 import"),
        ("app.py", 14, "get", "pkg/client.py:7 receiver"),
    ]);
    // What can't be known is never a fact, and a candidate only where the file names its type, and by a rare name.
    assert_eq!(found.target("app.py", 12, "text"), "unknown");
    assert_eq!(found.target("app.py", 15, "get"), "unknown");
    assert_eq!(found.target("app.py", 16, "refetch"), "pkg/client.py:9 unique-name");
}

#[test]
fn typescript_follows_packages_aliases_and_fields() {
    let found = repository(&[
        ("tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"@lib/*\": [\"./lib/*\"]}}}"),
        ("packages/core/package.json", "{\"name\": \"@x/core\", \"main\": \"src/index.ts\"}"),
        ("packages/core/src/index.ts", "export * from './store'\n"),
        ("packages/core/src/store.ts", "export class Store {\n  read(): string { return '' }\n}\n"),
        ("lib/log.ts", "export function log(text: string) {}\n"),
        (
            "src/app.ts",
            "import { Store } from '@x/core'\nimport { log as say } from '@lib/log'\n\nclass App {\n  constructor(private \
             store: Store) {}\n  run(stores: Store[]) {\n    this.store.read()\n    say('x')\n    stores.forEach(one => \
             one.read())\n    new Store().read()\n  }\n}\n",
        ),
    ]);
    found.check(&[
        ("src/app.ts", 7, "read", "packages/core/src/store.ts:2 receiver"),
        ("src/app.ts", 8, "say", "lib/log.ts:1 import"),
        ("src/app.ts", 9, "read", "packages/core/src/store.ts:2 receiver"),
        ("src/app.ts", 10, "Store", "packages/core/src/store.ts:1 import"),
        ("src/app.ts", 10, "read", "packages/core/src/store.ts:2 receiver"),
    ]);
}

#[test]
fn go_follows_packages_receivers_and_embedding() {
    let found = repository(&[
        ("go.mod", "module example.com/app\n"),
        (
            "store/store.go",
            "package store\n\ntype Base struct{}\n\nfunc (b *Base) Close() {}\n\ntype Store struct {\n\tBase\n}\n\nfunc New() \
             *Store { return &Store{} }\n",
        ),
        ("store/read.go", "package store\n\nfunc (s *Store) Read() { s.Close(); helper() }\n\nfunc helper() {}\n"),
        (
            "main.go",
            "package main\n\nimport \"example.com/app/store\"\n\nfunc main() {\n\ts := store.New()\n\ts.Read()\n\ts.Close()\n}\n",
        ),
    ]);
    found.check(&[
        ("store/read.go", 3, "Close", "store/store.go:5 receiver"),
        ("store/read.go", 3, "helper", "store/read.go:5 same-file"),
        ("main.go", 6, "New", "store/store.go:11 import"),
        ("main.go", 7, "Read", "store/read.go:3 receiver"),
        ("main.go", 8, "Close", "store/store.go:5 receiver"),
    ]);
}

#[test]
fn rust_follows_modules_reexports_and_impls() {
    let found = repository(&[
        ("core/Cargo.toml", "[package]\nname = \"my-core\"\n"),
        ("core/src/lib.rs", "mod store;\npub use store::Store;\n"),
        (
            "core/src/store.rs",
            "pub struct Store;\nimpl Store {\n    pub fn open() -> Option<Self> { Some(Self) }\n    pub fn read(&self) {}\n}\n",
        ),
        ("app/Cargo.toml", "[package]\nname = \"app\"\n"),
        (
            "app/src/main.rs",
            "use my_core::{Store};\nmod util;\n\nfn main() {\n    let store = Store::open().unwrap();\n    store.read();\n    \
             util::help();\n    crate::util::help();\n}\n",
        ),
        ("app/src/util.rs", "pub fn help() {}\n"),
    ]);
    found.check(&[
        ("app/src/main.rs", 5, "open", "core/src/store.rs:3 receiver"),
        ("app/src/main.rs", 6, "read", "core/src/store.rs:4 receiver"),
        ("app/src/main.rs", 7, "help", "app/src/util.rs:1 import"),
        ("app/src/main.rs", 8, "help", "app/src/util.rs:1 import"),
    ]);
}

#[test]
fn java_follows_packages_and_inheritance() {
    let found = repository(&[
        ("src/main/java/a/Base.java", "package a;\npublic class Base {\n  void close() {}\n}\n"),
        (
            "src/main/java/a/Store.java",
            "package a;\npublic class Store extends Base {\n  Store next() { return this; }\n}\n",
        ),
        (
            "src/test/java/a/StoreTest.java",
            "package a;\nimport b.Tool;\nclass StoreTest {\n  private Store store;\n  void run() {\n    store.next().close();\n    \
             new Store();\n    Tool.help();\n    own();\n  }\n  void own() {}\n}\n",
        ),
        ("src/main/java/b/Tool.java", "package b;\npublic class Tool {\n  public static void help() {}\n}\n"),
    ]);
    found.check(&[
        ("src/test/java/a/StoreTest.java", 6, "next", "src/main/java/a/Store.java:3 receiver"),
        ("src/test/java/a/StoreTest.java", 6, "close", "src/main/java/a/Base.java:3 receiver"),
        ("src/test/java/a/StoreTest.java", 7, "Store", "src/main/java/a/Store.java:2 package"),
        ("src/test/java/a/StoreTest.java", 8, "help", "src/main/java/b/Tool.java:3 receiver"),
        ("src/test/java/a/StoreTest.java", 9, "own", "src/test/java/a/StoreTest.java:11 same-file"),
    ]);
}

#[test]
fn c_finds_definitions_behind_headers() {
    let found = repository(&[
        ("lib/util.h", "int help(int x);\n#define TWICE(x) ((x) * 2)\n"),
        ("lib/util.c", "#include \"util.h\"\nint help(int x) {\n  return TWICE(x);\n}\n"),
        ("main.c", "#include \"lib/util.h\"\nint main(void) {\n  printf(\"x\");\n  return help(1);\n}\n"),
    ]);
    found.check(&[
        ("main.c", 4, "help", "lib/util.c:2 import"),
        ("main.c", 3, "printf", "outside"),
        ("lib/util.c", 3, "TWICE", "lib/util.h:2 import"),
    ]);
}

#[test]
fn php_and_csharp_follow_namespaces() {
    let found = repository(&[
        (
            "src/Store.php",
            "<?php\nnamespace App\\Data;\nclass Store {\n  public function read(): self { return $this; }\n}\n",
        ),
        (
            "src/run.php",
            "<?php\nnamespace App;\nuse App\\Data\\Store;\nfunction run(Store $store) {\n  $store->read()->read();\n  new \
             Store();\n}\n",
        ),
        ("Data/Store.cs", "namespace App.Data;\npublic class Store {\n  public Store Read() => this;\n}\n"),
        (
            "Run.cs",
            "using App.Data;\nnamespace App;\nclass Run {\n  private readonly Store _store;\n  void Go() {\n    \
             _store.Read().Read();\n    var other = new Store();\n    other.Read();\n  }\n}\n",
        ),
    ]);
    found.check(&[
        ("src/run.php", 5, "read", "src/Store.php:4 receiver"),
        ("src/run.php", 6, "Store", "src/Store.php:3 import"),
        ("Run.cs", 6, "Read", "Data/Store.cs:3 receiver"),
        ("Run.cs", 8, "Read", "Data/Store.cs:3 receiver"),
    ]);
}

#[test]
fn uses_ways_and_occurrences_are_found() {
    let found = repository(&[
        ("a.py", "from b import middle as other\n\n\ndef start():\n    other()  # not middle itself\n"),
        ("b.py", "from c import end\n\n\ndef middle():\n    return end()\n"),
        ("c.py", "def end():\n    \"\"\"middle\"\"\"\n"),
    ]);
    let uses = found.engine.uses_of(&[("b.py".into(), 4, 4)]).unwrap();
    let shown: Vec<String> =
        uses.iter().map(|found| format!("{}:{} {}", found.path, found.line, found.kind.name())).collect();
    assert_eq!(shown, ["a.py:1 import", "a.py:5 call"]);
    let way = found.engine.way(&[("a.py".into(), 4, 4)], &[("c.py".into(), 1, 4)], 5).unwrap();
    let names: Vec<&str> = way.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["start", "middle", "end"]);
    assert!(found.engine.way(&[("c.py".into(), 1, 4)], &[("a.py".into(), 4, 4)], 5).unwrap().is_empty());
    let reached = found.engine.reached(&[("c.py".into(), 1, 4)], Direction::Callers, 5).unwrap();
    let reached: Vec<(&str, u32)> = reached.iter().map(|(node, distance)| (node.name.as_str(), *distance)).collect();
    assert_eq!(reached, [("middle", 1), ("start", 2)]);
    let mentions = found.engine.occurrences("middle").unwrap();
    let roles: Vec<(&str, u32, &str)> =
        mentions.iter().map(|mention| (mention.path.as_str(), mention.line, mention.role.name())).collect();
    assert_eq!(
        roles,
        [("a.py", 1, "import"), ("a.py", 5, "comment"), ("b.py", 4, "definition"), ("c.py", 2, "comment")]
    );
}

#[test]
fn shape_is_told_of_circles_and_what_is_central() {
    let found = repository(&[(
        "a.py",
        "def one():\n    two()\n\n\ndef two():\n    one()\n    hub()\n\n\ndef hub():\n    pass\n\n\ndef alone():\n    hub()\n",
    )]);
    let survey = found.engine.full_graph_report().unwrap();
    let names: Vec<&str> = survey.nodes.iter().map(|node| node.definition.name.as_str()).collect();
    assert_eq!(names, ["one", "two", "hub", "alone"]);
    assert_eq!(survey.cycles, [vec![0, 1]]);
    let total: f64 = survey.nodes.iter().map(|node| node.importance).sum();
    assert!((total - 1.0).abs() < 1e-9);
    let most = survey.nodes.iter().max_by(|a, b| a.importance.total_cmp(&b.importance)).unwrap();
    assert_eq!(most.definition.name, "hub");
    assert_eq!(survey.links.iter().map(|link| (link.0, link.1)).collect::<Vec<_>>(), [(0, 1), (1, 0), (1, 2), (3, 2)]);
}

#[test]
fn name_is_found_however_many_share_it() {
    let texts: Vec<(String, String)> = (0..450)
        .map(|at| (format!("m{at}.py"), format!("class C{at}:\n    def __init__(self):\n        self.x = {at}\n")))
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let found = repository(&files);
    assert_eq!(found.engine.symbols("__init__").unwrap().len(), 450);
    let one = found.engine.symbols("C7.__init__").unwrap();
    assert_eq!(one.iter().map(|each| (each.path.as_str(), each.line)).collect::<Vec<_>>(), [("m7.py", 2)]);
}
