// Plays OpenCode to the plugin file named by the arguments, as version 1 or 2, and prints what the model would be sent.
import { pathToFileURL } from "node:url";

const [file, version, directory] = process.argv.slice(2);
const plugin = (await import(pathToFileURL(file))).default;
const PROMPT = "how are session tokens verified here?";
const user = { id: "msg_1", sessionID: "ses_1", role: "user" };
const out = { id: plugin.id, keys: Object.keys(plugin).sort() };

if (version === "1") {
  const hooks = await plugin.server({ directory });
  out.again = Object.keys(await plugin.server({ directory }));
  await hooks.event({ event: { type: "session.created", properties: { info: { id: "ses_1" } } } });
  const child = { id: "ses_2", parentID: "ses_1" };
  await hooks.event({ event: { type: "session.created", properties: { info: child } } });
  const parts = [{ id: "prt_1", type: "text", text: PROMPT }, { id: "prt_2", type: "text", text: "made up", synthetic: true }];
  const model = { providerID: "local", modelID: "scripted" };
  await hooks["chat.message"]({ sessionID: "ses_1", model }, { message: user, parts });
  await hooks["chat.message"]({ sessionID: "ses_2", model }, { message: { ...user, id: "msg_9" }, parts: [{ type: "text", text: "look around" }] });
  const request = async () => {
    const system = { system: ["be brief"] };
    await hooks["experimental.chat.system.transform"]({ sessionID: "ses_1", model }, system);
    const sent = { messages: [{ info: user, parts: parts.map((part) => ({ ...part })) }] };
    await hooks["experimental.chat.messages.transform"]({}, sent);
    await hooks["experimental.chat.messages.transform"]({}, sent);
    return { system: system.system, parts: sent.messages[0].parts };
  };
  out.first = await request();
  out.second = await request();
  const used = { title: "", output: "hi", metadata: { exit: 3 } };
  await hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "call_1", args: { command: "false" } }, used);
  out.used = used.output;
  const edit = { filePath: "shop/tokens.py", oldString: "return token", newString: "return token.strip()" };
  await hooks["tool.execute.after"]({ tool: "edit", sessionID: "ses_1", callID: "call_2", args: edit }, { title: "", output: "done", metadata: {} });
  const state = { status: "error", input: { filePath: "shop/cart.py" }, error: "File not found" };
  const failed = { id: "prt_4", sessionID: "ses_1", messageID: "msg_2", type: "tool", tool: "read", callID: "call_3", state };
  for (let time = 0; time < 2; time++) await hooks.event({ event: { type: "message.part.updated", properties: { part: failed } } });
  const answer = { id: "msg_2", sessionID: "ses_1", role: "assistant", time: { completed: 1 }, finish: "stop" };
  const part = { id: "prt_3", messageID: "msg_2", sessionID: "ses_1", type: "text", text: "By verify_token." };
  await hooks.event({ event: { type: "message.part.updated", properties: { part } } });
  await hooks.event({ event: { type: "message.updated", properties: { info: { ...answer, finish: "tool-calls" } } } });
  for (let time = 0; time < 2; time++) await hooks.event({ event: { type: "message.updated", properties: { info: answer } } });
  const compacting = { context: [] };
  await hooks["experimental.session.compacting"]({ sessionID: "ses_1" }, compacting);
  out.compacting = compacting.context;
  await hooks.event({ event: { type: "server.connected", properties: {} } });
  await hooks.dispose();
} else {
  const hooks = {};
  const hook = (group) => async (name, work) => void (hooks[`${group}.${name}`] = work);
  let heard;
  const subscribe = (work) => ((heard = work), () => {});
  const stop = await plugin.setup({ session: { hook: hook("session") }, tool: { hook: hook("tool") }, event: { subscribe }, location: { directory } });
  out.hooks = Object.keys(hooks).sort();
  out.without = (await plugin.setup({ aisdk: {} })) ?? null;
  await heard({ type: "session.created", data: { info: { id: "ses_1" } } });
  await hooks["session.prompt"]({ sessionID: "ses_1", messageID: "msg_1", prompt: { text: PROMPT } });
  const request = async (kind) => {
    const event = { sessionID: "ses_1", kind, system: [], messages: [{ id: "msg_1", role: "user", content: [{ type: "text", text: PROMPT }] }] };
    await hooks["session.context"](event);
    return { system: event.system.map((part) => part.text), parts: event.messages[0].content };
  };
  out.first = await request("primary");
  out.second = await request("primary");
  out.title = await request("title");
  await hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", id: "call_1", input: { command: "false" }, status: "error", error: { message: "Exit code 3" } });
  await heard({ type: "session.text.ended", data: { sessionID: "ses_1", messageID: "msg_2", text: "By verify_token." } });
  await heard({ type: "session.execution.succeeded", data: { sessionID: "ses_1" } });
  const compaction = { sessionID: "ses_1", system: [] };
  await hooks["session.compaction"](compaction);
  out.compacting = compaction.system.map((part) => part.text);
  await heard({ type: "unheard.of" });
  await hooks["session.prompt"](null);
  await stop();
}
console.log(JSON.stringify(out));
