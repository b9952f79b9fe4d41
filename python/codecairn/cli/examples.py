"""Examples of every command, which its help, its man page and the documentation show. Tests run them."""

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "": (
        "codecairn search 'where are tokens verified'",
        "codecairn graph callers verify_token",
        "codecairn install claude",
    ),
    "search": (
        "codecairn search 'where are tokens verified'",
        "codecairn search 'retry policy' --lang python --dir shop --tokens 800",
        "codecairn search 'session' --since '2 weeks ago' --json",
    ),
    "ask": (
        "codecairn ask 'how are tokens checked'",
        "codecairn ask 'what did we decide about tokens' --tokens 800",
    ),
    "peek": (
        "codecairn peek 'token verification'",
        "codecairn peek 'session' --kind class -n 5",
    ),
    "similar": (
        "codecairn similar shop/tokens.py:5",
        "cat snippet.txt | codecairn similar -",
    ),
    "define": (
        "codecairn define verify_token",
        "codecairn define Session.get --json",
    ),
    "context": (
        "codecairn context 'how are tokens checked'",
        "codecairn context 'from login to verify_token'",
        "codecairn context --symbol verify_token 'tokens'",
    ),
    "edit-context": (
        "codecairn edit-context verify_token",
        "codecairn edit-context shop/tokens.py::verify_token --tokens 2000",
    ),
    "graph": (
        "codecairn graph callers verify_token",
        "codecairn graph path login verify_token",
        "codecairn graph hubs -n 10",
    ),
    "graph callers": (
        "codecairn graph callers verify_token",
        "codecairn graph callers verify_token --depth 2 --json",
    ),
    "graph callees": (
        "codecairn graph callees login",
        "codecairn graph callees login --kind call",
    ),
    "graph path": (
        "codecairn graph path login verify_token",
        "codecairn graph path login verify_token --max-depth 4",
    ),
    "graph hierarchy": (
        "codecairn graph hierarchy Session",
        "codecairn graph hierarchy Session --file shop/session.py",
    ),
    "graph communities": (
        "codecairn graph communities",
        "codecairn graph communities --min-size 5 --json",
    ),
    "graph unused": (
        "codecairn graph unused",
        "codecairn graph unused -n 10",
    ),
    "graph cycles": (
        "codecairn graph cycles",
        "codecairn graph cycles --json",
    ),
    "graph hubs": (
        "codecairn graph hubs",
        "codecairn graph hubs -n 5 --json",
    ),
    "uses": (
        "codecairn uses verify_token",
        "codecairn uses verify_token --role call --file shop",
    ),
    "impact": (
        "codecairn impact",
        "codecairn impact main",
        "codecairn impact --symbol verify_token --max-depth 3",
    ),
    "visualize": (
        "codecairn visualize",
        "codecairn visualize --output graph.html --max-nodes 500",
    ),
    "index": (
        "codecairn index",
        "codecairn index . --estimate",
        "codecairn index --verbose",
    ),
    "watch": (
        "codecairn watch",
        "codecairn watch --jsonl",
    ),
    "pull": (
        "codecairn pull",
        "codecairn pull --branch main --json",
    ),
    "remote": (
        "codecairn remote init ../indexes",
        "codecairn remote grant ../reader.grant",
    ),
    "remote init": ("codecairn remote init ../shared --name shop",),
    "remote grant": (
        "codecairn remote grant ../another.grant",
        "codecairn remote grant ../ci.grant --publisher ci",
    ),
    "remote accept": (
        "codecairn remote accept ../reader.grant",
        "cat ../ci.grant | codecairn remote accept --replace -",
    ),
    "remote status": (
        "codecairn remote status",
        "codecairn remote status --branch main --json",
    ),
    "remote remove": ("codecairn remote remove",),
    "status": (
        "codecairn status",
        "codecairn status --verbose --json",
    ),
    "knowledge": ("codecairn knowledge list",),
    "knowledge add": (
        "codecairn knowledge add ../handbook",
        "codecairn knowledge add ../library --name requests",
    ),
    "knowledge list": (
        "codecairn knowledge list",
        "codecairn knowledge list --json",
    ),
    "knowledge remove": (
        "codecairn knowledge remove handbook",
        "codecairn knowledge remove requests --purge",
    ),
    "doctor": (
        "codecairn doctor",
        "codecairn doctor --repair",
    ),
    "gc": (
        "codecairn gc --dry-run",
        "codecairn gc",
    ),
    "metrics": (
        "codecairn metrics",
        "codecairn metrics --reset",
    ),
    "savings": ("codecairn savings", "codecairn savings --json"),
    "logs": (
        "codecairn logs -n 20",
        "codecairn logs --category search --level warn",
    ),
    "eval": (
        "codecairn eval run questions.json -o before.json",
        "codecairn eval compare before.json after.json",
    ),
    "eval run": (
        "codecairn eval run questions.json",
        "codecairn eval run questions.json -o before.json --budget limits.json",
    ),
    "eval compare": (
        "codecairn eval compare before.json after.json",
        "codecairn eval compare before.json after.json --json",
    ),
    "eval diff": (
        "codecairn eval diff before.json after.json",
        "codecairn eval diff before.json after.json --json",
    ),
    "eval sweep": (
        "codecairn eval sweep questions.json --vary fusion=rrf,weighted",
        "codecairn eval sweep questions.json --vary search.limit=5,10 --by hit@5",
    ),
    "memory": (
        "codecairn memory add 'Tokens are signed with HMAC' --type decision",
        "codecairn memory search 'how are tokens signed'",
        "codecairn memory list --type decision",
    ),
    "memory add": (
        "codecairn memory add 'Tokens are signed with HMAC' --type decision",
        "codecairn memory add 'verify_token checks the expiry' --anchor shop/tokens.py::verify_token",
    ),
    "memory search": (
        "codecairn memory search 'how are tokens signed'",
        "codecairn memory search 'decisions since monday' --kind fact --json",
    ),
    "memory context": (
        "codecairn memory context my-session --prompt 'how are tokens signed'",
        "codecairn memory context my-session --part static",
    ),
    "memory timeline": ("codecairn memory timeline E1 --before 2 --after 2",),
    "memory get": ("codecairn memory get ID",),
    "memory why": ("codecairn memory why ID",),
    "memory list": (
        "codecairn memory list",
        "codecairn memory list --type decision --type rule -n 20",
    ),
    "memory update": ("codecairn memory update ID --text 'Tokens are signed with Ed25519'",),
    "memory forget": ("codecairn memory forget ID --reason 'no longer true'",),
    "memory restore": ("codecairn memory restore ID",),
    "memory purge": (
        "codecairn memory purge ID",
        "codecairn memory purge --containing 'a text that must go'",
    ),
    "memory session": (
        "codecairn memory session",
        "codecairn memory session -n 5 --json",
    ),
    "memory export": (
        "codecairn memory export > memory.json",
        "codecairn memory export --format markdown --anonymise",
    ),
    "memory status": (
        "codecairn memory status",
        "codecairn memory status --json",
    ),
    "memory work": (
        "codecairn memory work --dry-run",
        "codecairn memory work --no-models",
    ),
    "memory summarise": ("codecairn memory summarise my-session --no-models",),
    "memory init": (
        "codecairn memory init",
        "codecairn memory init --no-models --no-index",
    ),
    "memory costs": (
        "codecairn memory costs",
        "codecairn memory costs --json",
    ),
    "memory import": (
        "codecairn memory import memory.json",
        "codecairn memory import --from claude-mem --dry-run",
    ),
    "memory promote": ("codecairn memory promote ID",),
    "memory demote": ("codecairn memory demote ID",),
    "memory team": (
        "codecairn memory team --dry-run",
        "codecairn memory team",
    ),
    "memory record": (
        "codecairn memory record my-session 'how are tokens signed?' --role user",
        "codecairn memory record my-session '3 passed' --role tool --tool bash --command pytest",
    ),
    "memory end": ("codecairn memory end my-session",),
    "memory events": (
        "codecairn memory events -n 20",
        "codecairn memory events --session my-session",
    ),
    "memory notes": (
        "codecairn memory notes write plan 'first the parser, then the tests'",
        "codecairn memory notes read plan",
        "codecairn memory notes",
    ),
    "memory activity": (
        "codecairn memory activity",
        "codecairn memory activity -n 10 --json",
    ),
    "memory review": (
        "codecairn memory review",
        "codecairn memory review --json",
    ),
    "memory doctor": (
        "codecairn memory doctor",
        "codecairn memory doctor --repair",
    ),
    "memory project": (
        "codecairn memory project",
        "codecairn memory project list --json",
    ),
    "memory backend": (
        "codecairn memory backend",
        "codecairn memory backend status --json",
        "codecairn memory backend retry",
    ),
    "node": (
        "codecairn node --clone shop=https://git.example.com/acme/shop.git",
        "codecairn node --clone shop=/srv/git/shop.git --cache-size 50G",
    ),
    "serve": (
        "codecairn serve --open",
        "codecairn serve --port 0 --read-only",
    ),
    "install": (
        "codecairn install claude",
        "codecairn install codex --dry-run",
        "codecairn install claude --check",
    ),
    "uninstall": (
        "codecairn uninstall claude",
        "codecairn uninstall --all --dry-run",
    ),
    "mcp": (
        "codecairn mcp",
        "codecairn mcp --tools code --http 8765",
    ),
    "call": (
        """codecairn call codebase_search '{"query": "where are tokens verified"}'""",
        "codecairn call --schemas openai",
    ),
    "hook": ("echo '{}' | codecairn hook claude SessionStart",),
    "config": (
        "codecairn config list",
        "codecairn config set search.limit 20",
    ),
    "config get": ("codecairn config get search.limit",),
    "config set": (
        "codecairn config set search.limit 20",
        "codecairn config set --user hooks.capture false",
    ),
    "config list": (
        "codecairn config list",
        "codecairn config list --json",
    ),
    "config path": ("codecairn config path",),
    "config schema": ("codecairn config schema > settings.schema.json",),
    "config page": ("codecairn config page > settings.md",),
    "config import": ("codecairn config import --dry-run",),
    "team": ("codecairn team status",),
    "team init": (
        "CODECAIRN_TEAM_URL=postgresql://owner@db.example.com/acme codecairn team init acme",
    ),
    "team add": ("codecairn team add shop --store s3://acme-index/shop",),
    "team invite": ("codecairn team invite ann --grant shop=publisher --output ann.invitation",),
    "team join": ("codecairn team join ann.invitation",),
    "team grant": ("codecairn team grant ann shop admin",),
    "team revoke": (
        "codecairn team revoke ann shop --rotate-key",
        "codecairn team revoke ann",
    ),
    "team status": (
        "codecairn team status",
        "codecairn team status --json",
    ),
    "team rotate-key": ("codecairn team rotate-key shop",),
    "team delete-branch": ("codecairn team delete-branch old-feature --repository shop",),
    "team gc": ("codecairn team gc --dry-run",),
    "team sync": ("codecairn team sync",),
    "team promote": ("codecairn team promote ID",),
    "team demote": (
        "codecairn team demote ID",
        "codecairn team demote ID --erase",
    ),
    "trust": (
        "codecairn trust",
        "codecairn trust --list",
        "codecairn trust . --remove",
    ),
    "schema": (
        "codecairn schema search",
        "codecairn schema memory add",
        "codecairn schema > codecairn.schema.json",
    ),
    "man": (
        "codecairn man > codecairn.1",
        "codecairn man > ~/.local/share/man/man1/codecairn.1",
    ),
    "completion": (
        "codecairn completion bash > ~/.local/share/bash-completion/completions/codecairn",
        "codecairn completion fish > ~/.config/fish/completions/codecairn.fish",
    ),
}
"""The command lines by command; the program itself is the empty one."""
