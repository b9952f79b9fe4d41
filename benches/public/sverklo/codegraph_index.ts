/**
 * codegraph, the program of the package @colbymchenry/codegraph, by its commands and their defaults.
 *
 *   P1  query: the first row
 *   P2  callers --json: the lines of the uses
 *   P4  node --symbols-only of the file, which names the files that use it; callees of the file, for what it uses
 *   P5  nothing: it has no such command
 *
 * CODEGRAPH names the program if it is not on the path. Its index lies in the folder itself, so that a copy is asked.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import type { Baseline, BaselineOutput } from "./base.ts";
import type { ExpectedAnswer, Location, Task } from "../types.ts";

const PROGRAM = process.env.CODEGRAPH || "codegraph";
const LEFT_OUT = new Set([".git", "node_modules", ".cache", "dist"]);
const LARGEST = 64 * 1024 * 1024;

export class CodeGraphIndexBaseline implements Baseline {
  name = "codegraph-index";
  private folder = "";
  private root = "";
  private setupMs = 0;

  async setupForDataset(dataset: { name: string; rootPath: string }): Promise<void> {
    await this.teardownForDataset();
    this.folder = mkdtempSync(join(tmpdir(), "codegraph-board-"));
    this.root = join(this.folder, dataset.name);
    cpSync(dataset.rootPath, this.root, {
      recursive: true,
      filter: (path) => path === dataset.rootPath || !isLeftOut(relative(dataset.rootPath, path)),
    });
    const start = Date.now();
    this.ask("init", ".");
    this.setupMs = Date.now() - start;
  }

  async teardownForDataset(): Promise<void> {
    if (this.folder) rmSync(this.folder, { recursive: true, force: true });
    this.folder = "";
  }

  async run(task: Task): Promise<BaselineOutput> {
    const start = Date.now();
    const coldStartMs = this.setupMs;
    this.setupMs = 0;
    const answers: string[] = [];
    const prediction = this.answer(task, answers);
    const wallTimeMs = Date.now() - start;
    return {
      prediction,
      rawPayload: answers.join("\n"),
      toolCalls: answers.length,
      wallTimeMs,
      coldStartMs,
      warmCallMs: wallTimeMs,
    };
  }

  private answer(task: Task, answers: string[]): ExpectedAnswer {
    const call = (...words: string[]): string => {
      const text = this.ask(...words);
      answers.push(text);
      return text;
    };
    switch (task.category) {
      case "P1":
        return { kind: "locations", locations: rows(call("query", task.query)).slice(0, 1) };
      case "P2":
        return { kind: "locations", locations: uses(call("callers", "--json", task.query)) };
      case "P4": {
        const head = call("node", "--file", task.query, "--symbols-only").split("\n")[0];
        const importers = head.match(/used by \d+ files?: (.+)$/)?.[1].split(", ") ?? [];
        const used = rows(call("callees", "--file", task.query, basename(task.query)));
        const imports = new Set(used.map((place) => place.file).filter((file) => file !== task.query));
        return { kind: "deps", imports: [...imports], importers };
      }
      case "P5":
        return { kind: "names", names: [] };
    }
  }

  private ask(...words: string[]): string {
    try {
      return execFileSync(PROGRAM, words, {
        cwd: this.root,
        env: { ...process.env, CODEGRAPH_TELEMETRY: "0", DO_NOT_TRACK: "1" },
        encoding: "utf-8",
        maxBuffer: LARGEST,
        stdio: ["ignore", "pipe", "ignore"],
      });
    } catch (error: any) {
      if (words[0] === "init") throw error;
      return String(error?.stdout ?? "");
    }
  }
}

function isLeftOut(path: string): boolean {
  return path.split(/[\\/]/).some((part) => LEFT_OUT.has(part));
}

/** The indented rows `  path:12`. */
function rows(text: string): Location[] {
  const found = text.matchAll(/^ {2}(\S+):(\d+)$/gm);
  return [...found].map((row) => ({ file: row[1], line: Number(row[2]) }));
}

/** The places of the edges to each definition; an edge names its source, and the list of callers has that one's file. */
function uses(text: string): Location[] {
  if (!text.startsWith("{")) return [];
  const found: Location[] = [];
  for (const each of JSON.parse(text).definitions ?? []) {
    const files = new Map<string, string>(each.callers.map((caller: any) => [caller.id, caller.filePath]));
    for (const edge of each.edges) {
      const file = files.get(edge.source);
      if (file && edge.line) found.push({ file, line: edge.line });
    }
  }
  return found;
}
