// Twenty equal requests at once, over chat completions and over responses: the client sends them again on its own while the
// gateway is away.
import assert from "node:assert/strict";
import OpenAI from "openai";
import { apiKey, baseURL, model, ok } from "./shared.mjs";

const client = new OpenAI({ baseURL, apiKey, maxRetries: 20, timeout: 60_000 });
const keyed = (key) => ({ headers: { "Idempotency-Key": key } });
const chat = (stream) => client.chat.completions.create({ model, stream, messages: [{ role: "user", content: "do it" }] }, keyed("chat"));

const all = await Promise.all([
  ...Array.from({ length: 20 }, async () => (await chat(false)).choices[0].message.content),
  ...Array.from({ length: 20 }, async () => (await client.responses.create({ model, input: "do it" }, keyed("response"))).output_text),
]);
assert.deepEqual(new Set(all), new Set([process.env.PARLEY_ANSWER]));
assert.equal(all.length, 40);
ok("keys");
console.log("all done");
