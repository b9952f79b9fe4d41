//! Default exports under the names that importing files give them.

use super::repository;

#[test]
fn a_default_export_is_followed_back_to_its_other_names() {
    let found = repository(&[
        (
            "app.js",
            "import handler from './routes';\nimport anon from './anon.js';\nconst make = require('./cjsdef');\nexport function start() { \
             handler(1); anon(2); make(); }\n",
        ),
        ("anon.js", "export default function (req) { return req; }\n"),
        ("cjsdef.js", "function build() { return 1; }\nmodule.exports = build;\n"),
        (
            "routes.js",
            "const router = makeRouter();\nfunction usersHandler(req) { return req; }\nexport default usersHandler;\n",
        ),
        (
            "star.js",
            "import * as ns from './anon';\nimport * as other from './routes';\nns.default(1);\nother.default(2);\n",
        ),
        ("unrelated.js", "import handler from './elsewhere';\nhandler(1); make();\n"),
    ]);
    assert_eq!(found.callers("usersHandler"), ["app.js:4 import", "routes.js:3 same-file", "star.js:4 import"]);
    assert_eq!(found.callers("default"), ["app.js:4 import", "star.js:3 import"]);
    assert_eq!(found.callers("build"), ["app.js:4 import", "cjsdef.js:2 same-file"]);
}

#[test]
fn a_default_export_of_typescript_is_followed_through_barrels() {
    let found = repository(&[
        ("lib/widget/index.ts", "export { default } from './make';\nexport { default as Renamed } from './make';\n"),
        ("lib/widget/make.ts", "export default class Widget {\n  draw() {}\n}\n"),
        (
            "app.tsx",
            "import Thing from './lib/widget';\nimport { Renamed as R } from './lib/widget';\nnew Thing();\nnew R();\n",
        ),
        ("local.tsx", "import Thing from './lib/other';\nnew Thing();\n"),
    ]);
    assert_eq!(
        found.callers("Widget"),
        [
            "app.tsx:2 import",
            "app.tsx:3 import",
            "app.tsx:4 import",
            "lib/widget/index.ts:1 import",
            "lib/widget/index.ts:2 import"
        ]
    );
}

#[test]
fn a_function_is_followed_through_the_keys_of_objects() {
    let found = repository(&[
        ("a.js", "function run2() {}\nconst api = { alias2: run2 };\napi.alias2();\nother.alias2();\n"),
        ("b.ts", "import { read } from './c';\nexport default { load: read };\n"),
        ("c.ts", "export function read() {}\n"),
        ("d.ts", "import store from './b';\nstore.load();\n"),
        ("e.js", "function cut() {}\nmodule.exports = { trim: cut };\n"),
        ("f.js", "const { trim } = require('./e');\nconst e = require('./e');\ntrim();\ne.trim();\n"),
    ]);
    assert_eq!(found.callers("run2"), ["a.js:2 same-file", "a.js:3 same-file"]);
    assert_eq!(found.callers("read"), ["b.ts:1 import", "b.ts:2 import", "d.ts:2 import"]);
    assert_eq!(found.callers("cut"), ["e.js:2 same-file", "f.js:1 import", "f.js:3 import", "f.js:4 import"]);
}
