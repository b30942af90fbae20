// Drives @ag-ui/client, with its verifier, against a gateway: node agui.mjs BASE GO-ON. GO-ON is
// asked once the stream of the slow run is left.
// It prints one line of JSON for each thing that it tried.
import { HttpAgent } from "@ag-ui/client";

const base = process.argv[2];

const agent = (token, threadId) => new HttpAgent({ url: base + "/agui", threadId, headers: { Authorization: "Bearer " + token } });

// run sends what is new and collects what the client makes of the answer.
async function run(a, text, parameters = {}) {
  if (text) a.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
  const seen = { events: [], pending: [], interrupts: [] };
  const { newMessages } = await a.runAgent(parameters, {
    onEvent: ({ event }) => { seen.events.push(event.type); },
    onRunErrorEvent: ({ event }) => { seen.error = event.code; },
    onRunFinishedEvent: (p) => { seen.pending = p.pendingToolCallIds ?? []; seen.interrupts = p.interrupts ?? []; seen.outcome = p.outcome; },
  }).catch((err) => { seen.failed = String(err.message ?? err); return { newMessages: [] }; });
  seen.texts = newMessages.filter((m) => m.role === "assistant" && m.content).map((m) => m.content);
  seen.results = newMessages.filter((m) => m.role === "tool").map((m) => m.content);
  return seen;
}

const tell = (name, seen) => console.log(JSON.stringify({ name, ...seen }));

const one = agent("ada", "one");
tell("text", await run(one, "hello"));
tell("again", await run(one, "and again"));
tell("server tool", await run(one, "look"));
tell("error", await run(agent("ada", "error"), "fail"));
tell("no token", await run(agent("nobody", "one"), "hello"));

// A picture goes with the words of its message.
const viewer = agent("ada", "views");
const source = { type: "data", mimeType: "image/png", value: "iVBORw0KGgo=" };
viewer.addMessage({ id: crypto.randomUUID(), role: "user", content: [{ type: "text", text: "view" }, { type: "image", source }] });
tell("picture", await run(viewer, ""));

// The stream is left while the tool runs, and the same run is sent again.
const left = agent("ada", "left");
left.addMessage({ id: "m1", role: "user", content: "slow" });
await left.runAgent({ runId: "r1" }, { onToolCallEndEvent: () => left.abortRun() }).catch(() => {});
await fetch(process.argv[3], { method: "POST" });
tell("abort", await run(left, "", { runId: "r1" }));

// A question ends the run; another token of the person answers it.
const asks = agent("ada", "asks");
const asked = await run(asks, "wipe");
tell("approval", asked);
const approver = agent("approver", "asks");
approver.setMessages(asks.messages);
approver.pendingInterrupts = asks.pendingInterrupts;
const resume = asked.interrupts.map((i) => ({ interruptId: i.id, status: "resolved", payload: { decision: "allow_once" } }));
tell("resume", await run(approver, "", { resume }));

// A tool of the client: the next run brings its result.
const tools = [{ name: "paint", description: "paints", parameters: { type: "object", properties: { color: { type: "string" } } } }];
const painter = agent("ada", "paints");
const painted = await run(painter, "paint", { tools });
tell("client tool", painted);
for (const toolCallId of painted.pending) painter.addMessage({ id: crypto.randomUUID(), role: "tool", toolCallId, content: "painted" });
tell("client result", await run(painter, "", { tools }));
