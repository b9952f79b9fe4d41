"""Ask language servers where called names are defined, and write the answers down as truth.

python -m benches.quality.graph.truth --checkouts DIR --into DIR [--only PROJECT]
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from benches.quality.graph.answers import Answers, IndexAnswers, ask_server
from benches.quality.graph.declaring import Declarations
from benches.quality.graph.grammar import GRAMMARS, Site
from benches.quality.graph.places import Place
from benches.quality.graph.records import Header, Target, Truth, to_record, write_lines
from benches.quality.graph.restated import SCRIPTS, Scripts, is_restating
from benches.quality.graph.sampling import sample
from benches.quality.graph.servers import SERVERS
from benches.quality.graph.sites import find_sites
from benches.quality.graph.written import ANSWERS, WrittenAnswers

PROJECTS = Path(__file__).with_name("projects.json")
SAMPLE = 400
_C_ENDS = frozenset(GRAMMARS["c"].parsers) | frozenset(GRAMMARS["cpp"].parsers)
Part = Literal["fit", "judge"]
# A name is not explained by the statement that imports it, nor by an attribute or a comment that stands for it.
_UNEXPLAINED = re.compile(
    r"import|^[^<]*<(use_|aliased_)|<using_declaration(<|$)|<attribute(<|$)|^comment"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A public project at one revision.

    Attributes:
        name: The checkout's folder.
        language: The language of which sites are drawn.
        server: Who is asked, or the indexer that wrote `index.scip` at the project's top, or who wrote `answers.jsonl` there.
        url: The public address.
        revision: The commit.
        part: `fit` for those that resolution is built with, `judge` for those that are scored once, when it is done.
        sources: Folders to draw from.
        prepare: What was done in the checkout before.
        settings: Of the server; `ROOT` stands for the checkout's place.
        version: Of the indexer, of whatever wrote the answers, or of a server that does not tell.
        size: Call sites to draw.
    """

    name: str
    language: str
    server: str
    url: str
    revision: str
    part: Part
    sources: tuple[str, ...]
    prepare: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    size: int = SAMPLE


def main() -> None:
    """Ask for every project that is checked out."""
    options = _options()
    for project in load(PROJECTS):
        root = (options.checkouts / project.name).resolve()
        if not root.is_dir() or (options.only and project.name not in options.only):
            continue
        folder = options.into / project.part
        folder.mkdir(parents=True, exist_ok=True)
        header = make_truth(project, root, into=folder, size=options.size or project.size)
        print(json.dumps(asdict(header)), flush=True)


def load(path: Path) -> list[Project]:
    """The projects of the list."""
    listed = json.loads(path.read_text(encoding="utf-8"))
    return [Project(**(each | {"sources": tuple(each["sources"])})) for each in listed]


def make_truth(project: Project, root: Path, *, into: Path, size: int) -> Header:
    """Ask about a sample of call sites, and write `PROJECT.jsonl` with its header."""
    sites = find_sites(root, GRAMMARS[project.language], sources=project.sources)
    drawn = sample(sites, size=size)
    declarations = Declarations(root, GRAMMARS[project.language])
    scripts = Scripts(root, sources=project.sources)
    known: list[Truth] = []
    unknown: list[Site] = []
    with _answers(project, root, drawn, log=into / f"{project.name}.log") as answers:
        for number, site in enumerate(drawn):
            truth = _ask(site, answers, declarations, scripts)
            if truth is None:
                unknown.append(site)
            else:
                known.append(truth)
            if number % 50 == 0:
                print(f"{project.name}: {number} of {len(drawn)}", file=sys.stderr, flush=True)
        version = project.version or answers.version
    header = Header(
        project=project.name,
        language=project.language,
        url=project.url,
        revision=project.revision,
        sources=project.sources,
        server=project.server,
        version=version,
        sites=len(sites),
        sampled=len(drawn),
        inside=sum(not each.is_external for each in known),
        external=sum(each.is_external for each in known),
        unknown=len(unknown),
    )
    write_lines(into / f"{project.name}.jsonl", map(to_record, known))
    write_lines(into / f"{project.name}.unknown.jsonl", map(asdict, unknown))
    text = json.dumps(asdict(header), indent=1) + "\n"
    (into / f"{project.name}.json").write_text(text, encoding="utf-8")
    return header


