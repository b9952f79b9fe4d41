//! Defines the enumerations of events and facts; their values are stored by name.

/// Declares an enumeration whose values have names.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident, $what:literal { $($(#[$each:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$each])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name it is stored under and shown by.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = codecairn_base::error::Error;

            fn from_str(name: &str) -> codecairn_base::error::Result<Self> {
                let wanted = name.trim().to_ascii_lowercase().replace('_', "-");
                Self::ALL.iter().copied().find(|word| word.name() == wanted).ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|word| word.name()).collect();
                    let message = format!("unknown {} `{name}`: one of {}", $what, known.join(", "));
                    codecairn_base::error::Error::InvalidArgument(message)
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.name())
            }
        }
    };
}

words! {
    /// Who speaks in an event.
    Role, "role" {
        /// A person.
        User = "user",
        /// The agent.
        Assistant = "assistant",
        /// The output of a tool.
        Tool = "tool",
        /// The host.
        System = "system",
    }
}

words! {
    /// The origin of content, in order of trust; derived content has the lowest trust of its sources.
    Origin, "origin" {
        /// From outside: the web, a dependency, an issue. Quoted, never an instruction.
        External = "external",
        /// A file of the repository, such as its instructions to agents: its author may be a stranger.
        Repository = "repository",
        /// A tool on this machine.
        Tool = "tool",
        /// The agent.
        Agent = "agent",
        /// A person.
        User = "user",
    }
}

words! {
    /// The scope of a fact.
    Scope, "scope" {
        /// In all projects of the user.
        User = "user",
        /// In the project.
        Project = "project",
        /// On one branch.
        Branch = "branch",
        /// In one session.
        Session = "session",
    }
}

words! {
    /// The state of a version of a fact.
    State, "state" {
        /// It holds.
        Live = "live",
        /// A newer fact ended it.
        Superseded = "superseded",
        /// It was hidden on request.
        Forgotten = "forgotten",
        /// A newer version of the same fact took its place.
        Replaced = "replaced",
    }
}

words! {
    /// The category of an event.
    Category, "category" {
        /// A request or remark of the user.
        Prompt = "prompt",
        /// The first request of a session.
        Intent = "intent",
        /// A message of the agent.
        Answer = "answer",
        /// Something was settled.
        Decision = "decision",
        /// A preference for how things are done.
        Preference = "preference",
        /// Rules were given or loaded.
        RuleLoad = "rule-load",
        /// A task came up.
        TaskCreate = "task-create",
        /// A task went on.
        TaskUpdate = "task-update",
        /// A task was finished.
        TaskComplete = "task-complete",
        /// A file was read.
        FileRead = "file-read",
        /// A file was written.
        FileWrite = "file-write",
        /// A file was changed.
        FileEdit = "file-edit",
        /// Files were searched.
        FileSearch = "file-search",
        /// A helper began.
        SubagentStart = "subagent-start",
        /// A helper finished.
        SubagentFinish = "subagent-finish",
        /// The working folder changed.
        CwdChange = "cwd-change",
        /// The environment changed.
        EnvChange = "env-change",
        /// Something failed.
        Error = "error",
        /// git was used.
        GitActivity = "git-activity",
        /// Tests ran.
        Test = "test",
        /// A service was called.
        IntegrationCall = "integration-call",
        /// Any other tool.
        ToolOther = "tool-other",
        /// A session began, ended, or changed.
        SessionMeta = "session-meta",
        /// Data was brought in.
        DataImport = "data-import",
        /// Something was found out.
        Discovery = "discovery",
        /// The host shortened its context.
        Compaction = "compaction",
        /// A permission was requested or granted.
        Permission = "permission",
        /// Anything else.
        Message = "message",
    }
}

impl Category {
    /// How much it matters: 0 most, 4 least.
    pub(crate) fn priority(self) -> u8 {
        match self {
            Self::Decision | Self::Preference | Self::RuleLoad | Self::TaskCreate | Self::Intent => 0,
            Self::TaskUpdate
            | Self::TaskComplete
            | Self::FileRead
            | Self::FileWrite
            | Self::FileEdit
            | Self::SubagentStart
            | Self::Prompt => 1,
            Self::FileSearch | Self::CwdChange | Self::EnvChange | Self::Error | Self::Test | Self::Answer => 2,
            Self::GitActivity
            | Self::SubagentFinish
            | Self::IntegrationCall
            | Self::SessionMeta
            | Self::Compaction
            | Self::Permission => 3,
            Self::DataImport | Self::Discovery | Self::Message | Self::ToolOther => 4,
        }
    }
}

words! {
    /// The type of a fact.
    FactType, "type" {
        /// Something was settled, and why.
        Decision = "decision",
        /// A preference for how things are done.
        Preference = "preference",
        /// A rule for what must or must not be done.
        Rule = "rule",
        /// Something to do, and its state.
        Task = "task",
        /// A description of the project.
        ProjectBrief = "project-brief",
        /// How it is built, run and tested.
        ProjectConfig = "project-config",
        /// How it is made, and why.
        Architecture = "architecture",
        /// How one does a thing here.
        ArchitecturePattern = "architecture-pattern",
        /// The technologies of the project.
        TechContext = "tech-context",
        /// Whom it serves.
        ProductContext = "product-context",
        /// The current work.
        ActiveContext = "active-context",
        /// How far it is.
        Progress = "progress",
        /// An error with its solution.
        ErrorSolution = "error-solution",
        /// A lesson about a procedure.
        LearnedPattern = "learned-pattern",
        /// A finding.
        Discovery = "discovery",
        /// A summary of a session.
        SessionSummary = "session-summary",
        /// A note.
        Note = "note",
        /// Files that change together and other facts about files.
        FileActivity = "file-activity",
        /// A conversation that another tool stored.
        Conversation = "conversation",
    }
}
