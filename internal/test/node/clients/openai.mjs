// The client openai, over chat completions and over responses.
import assert from "node:assert/strict";
import OpenAI from "openai";
import { aborts, allows, apiKey, approver, baseURL, model, ok } from "./shared.mjs";

const client = new OpenAI({ baseURL, apiKey });
const other = new OpenAI({ baseURL, apiKey: approver });
const user = (content) => [{ role: "user", content }];
const parameters = { type: "object", properties: {} };
const missing = (e) => e instanceof OpenAI.NotFoundError && e.code === "model_not_found" && e.param === "model";
const failed = (e) => e instanceof OpenAI.InternalServerError && e.code === "turn_failed";

assert.deepEqual((await client.models.list()).data.map((m) => m.id), [model]);
assert.equal((await client.models.retrieve(model)).id, model);
ok("models");

const ask = (text, more = {}, options) => client.chat.completions.create({ model, messages: user(text), ...more }, options);
const said = (answer) => answer.choices[0].message.content;
const tools = [{ type: "function", function: { name: "theirs", description: "a tool", parameters } }];

assert.equal(said(await ask("hi")), "You say hi");
ok("chat text");

const streamed = client.chat.completions.stream({ model, messages: user("hi"), stream_options: { include_usage: true } });
let deltas = 0;
streamed.on("content", () => deltas++);
const final = await streamed.finalChatCompletion();
assert.equal(said(final), "You say hi");
assert(deltas > 0 && final.usage.total_tokens > 0);
ok("chat stream");

const first = await client.chat.completions.stream({ model, messages: user("theirs"), tools }).finalChatCompletion();
const call = first.choices[0].message;
assert.equal(first.choices[0].finish_reason, "tool_calls");
assert.match(call.tool_calls[0].id, /^call_c\w+-\w+_1$/);
const messages = [...user("theirs"), call, { role: "tool", tool_call_id: call.tool_calls[0].id, content: "their word" }];
assert.equal(said(await client.chat.completions.create({ model, tools, messages })), "It says their word");
ok("chat client tool");

assert.equal(said(await ask("effect")), "It says done: once");
ok("chat server tool");

const schema = { type: "object", properties: { a: { type: "number" } }, required: ["a"], additionalProperties: false };
const typed = { model, messages: user("json"), response_format: { type: "json_schema", json_schema: { name: "x", schema, strict: true } } };
assert.deepEqual((await client.chat.completions.parse(typed)).choices[0].message.parsed, { a: 1 });
assert.equal(said(await ask("json", { response_format: { type: "json_object" } })), '{"a":1}');
ok("chat format");

await assert.rejects(ask("hi", { model: "none" }), missing);
await assert.rejects(ask("fail"), failed);
await assert.rejects(ask("hi", { n: 2 }), (e) => e instanceof OpenAI.BadRequestError && e.param === "n");
ok("chat error");

await aborts(async (signal) => {
  for await (const chunk of await ask("slow", { stream: true }, { signal })) assert(chunk.choices);
});
ok("chat abort");

await allows(said(await ask("effect_asked")));
ok("chat approval");

const respond = (input, more = {}, options) => client.responses.create({ model, input, ...more }, options);
const kinds = (answer) => answer.output.map((o) => o.type);

const plain = await respond("hi");
assert.equal(plain.output_text, "You say hi");
assert.deepEqual((await client.responses.retrieve(plain.id)).output, plain.output);
assert.equal((await respond("and again", { previous_response_id: plain.id })).output_text, "You say and again");
const gone = await respond("forget this");
await client.responses.delete(gone.id);
await assert.rejects(client.responses.retrieve(gone.id), (e) => e instanceof OpenAI.NotFoundError);
ok("responses text");

const names = [];
const growing = client.responses.stream({ model, input: "hi" });
for await (const e of growing) names.push(e.type);
assert.equal(names[0], "response.created");
assert(names.includes("response.output_text.delta"));
assert.equal(names.at(-1), "response.completed");
assert.equal((await growing.finalResponse()).output_text, "You say hi");
ok("responses stream");

const functions = [{ type: "function", name: "theirs", description: "a tool", parameters, strict: false }];
const wants = await respond("theirs", { tools: functions });
const own = wants.output.find((o) => o.type === "function_call");
assert.match(own.call_id, /^call_c\w+-\w+_1$/);
const result = { type: "function_call_output", call_id: own.call_id, output: "their word" };
assert.equal((await respond([result], { tools: functions, previous_response_id: wants.id })).output_text, "It says their word");
const whole = [{ role: "user", content: "theirs" }, ...wants.output, result];
assert.equal((await respond(whole, { tools: functions })).output_text, "It says their word");
ok("responses client tool");

const acts = await respond("effect");
assert.deepEqual(kinds(acts), ["mcp_call", "message"]);
assert.equal(acts.output_text, "It says done: once");
ok("responses server tool");

const shaped = await client.responses.parse({ model, input: "json", text: { format: { type: "json_schema", name: "x", schema, strict: true } } });
assert.deepEqual(shaped.output_parsed, { a: 1 });
ok("responses format");

await assert.rejects(respond("hi", { model: "none" }), missing);
await assert.rejects(respond("fail"), failed);
await assert.rejects(respond("hi", { previous_response_id: "resp_none" }), OpenAI.NotFoundError);
ok("responses error");

await aborts(async (signal) => {
  for await (const e of await respond("slow", { stream: true }, { signal })) assert(e.type);
});
ok("responses abort");

const held = await respond("effect_asked");
const question = held.output.at(-1);
assert.equal(question.type, "mcp_approval_request");
const yes = { type: "mcp_approval_response", approval_request_id: question.id, approve: true };
await assert.rejects(respond([yes], { previous_response_id: held.id }), OpenAI.PermissionDeniedError);
const allowed = await other.responses.create({ model, previous_response_id: held.id, input: [yes] });
assert.deepEqual(kinds(allowed), ["mcp_call", "message"]);
assert.equal(allowed.output_text, "It says done: once");
ok("responses approval");
console.log("all done");
