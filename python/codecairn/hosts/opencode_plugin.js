// What OpenCode tells codecairn, and what it puts before the model. Written by `codecairn install opencode`; needs nothing.
// OpenCode 1 calls `server`, OpenCode 2 calls `setup`. Whatever fails here is nobody's trouble: the agent goes on without.
import { spawn } from "node:child_process";

const COMMAND = ["codecairn", "hook"];
const PATIENCE_MS = 1000;
// What a model must know that loses its context is made for it, which takes longer; making a summary takes many seconds.
const COMPACTION_MS = 5000;
const MAX_SESSIONS = 200;

function call(event, payload, options = [], patience = PATIENCE_MS) {
  return new Promise((resolve) => {
    let out = "";
    let timer;
    const done = (context) => {
      clearTimeout(timer);
      resolve(context);
    };
    try {
      const [program, ...rest] = COMMAND;
      const child = spawn(program, [...rest, ...options, "opencode", event], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      });
      timer = setTimeout(() => done(""), patience);
      child.on("error", () => done(""));
      child.stdin.on("error", () => {});
      child.stdout.on("data", (part) => (out += part));
      child.on("close", () => {
        try {
          done(JSON.parse(out).context || "");
        } catch {
          done("");
        }
      });
      child.stdin.end(JSON.stringify(payload));
    } catch {
      done("");
    }
  });
}

function textOf(parts) {
  const said = (parts || []).filter((part) => part.type === "text" && !part.synthetic && !part.ignored);
  return said.map((part) => part.text || "").join("\n");
}

// What is known of sessions: who started them, what opens them, and what was said beside each prompt. A prompt keeps the
// same bytes in every request, so that the provider's cache of what came before holds.
class Sessions {
  constructor(folder) {
    this.folder = folder;
    this.known = new Map();
    this.ask = null;
  }

  of(id) {
    if (!this.known.has(id)) {
      this.known.set(id, { parent: "", model: "", opening: null, beside: new Map(), told: new Map() });
      if (this.known.size > MAX_SESSIONS) this.known.delete(this.known.keys().next().value);
    }
    return this.known.get(id);
  }

  tell(event, id, more, ...how) {
    const { parent, model } = this.of(id);
    return call(event, { session: id, parent, folder: this.folder, model, ...more }, ...how);
  }

  opening(id) {
    const session = this.of(id);
    session.opening ??= this.tell("session-start", id, {});
    return session.opening;
  }

  async prompted(id, message, prompt) {
    await this.opening(id);
    const context = await this.tell("prompt", id, { id: message, prompt });
    if (context) this.of(id).beside.set(message, context);
  }

  compacting(id) {
    return this.tell("compacting", id, {}, ["--wait"], COMPACTION_MS);
  }

  async compacted(id, message, summary) {
    const session = this.of(id);
    if (session.told.has(message)) return;
    session.told.set(message, true);
    session.opening = null;
    session.beside.clear();
    await this.tell("compacted", id, { id: message, summary });
  }

  async failed(id, part) {
    const session = this.of(id);
    if (session.told.has(part.callID)) return;
    session.told.set(part.callID, true);
    const error = part.state.error || "failed";
    await this.tell("tool", id, { id: part.callID, tool: part.tool, input: part.state.input, error });
  }

  async answered(id, message, text) {
    const session = this.of(id);
    if (session.told.has(message) || !text.trim()) return;
    session.told.set(message, true);
    const request = await this.tell("answer", id, { id: message, text });
    if (request && this.ask) await this.ask(id, request);
  }

  end(id) {
    const isKnown = this.known.has(id);
    const done = isKnown ? this.tell("session-end", id, {}) : Promise.resolve("");
    this.known.delete(id);
    return done;
  }
}

function isFirst(folder) {
  // A project's plugin folder and a person's may both hold this file.
  const started = (globalThis[Symbol.for("codecairn")] ??= new Set());
  if (started.has(folder)) return false;
  started.add(folder);
  return true;
}

