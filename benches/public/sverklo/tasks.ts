/** Prints the tasks of every data set as the board resolves them, each with the folder that it is about, as one JSON document. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadManifest } from "./datasets/fetch.ts";
import { loadJsonl } from "./ground-truth/schema.ts";

const seeds = join(dirname(fileURLToPath(import.meta.url)), "ground-truth", "seed");
const printed: object[] = [];
for (const { name, rootPath } of loadManifest()) {
  const listed = join(seeds, `${name}.jsonl`);
  const tasks = existsSync(listed) ? loadJsonl(listed) : await resolved(name, rootPath);
  printed.push(...tasks.map((task: object) => ({ ...task, root: rootPath })));
}
console.log(JSON.stringify(printed));

async function resolved(name: string, root: string): Promise<any[]> {
  const made = await import(join(seeds, `${name}.gen.ts`));
  const generate = Object.entries(made).find(([key]) => key.startsWith("generate"))?.[1] as any;
  return generate(root);
}