def _ask(
    site: Site, answers: Answers, declarations: Declarations, scripts: Scripts
) -> Truth | None:
    places = answers.definitions(site.place)
    if places is None or answers.is_declaration(site.place):
        return None
    # A variable that holds a required module leads no further than an import does.
    if places and all(map(declarations.is_required, places)):
        return None
    right = _right(site, places, answers, declarations)
    # What JavaScript calls is not explained by a file that declares it for TypeScript.
    if Path(site.place.path).suffix in SCRIPTS and any(is_restating(each.path) for each in places):
        defined = scripts.only(site.name)
        if defined is None:
            return None
        right.add(defined)
    named = {each for each in right if not _is_misnamed(site, each, declarations)}
    if right and not named:
        return None
    targets = {
        Target(path=each.path, line=each.line, node=declarations.around(each)) for each in named
    }
    explained = {each for each in targets if not _UNEXPLAINED.search(each.node)}
    if targets and not explained:
        return None
    return Truth(
        path=site.place.path,
        line=site.place.line,
        column=site.place.column,
        name=site.name,
        kind=site.kind,
        targets=tuple(sorted(explained)),
    )


def _is_misnamed(site: Site, place: Place, declarations: Declarations) -> bool:
    """Whether something under another name is no answer."""
    end = Path(site.place.path).suffix
    # A header that cannot be compiled alone misleads clangd to places where something else is named.
    if end in _C_ENDS:
        return declarations.text(place) != site.name
    # For `into`, which lies outside, rust-analyzer leads to the `from` that it will call.
    is_function = declarations.around(place).startswith("identifier<function_")
    return end == ".rs" and is_function and declarations.text(place) != site.name


def _right(
    site: Site, places: Sequence[Place], answers: Answers, declarations: Declarations
) -> set[Place]:
    right = set(places)
    for place in places:
        right |= _equals(place, answers, declarations)
        # A local alias of an external definition is no target.
        renamed = declarations.renamed(place)
        if renamed and answers.definitions(renamed) == [] and _is_local(place, declarations):
            right.discard(place)
    # A member that the type of a variable declares is defined where the variable's object literal has it.
    receiver = declarations.receiver(site.place)
    for variable in (receiver and answers.definitions(receiver)) or ():
        right.update(declarations.written_members(variable, site.name))
    # An inherited constructor, and Rust's `Self`, are named after nothing in the call.
    if site.name == "Self":
        return {target for head in right for target in _implemented(head, answers, declarations)}
    if site.kind == "construct" or any(map(declarations.is_outside_its_type, places)):
        types = answers.types(site.place)
        right.update(each for each in types if declarations.text(each) == site.name)
    return right


def _equals(place: Place, answers: Answers, declarations: Declarations) -> set[Place]:
    """What is as right as an answer."""
    equals = {*declarations.overloads(place), *declarations.alternatives(place)}
    # A property that is only named after a variable is defined where the variable is.
    if declarations.around(place).startswith("shorthand_property_identifier<"):
        equals.update(answers.definitions(place) or ())
    # Another name for a thing leads to the thing as much as to the variable.
    if (renamed := declarations.renamed(place)) is not None:
        meant = answers.definitions(renamed) or ()
        equals.update(each for each in meant if "parameter" not in declarations.around(each))
    # A construction calls its type as much as its constructor.
    if (constructed := declarations.constructed(place)) is not None:
        equals.add(constructed)
    for constructor in declarations.constructors(place):
        equals.update([constructor, *(answers.definitions(constructor) or ())])
    return equals


def _implemented(head: Place, answers: Answers, declarations: Declarations) -> list[Place]:
    """The type whose `impl` block has its head here, or else the head."""
    named = declarations.implemented(head)
    return (named and answers.definitions(named)) or [head]


def _is_local(place: Place, declarations: Declarations) -> bool:
    target = Target(path=place.path, line=place.line, node=declarations.around(place))
    return target.is_local


@contextmanager
def _answers(project: Project, root: Path, drawn: list[Site], *, log: Path) -> Iterator[Answers]:
    if (written := root / ANSWERS).is_file():
        yield WrittenAnswers(written, version=project.version)
        return
    if project.server not in SERVERS:
        yield IndexAnswers(root / "index.scip", root=root, version=project.version)
        return
    first = [site.place.path for site in drawn[:1]]
    settings = json.loads(json.dumps(project.settings).replace("ROOT", root.as_posix()))
    with ask_server(
        SERVERS[project.server], root=root, settings=settings, first=first, log=log
    ) as answers:
        yield answers


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.quality.graph.truth", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--checkouts",
        type=Path,
        required=True,
        help="folder with prepared copies of the projects; servers may write in them",
    )
    parser.add_argument("--into", type=Path, required=True, help="folder for the files of truth")
    parser.add_argument(
        "--only", action="append", default=[], metavar="PROJECT", help="only this project"
    )
    parser.add_argument("--size", type=int, help="call sites for each project")
    return parser.parse_args()


if __name__ == "__main__":
    main()
