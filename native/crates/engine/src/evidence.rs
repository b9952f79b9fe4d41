//! Finds the SCIP index of a workspace, caches it, and gives it to the graph.

use std::sync::{Arc, PoisonError};

use codecairn_base::error::Result;
use codecairn_graph::scip::{self, ScipFile};
use codecairn_graph::{BranchCache, WrittenTimes};
use codecairn_store::Snapshot;

use super::Engine;
use super::load::LoadedBranch;

/// The state of the SCIP index of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EvidenceReport {
    /// Its file, relative to the root; empty if there is none.
    pub path: String,
    /// The indexer, as it calls itself.
    pub tool: String,
    /// Files whose names it decides.
    pub files: u32,
    /// Files that it is not valid for, as they have changed.
    pub changed: u32,
    /// Files of it that are not in the workspace's index.
    pub missing: u32,
    /// Why it can't be used and how to fix that; empty if it can.
    pub problem: String,
}

impl Engine {
    /// The number of files that the SCIP index of the workspace is valid for.
    pub fn evidence(&self) -> Result<EvidenceReport> {
        let found = self.scip();
        if found.stat.is_none() {
            return Ok(EvidenceReport::default());
        }
        let path = found.path.clone();
        let Some(index) = &found.index else {
            let problem = found.problem.clone().unwrap_or_default();
            return Ok(EvidenceReport { path, problem, ..EvidenceReport::default() });
        };
        let holding = self.ask_graph(|graph, _| graph.scip_coverage())?.unwrap_or_default();
        let (files, changed, missing) = (holding.files, holding.changed, holding.missing);
        Ok(EvidenceReport { path, tool: index.tool().to_owned(), files, changed, missing, problem: String::new() })
    }

    /// The SCIP index as it lies there now.
    pub(super) fn scip(&self) -> Arc<ScipFile> {
        let mut slot = self.scip.lock().unwrap_or_else(PoisonError::into_inner);
        let found = scip::find(&self.root, &self.scip_path, slot.as_ref());
        *slot = Some(Arc::clone(&found));
        found
    }

    /// The graph's cache of a state, with the current SCIP index.
    pub(super) fn graph_of(&self, loaded: &LoadedBranch, snapshot: &Snapshot) -> Result<Arc<BranchCache>> {
        let found = self.scip();
        loaded.graph_on(&found, || self.written(snapshot))
    }

    fn written(&self, snapshot: &Snapshot) -> Result<WrittenTimes> {
        let Some(worktree) = snapshot.worktree(&self.root.to_string_lossy())? else { return Ok(WrittenTimes::new()) };
        let stats = snapshot.stats(worktree)?.into_iter();
        Ok(stats.filter_map(|stat| Some((stat.path, (stat.mtime_ns, stat.blob?)))).collect())
    }
}
