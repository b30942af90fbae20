// The client @openai/agents: over responses, and over chat completions where these are named.
import assert from "node:assert/strict";
import { Agent, OpenAIProvider, Runner, hostedMcpTool, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { aborts, allows, apiKey, approver, baseURL, model, ok } from "./shared.mjs";

const runnerOf = (key, useResponses = true) => new Runner({
  modelProvider: new OpenAIProvider({ openAIClient: new OpenAI({ baseURL, apiKey: key }), useResponses }), tracingDisabled: true,
});
const agentOf = (...tools) => new Agent({ name: "assistant", instructions: "Be brief.", model, tools });
const theirs = tool({ name: "theirs", description: "a tool", parameters: z.object({}), execute: () => "their word" });
// The tools of the gateway, as a client declares those of a server. An agent without tools sends an empty list of them, which
// takes all away.
const gateway = hostedMcpTool({ serverLabel: "parley", serverUrl: baseURL, requireApproval: "always" });

for (const [name, runner] of [["responses", runnerOf(apiKey)], ["chat", runnerOf(apiKey, false)]]) {
  assert.equal((await runner.run(agentOf(), "hi")).finalOutput, "You say hi");
  ok(name + " text");

  const growing = await runner.run(agentOf(), "hi", { stream: true });
  let text = "";
  for await (const piece of growing.toTextStream()) text += piece;
  await growing.completed;
  assert.equal(text, "You say hi");
  assert.equal(growing.finalOutput, text);
  ok(name + " stream");

  assert.equal((await runner.run(agentOf(theirs), "theirs")).finalOutput, "It says their word");
  const calling = await runner.run(agentOf(theirs), "theirs", { stream: true });
  await calling.completed;
  assert.equal(calling.finalOutput, "It says their word");
  ok(name + " client tool");

  const acted = await runner.run(name === "chat" ? agentOf(theirs) : agentOf(gateway), "effect");
  assert.equal(acted.finalOutput, "It says done: once");
  const shown = acted.newItems.filter((i) => i.type === "tool_call_item");
  assert.deepEqual(shown.map((i) => i.rawItem.providerData.name), name === "chat" ? [] : ["effect"]);
  ok(name + " server tool");

  await assert.rejects(runner.run(new Agent({ name: "assistant", model: "none" }), "hi"), (e) => e.status === 404);
  await assert.rejects(runner.run(agentOf(), "fail"), (e) => e.status === 500 && e.code === "turn_failed");
  ok(name + " error");

  await aborts(async (signal) => {
    const left = await runner.run(agentOf(), "slow", { stream: true, signal });
    for await (const _ of left.toTextStream());
    await left.completed;
  });
  ok(name + " abort");
}

await allows((await runnerOf(apiKey, false).run(agentOf(theirs), "effect_asked")).finalOutput);
ok("chat approval");

for (const stream of [false, true]) {
  const agent = agentOf(gateway, theirs);
  const asked = await runnerOf(apiKey).run(agent, "effect_asked", { stream });
  if (stream) await asked.completed;
  assert.equal(asked.interruptions.length, 1);
  assert.equal(asked.interruptions[0].rawItem.providerData.name, "effect_asked");
  asked.state.approve(asked.interruptions[0]);
  await assert.rejects(runnerOf(apiKey).run(agent, asked.state), (e) => e.status === 403); // not the token that asked
  const allowed = await runnerOf(approver).run(agent, asked.state);
  assert.equal(allowed.finalOutput, "It says done: once");

  const denied = await runnerOf(apiKey).run(agent, "effect_asked");
  denied.state.reject(denied.interruptions[0]);
  assert.match((await runnerOf(approver).run(agent, denied.state)).finalOutput, /^Denied by the person who asked/);
}
ok("responses approval");
console.log("all done");