async function server({ directory, client }) {
  if (!isFirst(directory)) return {};
  const sessions = new Sessions(directory);
  // A part that is no word of the user's; the turn is not waited for.
  sessions.ask = (id, text) => client?.session?.promptAsync?.({ path: { id }, body: { parts: [{ type: "text", text, synthetic: true }] } });
  const texts = new Map();

  const heard = {
    "session.created": ({ info }) => {
      sessions.of(info.id).parent = info.parentID || "";
    },
    "session.deleted": ({ info }) => sessions.end(info.id),
    "message.part.updated": ({ part }) => {
      if (part.type === "tool" && part.state?.status === "error") return sessions.failed(part.sessionID, part);
      if (part.type !== "text" || part.synthetic) return;
      if (!texts.has(part.messageID)) texts.set(part.messageID, new Map());
      texts.get(part.messageID).set(part.id, part.text);
      if (texts.size > MAX_SESSIONS) texts.delete(texts.keys().next().value);
    },
    "message.updated": ({ info }) => {
      if (info.role !== "assistant" || !info.time?.completed || info.finish === "tool-calls") return;
      const text = [...(texts.get(info.id)?.values() || [])].join("\n");
      return info.summary ? sessions.compacted(info.sessionID, info.id, text) : sessions.answered(info.sessionID, info.id, text);
    },
  };
  return {
    event: async ({ event }) => {
      await heard[event.type]?.(event.properties);
    },
    "chat.message": async (input, output) => {
      const model = input.model || output.message.model;
      if (model) sessions.of(input.sessionID).model = `${model.providerID}/${model.modelID}`;
      await sessions.prompted(input.sessionID, output.message.id, textOf(output.parts));
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID) return;
      const opening = await sessions.opening(input.sessionID);
      if (opening) output.system.push(opening);
    },
    "experimental.chat.messages.transform": async (_input, output) => {
      for (const { info, parts } of output.messages) {
        const text = info.role === "user" && sessions.known.get(info.sessionID)?.beside.get(info.id);
        const id = `prt_codecairn_${info.id}`;
        if (text && !parts.some((part) => part.id === id))
          parts.push({ id, sessionID: info.sessionID, messageID: info.id, type: "text", text, synthetic: true });
      }
    },
    "tool.execute.after": async (input, output) => {
      const result = { output: output.output, metadata: { exit: output.metadata?.exit } };
      const more = { id: input.callID, tool: input.tool, input: input.args, result };
      const context = await sessions.tell("tool", input.sessionID, more);
      if (context && typeof output.output === "string") output.output += `\n\n${context}`;
    },
    "experimental.session.compacting": async (input, output) => {
      const context = await sessions.compacting(input.sessionID);
      if (context) output.context.push(context);
    },
    dispose: async () => {
      await Promise.all([...sessions.known.keys()].map((id) => sessions.end(id)));
    },
  };
}

async function setup(ctx) {
  // OpenCode 1 looks in here too, without sessions.
  if (typeof ctx?.session?.hook !== "function") return;
  const folder = ctx.location?.directory || process.cwd();
  if (!isFirst(folder)) return;
  const sessions = new Sessions(folder);
  const texts = new Map();
  const quietly = (work) => async (event) => {
    try {
      await work(event);
    } catch {
      // The agent goes on without.
    }
  };

  await ctx.session.hook("prompt", quietly(async (event) => {
    const prompt = typeof event.prompt === "string" ? event.prompt : event.prompt?.text || textOf(event.prompt?.parts);
    await sessions.prompted(event.sessionID, event.messageID, prompt || "");
  }));
  await ctx.session.hook("context", quietly(async (event) => {
    if (event.kind !== "primary") return;
    const opening = await sessions.opening(event.sessionID);
    if (opening) event.system.push({ type: "text", text: opening });
    const beside = sessions.of(event.sessionID).beside;
    for (const message of event.messages || []) {
      const text = message.role === "user" && beside.get(message.id);
      if (text && Array.isArray(message.content)) message.content.push({ type: "text", text });
    }
  }));
  await ctx.session.hook("compaction", quietly(async (event) => {
    const context = await sessions.compacting(event.sessionID);
    if (context) event.system.push({ type: "text", text: context });
  }));
  if (typeof ctx.tool?.hook === "function")
    await ctx.tool.hook("execute.after", quietly(async (event) => {
      const output = event.result?.output ?? event.result?.content ?? event.result;
      const result = typeof output === "string" ? output : JSON.stringify(output ?? "");
      const more = { id: event.id, tool: event.tool, input: event.input, result };
      if (event.status === "error") more.error = String(event.error?.message || event.error || "failed");
      await sessions.tell("tool", event.sessionID, more);
    }));
  const heard = {
    "session.created": ({ info, sessionID, parentID }) => {
      sessions.of(info?.id || sessionID).parent = info?.parentID || parentID || "";
    },
    "session.deleted": ({ info, sessionID }) => sessions.end(info?.id || sessionID),
    "session.text.ended": ({ sessionID, messageID, assistantMessageID, text }) =>
      texts.set(sessionID, [messageID || assistantMessageID || "", text || ""]),
    "session.execution.succeeded": ({ sessionID }) => {
      const [message, text] = texts.get(sessionID) || ["", ""];
      texts.delete(sessionID);
      return sessions.answered(sessionID, message, text);
    },
    "session.compaction.ended": ({ sessionID, messageID, text, summary }) =>
      sessions.compacted(sessionID, messageID || "", summary || text || ""),
  };
  const stop = await ctx.event?.subscribe?.(quietly((event) => heard[event.type]?.(event.data || {})));
  return async () => {
    if (typeof stop === "function") await stop();
    await Promise.all([...sessions.known.keys()].map((id) => sessions.end(id)));
  };
}

export default { id: "codecairn", server, setup };
