// What the clients of the OpenAI family share. The gateway's model answers by the last words.
import assert from "node:assert/strict";

export const baseURL = process.env.PARLEY_BASE;
export const apiKey = process.env.PARLEY_TOKEN;
export const approver = process.env.PARLEY_APPROVER;
export const model = "parley";

export const ok = (name) => console.log("ok " + name);

// aborts has a client leave in the middle of run: what it throws, if anything, is its own abort.
export async function aborts(run) {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 300);
  try {
    await run(stop.signal);
  } catch (err) {
    assert(stop.signal.aborted && /abort/i.test(err.name + " " + err.message), err);
  }
  assert(stop.signal.aborted);
}

// allows answers the question that a completion names, where it says.
export async function allows(sentence) {
  const [, path] = /POST (\/api\/chats\/\S+\/approvals\/[^\s,]+)/.exec(sentence);
  const root = baseURL.replace(/\/v1$/, "");
  const headers = { Authorization: "Bearer " + approver, "Content-Type": "application/json" };
  const answer = await fetch(root + path, { method: "POST", headers, body: JSON.stringify({ decision: "allow_once" }) });
  assert.equal(answer.status, 202, await answer.text());
  for (;;) {
    const chat = await (await fetch(root + path.replace(/\/approvals\/.*/, ""), { headers })).json();
    if (chat.messages.some((m) => m.role === "assistant" && m.text === "It says done: once")) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
