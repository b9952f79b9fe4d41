"""The settings of knowledge bases and blame."""

from codecairn.config.setting import declared as _setting
from codecairn.config.workspace_rights import OFF, OWN
from codecairn.core.light_dataclass import dataclass


@dataclass(frozen=True, kw_only=True)
class KnowledgeSettings:
    """Settings of knowledge bases and blame, resolved."""

    knowledge_bases: tuple[str, ...] = _setting(
        (),
        key="knowledge.bases",
        workspace=OWN,
        doc="Folders that are searched with every workspace, each as `path` or `name=path`.",
    )
    knowledge_search: bool = _setting(
        default=True,
        key="knowledge.search",
        workspace=OFF,
        doc="Whether a search without `--in` also searches the knowledge bases.",
    )
    search_blame: bool = _setting(
        default=False,
        key="search.blame",
        workspace=OFF,
        doc="Whether each result shows who changed it last; git is run for the files shown.",
    )
