//! Classifies events by category, from the host's fields and from keywords, which match whole words.

use super::event::NewEvent;
use super::words::{Category, Role};

/// Parts of tools' names; the first match decides.
const TOOLS: [(&[&str], Category); 9] = [
    (&["todo", "taskcreate", "taskupdate", "update_plan"], Category::TaskUpdate),
    (&["multiedit", "edit", "patch", "replace"], Category::FileEdit),
    (&["write", "create"], Category::FileWrite),
    (&["grep", "search", "glob", "find", "ls"], Category::FileSearch),
    (&["read", "view", "open", "cat"], Category::FileRead),
    (&["agent", "task", "subagent"], Category::SubagentStart),
    (&["git"], Category::GitActivity),
    (&["mcp", "fetch", "http", "web"], Category::IntegrationCall),
    (&["bash", "shell", "exec", "terminal"], Category::ToolOther),
];

/// How commands that run tests begin.
const TEST_COMMANDS: [&str; 22] = [
    "pytest",
    "python -m pytest",
    "python3 -m pytest",
    "cargo test",
    "cargo nextest",
    "npm test",
    "npm run test",
    "pnpm test",
    "yarn test",
    "go test",
    "make test",
    "make check",
    "tox",
    "jest",
    "npx jest",
    "vitest",
    "npx vitest",
    "mvn test",
    "gradle test",
    "./gradlew test",
    "rspec",
    "ctest",
];

/// The category of an event that its host did not classify.
pub(super) fn category(new: &NewEvent, role: Role) -> Category {
    let hook = new.hook.to_ascii_lowercase().replace(['_', '-', '.'], "");
    match hook.as_str() {
        "sessionstart" | "sessionend" | "sessioncreated" | "sessiondeleted" => return Category::SessionMeta,
        "precompact" | "postcompact" | "sessioncompacted" => return Category::Compaction,
        "subagentstop" | "subagentfinished" => return Category::SubagentFinish,
        "subagentstart" | "subagentstarted" => return Category::SubagentStart,
        "permissionrequest" | "notification" => return Category::Permission,
        _ => {}
    }
    match role {
        Role::User => Category::Prompt,
        Role::Assistant => Category::Answer,
        Role::System => Category::Message,
        Role::Tool => of_tool(new),
    }
}

fn of_tool(new: &NewEvent) -> Category {
    if is_test_command(&new.command) {
        return Category::Test;
    }
    if new.exit_code.is_some_and(|code| code != 0) {
        return Category::Error;
    }
    if commands(&new.command).any(|command| command.starts_with("git ")) {
        return Category::GitActivity;
    }
    let tool = new.tool.to_ascii_lowercase();
    let found = TOOLS.iter().find(|(names, _)| names.iter().any(|name| tool.contains(name)));
    found.map_or(Category::ToolOther, |found| found.1)
}

/// Whether a command line runs tests.
pub(super) fn is_test_command(command: &str) -> bool {
    commands(command).any(|command| {
        TEST_COMMANDS.iter().any(|known| {
            command.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':', ';']))
        })
    })
}

/// The commands of a command line, without variables and wrapper programs before them.
fn commands(line: &str) -> impl Iterator<Item = &str> {
    line.split(['\n', ';', '|']).flat_map(|part| part.split("&&")).map(|command| {
        let mut command = command.trim();
        while let Some((first, rest)) = command.split_once(' ') {
            let is_lead = matches!(first, "time" | "nice" | "sudo" | "env" | "uv" | "poetry" | "run" | "exec")
                || first
                    .split_once('=')
                    .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
            if !is_lead {
                break;
            }
            command = rest.trim_start();
        }
        command.strip_prefix(".venv/bin/").unwrap_or(command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_runs_are_known_by_their_command() {
        for command in
            ["pytest -q", "cd x && cargo test", "CI=1 npm test", "uv run pytest", ".venv/bin/python -m pytest"]
        {
            assert!(is_test_command(command), "{command}");
        }
        for command in ["grep pytest x", "cat cargo test.txt", "pytester", "git commit -m 'make test green'"] {
            assert!(!is_test_command(command), "{command}");
        }
    }

    #[test]
    fn hooks_and_tools_tell() {
        let of = |hook: &str, tool: &str, command: &str, exit_code| {
            let new = NewEvent {
                hook: hook.into(),
                tool: tool.into(),
                command: command.into(),
                exit_code,
                ..NewEvent::default()
            };
            category(&new, if tool.is_empty() { Role::User } else { Role::Tool })
        };
        assert_eq!(of("SessionStart", "", "", None), Category::SessionMeta);
        assert_eq!(of("UserPromptSubmit", "", "", None), Category::Prompt);
        assert_eq!(of("PostToolUse", "Edit", "", None), Category::FileEdit);
        assert_eq!(of("PostToolUse", "Bash", "git status", Some(0)), Category::GitActivity);
        assert_eq!(of("PostToolUse", "Bash", "make", Some(2)), Category::Error);
        assert_eq!(of("PostToolUse", "Bash", "ls", Some(0)), Category::ToolOther);
    }
}
