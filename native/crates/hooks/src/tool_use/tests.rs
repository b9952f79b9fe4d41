//! Tests of what is recorded of a tool's use.

use serde_json::json;

use super::*;

const PATCH: &str = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch";

fn used(tool: &str, given: &Value, result: &Value, error: &str) -> Value {
    let call = ToolUse { tool, given, result, hook: "h", error, has_passed: false };
    Value::Array(tool_records(call).into_iter().map(Value::Object).collect())
}

#[test]
fn a_path_and_a_command_are_found_by_each_name() {
    for name in PATHS {
        assert_eq!(path_of(&json!({name: "a.py", "other": "b.py"})), "a.py");
    }
    for name in COMMANDS {
        assert_eq!(used("Shell", &json!({name: "x"}), &json!(""), "")[0]["command"], "x");
    }
    assert_eq!(used("Shell", &json!({"cmd": ["git", "log", 1]}), &json!(""), "")[0]["command"], "git log");
    assert_eq!(used("Shell", &json!({"command": ["a", "b"]}), &json!(""), "")[0]["command"], "a b");
}

#[test]
fn text_that_is_read_is_not_recorded() {
    for tool in ["Read", "view", "read_file", "read_many_files", "NotebookRead", "LS", "list_directory"] {
        let records = used(tool, &json!({"path": "a.py"}), &json!("its text"), "");
        assert_eq!(records, json!([{"hook": "h", "role": "tool", "tool": tool, "path": "a.py"}]));
    }
}

#[test]
fn tools_that_do_nothing_to_the_project_are_not_recorded() {
    for tool in ["", "WaitForMcpServers", "ToolSearch", "mcp__codecairn__search"] {
        assert_eq!(used(tool, &json!({"path": "a.py"}), &json!("text"), ""), json!([]));
    }
}

#[test]
fn a_patch_is_recorded_file_by_file() {
    for given in [
        json!(PATCH),
        json!(format!("apply_patch <<E\n{PATCH}")),
        json!({"command": PATCH}),
        json!({"command": ["apply_patch", PATCH]}),
        json!({"input": PATCH}),
        json!({"patch": PATCH}),
    ] {
        assert_eq!(path_of(&given), "a.py");
        let edit = |path: &str, body: &str| json!({"hook": "h", "role": "tool", "tool": "patch", "category": "file-edit", "path": path, "body": body});
        let expected = json!([edit("a.py", "-x\n+y"), edit("b.py", "+z")]);
        assert_eq!(used("patch", &given, &json!("Done"), ""), expected);
        let failed = used("patch", &given, &json!(""), "no such line");
        assert_eq!((&failed[0]["category"], &failed[1]["body"]), (&json!("error"), &json!("no such line\n+z")));
    }
}

#[test]
fn a_text_that_names_no_file_to_change_is_no_patch() {
    for given in [json!(null), json!([PATCH]), json!("*** Begin Patch\n"), json!("*** Add File: a.py\n+x")] {
        assert_eq!(patch_of(&given), None);
    }
}

#[test]
fn output_is_found_in_what_a_host_wraps_it() {
    for (result, text) in [
        (json!({"stdout": "a", "stderr": "b"}), "a\nb"),
        (json!({"stdout": "", "stderr": "b", "output": "c"}), "b"),
        (json!({"stdout": "a", "output": "c"}), "a"),
        (json!({"content": [{"text": "a"}, {"text": ""}, "b", 1]}), "a\nb"),
        (json!({"result": {"message": "a"}}), "a"),
        (json!({"llmContent": "", "returnDisplay": "a"}), "a"),
        (json!(null), ""),
    ] {
        assert_eq!(output_of(&result), text);
    }
}

#[test]
fn the_middle_of_a_long_text_is_left_out() {
    assert_eq!(bounded(&"ä".repeat(120_000)), "ä".repeat(120_000));
    let (head, tail) = ("a".repeat(60_000), "ö".repeat(60_000));
    assert_eq!(bounded(&format!("{head}b{tail}")), format!("{head}\n[... 1 characters ...]\n{tail}"));
}

#[test]
fn an_exit_code_is_found() {
    for (result, error, code) in [
        (json!({"exit_code": 3}), "", Some(3)),
        (json!({"exitCode": 3}), "", Some(3)),
        (json!({"exit": 3}), "", Some(3)),
        (json!({"exit_code": true, "exit": 3}), "", Some(3)),
        (json!({"exit_code": 99_999_999_999_u64}), "", None),
        (json!({"metadata": {"exit": 3}}), "", Some(3)),
        (json!("Exit code: 3"), "", Some(3)),
        (json!("Exit code 3\nno such file"), "", Some(3)),
        (json!("no such file\nExit code: 3\n"), "", Some(3)),
        (json!("the server exited with code 3"), "", None),
        (json!("Exit code 3 means that nothing was found."), "", None),
        (json!("passed\nexit code 3 was expected\npassed"), "", None),
        (json!(""), "it exited with code 3", Some(3)),
        (json!("fine"), "Exit code 4\ntrace", Some(4)),
        (json!("exit code none"), "", None),
    ] {
        assert_eq!(exit_code(&result, error), code, "{result} {error}");
    }
}
