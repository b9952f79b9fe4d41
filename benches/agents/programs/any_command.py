"""Any other command: it gets the question as its last argument, or in place of `{question}`, and prints its answer."""

from collections.abc import Sequence
from dataclasses import replace

from benches.agents.programs import claude, codex, gemini, opencode
from benches.agents.programs.program import Program
from benches.agents.programs.transcript import Transcript

PROGRAMS = {
    "claude": claude.PROGRAM,
    "codex": codex.PROGRAM,
    "opencode": opencode.PROGRAM,
    "gemini": gemini.PROGRAM,
}
"""The known programs, by the names that the command line has for them."""

PLACE = "{question}"


def plain(text: str) -> Transcript:
    """Everything that was printed is the answer; looks and tokens are unknown."""
    return Transcript(answer=text.strip())


def command_as_program(words: Sequence[str], *, host: str, form: str) -> Program:
    """A command as a program; `form` is the known program whose transcript it prints, if any."""
    first, *rest = words

    def arguments(prompt: str, _model: str) -> list[str]:
        if any(PLACE in word for word in rest):
            return [word.replace(PLACE, prompt) for word in rest]
        return [*rest, prompt]

    if form in PROGRAMS:
        known = PROGRAMS[form]
        return replace(known, command=first, arguments=arguments, host=host or known.host)
    return Program(command=first, host=host, arguments=arguments, parse=plain)
