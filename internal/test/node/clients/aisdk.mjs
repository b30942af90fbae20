// The client @ai-sdk/openai-compatible.
import assert from "node:assert/strict";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aborts, allows, apiKey, baseURL, model, ok } from "./shared.mjs";

const provider = createOpenAICompatible({ name: "parley", baseURL, apiKey, includeUsage: true });
const chat = provider.chatModel(model);
const words = (text) => ({ role: "user", content: [{ type: "text", text }] });
const ask = (text, more = {}) => chat.doGenerate({ prompt: [words(text)], ...more });
const textOf = (answer) => answer.content.filter((c) => c.type === "text").map((c) => c.text).join("");
const tools = [{ type: "function", name: "theirs", description: "a tool", inputSchema: { type: "object", properties: {} } }];

const whole = await ask("hi");
assert.equal(textOf(whole), "You say hi");
assert.equal(whole.finishReason.unified, "stop");
ok("text");

// parts are the parts of a stream; none of them is an error.
async function parts(options) {
  const all = [];
  for await (const part of (await chat.doStream(options)).stream) {
    assert.notEqual(part.type, "error", part.error);
    all.push(part);
  }
  return all;
}

const grown = await parts({ prompt: [words("hi")] });
assert.equal(grown.filter((p) => p.type === "text-delta").map((p) => p.delta).join(""), "You say hi");
const end = grown.at(-1);
assert.equal(end.type, "finish");
assert.equal(end.finishReason.unified, "stop");
assert(end.usage.outputTokens.total > 0);
ok("stream");

for (const called of [(await ask("theirs", { tools })).content, await parts({ prompt: [words("theirs")], tools })]) {
  const call = called.find((c) => c.type === "tool-call");
  assert.equal(call.toolName, "theirs");
  const answered = await chat.doGenerate({
    tools,
    prompt: [
      words("theirs"),
      { role: "assistant", content: [{ type: "tool-call", toolCallId: call.toolCallId, toolName: "theirs", input: JSON.parse(call.input) }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: call.toolCallId, toolName: "theirs", output: { type: "text", value: "their word" } }],
      },
    ],
  });
  assert.equal(textOf(answered), "It says their word");
}
ok("client tool");

const acted = await ask("effect");
assert.equal(textOf(acted), "It says done: once");
assert(!acted.content.some((c) => c.type === "tool-call"));
ok("server tool");

await assert.rejects(provider.chatModel("none").doGenerate({ prompt: [words("hi")] }),
  (e) => e.statusCode === 404 && e.data.error.code === "model_not_found" && !e.isRetryable);
await assert.rejects(ask("fail"), (e) => e.statusCode === 500 && e.data.error.code === "turn_failed");
await assert.rejects(chat.doStream({ prompt: [words("fail")] }), (e) => e.statusCode === 500);
ok("error");

await aborts(async (abortSignal) => {
  for await (const part of (await chat.doStream({ prompt: [words("slow")], abortSignal })).stream) {
    if (part.type === "error") throw part.error;
  }
});
await aborts((abortSignal) => ask("slow", { abortSignal }));
ok("abort");

await allows(textOf(await ask("effect_asked")));
ok("approval");
console.log("all done");
