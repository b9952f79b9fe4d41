/**
 * codecairn: its MCP server on standard input and output, with the tools for code, and one command of its program.
 *
 *   P1  implementation_lookup: the first definition that it shows
 *   P2  code_uses: every occurrence of the name but definitions, comments, and mentions in strings and prose
 *   P4  pr_impact of the file, one step deep, for those that use it; call_graph of each symbol that it lists, for
 *       what they use. No tool has the imports of a file as such.
 *   P5  codecairn graph unused, which no tool offers: every name that it lists
 *
 * `pip install codecairn`; BENCH_CODECAIRN names the program if it is not on the path. Its store lies in a folder of its own.
 */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Baseline, BaselineOutput } from "./base.ts";
import type { ExpectedAnswer, Task } from "../types.ts";

const PROGRAM = process.env.BENCH_CODECAIRN || "codecairn";
const REFERENCES = ["call", "method_call", "construct", "import", "inherit", "implement", "reference"];
const TIMEOUT_MS = 120_000;
const LARGEST = 64 * 1024 * 1024;

export class CodecairnBaseline implements Baseline {
  name = "codecairn";
  private root = "";
  private home = "";
  private server: ChildProcessWithoutNullStreams | null = null;
  private waiting = new Map<number, (message: any) => void>();
  private lastId = 0;
  private setupMs = 0;

  async setupForDataset(dataset: { name: string; rootPath: string }): Promise<void> {
    await this.teardownForDataset();
    const start = Date.now();
    this.root = dataset.rootPath;
    this.home = mkdtempSync(join(tmpdir(), "codecairn-board-"));
    this.command("index", "--quiet");
    this.server = spawn(PROGRAM, ["mcp", "--quiet", "--tools", "code", this.root], {
      cwd: this.root,
      env: this.environment(),
    });
    this.server.on("error", () => {});
    this.server.stderr.resume();
    createInterface({ input: this.server.stdout }).on("line", (line) => this.receive(line));
    await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench-primitives", version: "1" },
    });
    this.send({ method: "notifications/initialized" });
    await this.request("tools/list", {});
    this.setupMs = Date.now() - start;
  }

  async teardownForDataset(): Promise<void> {
    this.server?.kill();
    this.server = null;
    this.waiting.clear();
    if (this.home) rmSync(this.home, { recursive: true, force: true });
    this.home = "";
  }

  async run(task: Task): Promise<BaselineOutput> {
    const start = Date.now();
    const coldStartMs = this.setupMs;
    this.setupMs = 0;
    const answers: string[] = [];
    const prediction = await this.answer(task, answers);
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

  private async answer(task: Task, answers: string[]): Promise<ExpectedAnswer> {
    const call = async (tool: string, given: object): Promise<string> => {
      const text = await this.tool(tool, given);
      answers.push(text);
      return text;
    };
    switch (task.category) {
      case "P1":
        return definition(await call("implementation_lookup", { name: task.query }));
      case "P2":
        return references(await call("code_uses", { name: task.query, roles: REFERENCES }));
      case "P4": {
        const impact = await call("pr_impact", { files: [task.query], max_depth: 1 });
        const importers = [
          ...section(impact, "dependents:").map((row) => placeOf(row.replace(/^1 step\s+/, ""))),
          ...section(impact, "used at the top of files:").map(placeOf),
        ];
        const imports: string[] = [];
        for (const row of section(impact, "touched:")) {
          const [symbol] = row.match(/^\S+:\d+/) ?? [];
          if (!symbol) continue;
          const found = await call("call_graph", { name: symbol, direction: "callees" });
          for (const used of section(found, "uses:")) {
            const target = used.split(" -> ")[1]?.match(/(\S+):\d+/);
            if (target) imports.push(target[1]);
          }
        }
        return { kind: "deps", imports: others(imports, task), importers: others(importers, task) };
      }
      case "P5": {
        const text = this.command("graph", "unused");
        answers.push(text);
        return { kind: "names", names: unusedNames(text) };
      }
    }
  }

  private command(...words: string[]): string {
    return execFileSync(PROGRAM, words, {
      cwd: this.root,
      env: this.environment(),
      encoding: "utf-8",
      maxBuffer: LARGEST,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  private environment(): NodeJS.ProcessEnv {
    return { ...process.env, CODECAIRN_HOME: this.home };
  }

  private async tool(name: string, given: object): Promise<string> {
    const result = await this.request("tools/call", { name, arguments: given });
    return result?.content?.[0]?.text ?? "";
  }

  private request(method: string, params: object): Promise<any> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), TIMEOUT_MS);
      this.waiting.set(id, (message) => {
        clearTimeout(timer);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      });
      this.send({ id, method, params });
    });
  }

  private send(message: object): void {
    this.server?.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  private receive(line: string): void {
    if (!line.startsWith("{")) return;
    const message = JSON.parse(line);
    this.waiting.get(message.id)?.(message);
    this.waiting.delete(message.id);
  }
}

/** The first of the hits, each `[1] path:12-34 function name (3.92)`. */
function definition(text: string): ExpectedAnswer {
  const found = text.match(/^\[1\] (.+?):(\d+)-\d+ /m);
  return { kind: "locations", locations: found ? [{ file: found[1], line: Number(found[2]) }] : [] };
}

/** The rows `path:12:5  call …`. */
function references(text: string): ExpectedAnswer {
  const rows = text.matchAll(/^(.+?):(\d+):\d+  [a-z_]+\b/gm);
  return { kind: "locations", locations: [...rows].map((row) => ({ file: row[1], line: Number(row[2]) })) };
}

/** The names of rows `path:12-34  function Scope.name  [medium: …]`. */
function unusedNames(text: string): string[] {
  const rows = text.matchAll(/^\S+:\d+-\d+  \S+ (.+?)  \[/gm);
  return [...rows].map((row) => row[1].split(".").pop() ?? row[1]);
}

/** The rows below a heading, up to the next empty line. */
function section(text: string, heading: string): string[] {
  const lines = text.split("\n");
  const first = lines.indexOf(heading) + 1;
  if (!first) return [];
  const end = lines.indexOf("", first);
  return lines.slice(first, end < 0 ? undefined : end).map((line) => line.trim());
}

function placeOf(row: string): string {
  return row.match(/^(\S+?):\d+/)?.[1] ?? "";
}

function others(files: string[], task: Task): string[] {
  return [...new Set(files)].filter((file) => file && file !== task.query);
}
