// Real clients against a gateway: each prints "ok NAME" or throws.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

const baseURL = process.env.PARLEY_BASE, apiKey = process.env.PARLEY_TOKEN, approver = process.env.PARLEY_APPROVER;
const client = new OpenAI({ baseURL, apiKey });
const model = 'parley';
const user = (content) => [{ role: 'user', content }];
const tools = [{ type: 'function', function: { name: 'theirs', description: 'a tool', parameters: { type: 'object', properties: {} } } }];
const ok = (name) => console.log('ok ' + name);

assert.deepEqual((await client.models.list()).data.map((m) => m.id), [model]);
const whole = await client.chat.completions.create({ model, messages: user('hi') });
assert.equal(whole.choices[0].message.content, 'You say hi');
ok('openai text');

const helper = client.chat.completions.stream({ model, messages: user('hi'), stream_options: { include_usage: true } });
assert.equal((await helper.finalChatCompletion()).choices[0].message.content, 'You say hi');
ok('openai stream');

assert.equal((await client.chat.completions.create({ model, messages: user('effect') })).choices[0].message.content, 'It says done: once');
ok('openai server tool');

const first = await client.chat.completions.stream({ model, messages: user('theirs'), tools }).finalChatCompletion();
const said = first.choices[0].message;
assert.equal(first.choices[0].finish_reason, 'tool_calls');
const second = await client.chat.completions.create({
  model, tools,
  messages: [...user('theirs'), { role: 'assistant', content: said.content, tool_calls: said.tool_calls },
    { role: 'tool', tool_call_id: said.tool_calls[0].id, content: 'their word' }],
});
assert.equal(second.choices[0].message.content, 'It says their word');
ok('openai client tool');

await assert.rejects(client.chat.completions.create({ model: 'none', messages: user('hi') }), (e) => e instanceof OpenAI.NotFoundError
  && e.code === 'model_not_found' && e.param === 'model');
ok('openai error');

const stop = new AbortController();
const slow = await client.chat.completions.create({ model, messages: user('slow'), stream: true }, { signal: stop.signal });
setTimeout(() => stop.abort(), 100);
try { for await (const _ of slow); } catch (e) { assert(e instanceof OpenAI.APIUserAbortError); }
ok('openai abort');

const asked = await client.responses.create({ model, input: 'effect' });
assert.deepEqual(asked.output.map((o) => o.type), ['mcp_call', 'message']);
assert.equal(asked.output_text, 'It says done: once');
const names = [];
for await (const e of await client.responses.create({ model, input: 'hi', stream: true })) names.push(e.type);
assert.equal(names[0], 'response.created');
assert.equal(names.at(-1), 'response.completed');
ok('openai responses');

const held = await client.responses.create({ model, input: 'effect_asked' });
const question = held.output.at(-1);
assert.equal(question.type, 'mcp_approval_request');
const allowed = await new OpenAI({ baseURL, apiKey: approver }).responses.create({
  model, previous_response_id: held.id, input: [{ type: 'mcp_approval_response', approval_request_id: question.id, approve: true }],
});
assert.deepEqual(allowed.output.map((o) => o.type), ['mcp_call', 'message']);
ok('openai approval');

const compatible = createOpenAICompatible({ name: 'parley', baseURL, apiKey }).chatModel(model);
const prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
const text = (r) => r.content.filter((c) => c.type === 'text').map((c) => c.text).join('');
assert.equal(text(await compatible.doGenerate({ prompt })), 'You say hi');
ok('ai-sdk text');
let streamed = '', finish;
for await (const part of (await compatible.doStream({ prompt })).stream) {
  if (part.type === 'text-delta') streamed += part.delta;
  if (part.type === 'finish') finish = part.finishReason;
  assert.notEqual(part.type, 'error');
}
assert.equal(streamed, 'You say hi');
assert(finish);
ok('ai-sdk stream');
const called = await compatible.doGenerate({
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'theirs' }] }],
  tools: [{ type: 'function', name: 'theirs', inputSchema: { type: 'object', properties: {} } }],
});
assert(called.content.some((c) => c.type === 'tool-call' && c.toolName === 'theirs'));
ok('ai-sdk client tool');
console.log('all done');
