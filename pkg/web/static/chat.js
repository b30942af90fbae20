// The state of a chat: a list of entries, made of the stored messages and of events. The functions
// are pure: each returns a new state.
//
// Entries of a turn have its id, so that a turn which begins anew replaces them. A message of the
// person waits with its key until its turn begins.

export const empty = { entries: [], turns: {}, running: "", before: 0, usage: null };

let serial = 0;
function key(prefix) {
  serial += 1;
  return prefix + serial;
}

/** fromHistory makes a chat of the gateway's stored messages. Messages on their way stay. */
export function fromHistory(state, page) {
  const own = state.entries.filter((e) => waits(e) && e.key && !page.done.includes(e.key))
    .map((e) => ({ ...e, turn: "", message: e.message || page.ids[e.key] }));
  const stored = (page.queued || []).map((q) => own.find((e) => e.message === q.message)
    || { kind: "user", id: q.message, message: q.message, text: q.text, files: q.files, time: q.time, state: "sent", turn: "" });
  const waiting = [...stored, ...own.filter((e) => !stored.includes(e))];
  const entries = [...historyEntries(page.messages)];
  const turns = {};
  for (const m of page.messages) {
    turns[m.turn] = true;
  }
  for (const q of page.approvals) {
    entries.push({
      kind: "question", id: q.id, call: q.tool_call_id, name: q.name, text: q.text, choices: q.choices, expires: q.expires_at, turn: "",
    });
  }
  return { ...empty, entries: [...entries, ...waiting], turns, before: page.before || 0 };
}

/** waits says whether an entry is a message of the person whose turn has not begun. */
export function waits(e) {
  return e.kind === "user" && !e.turn && Boolean(e.state);
}

/** withOlder puts a page of older messages in front. */
export function withOlder(state, page) {
  return { ...state, entries: [...historyEntries(page.messages), ...state.entries], before: page.before || 0 };
}

// The gateway's own words to the model begin with a mark; people see them folded.
const machine = /^\[[a-z]+( [^\]]{1,60})?\] /;
// The message that closes a question.
const decided = /\/decided\/\d+$/;
// A message that a call has sent: the round of its turn, and the place of the call in that.
const sent = /^(.+)\/(\d+)\/(\d+)\/[^/]+$/;

function plain(text) {
  return text.replace(/`/g, "");
}

function historyEntries(messages) {
  const entries = [];
  const calls = {};
  let behind = 0; // the place behind the call whose result was read last, and what it has sent
  for (const m of messages) {
    if (m.seq && m.role !== "tool") {
      behind = 0;
    }
    const at = { turn: m.turn, time: m.time, stored: true, undone: m.undone, id: `h${m.seq}` };
    if (m.role === "user" && machine.test(m.text)) {
      entries.push({ ...at, kind: "words", text: m.text });
    } else if (m.role === "user" && (m.text || m.files)) {
      entries.push({ ...at, kind: "user", text: m.text, files: m.files });
    } else if (m.role === "assistant") {
      if (m.text && decided.test(m.id || "")) {
        entries.push({ ...at, id: m.id, kind: "notice", text: plain(m.text) });
      } else if (m.text || m.files) {
        const answer = { ...at, id: m.id || at.id, kind: "answer", text: m.text, file: m.file, origin: m.origin, files: m.files };
        if (behind > 0 && !m.seq && sent.test(m.id)) {
          entries.splice(behind, 0, answer);
          behind += 1;
        } else {
          entries.push(answer);
        }
      }
      for (const c of m.tool_calls || []) {
        calls[c.id] = {
          ...at, kind: "tool", id: c.id, as: key("t"), name: c.name, args: c.arguments, summary: summaryOf(c.name, c.arguments), state: "done",
        };
        entries.push(calls[c.id]);
      }
    } else if (m.role === "tool" && calls[m.tool_call_id]) {
      calls[m.tool_call_id].result = m.text;
      calls[m.tool_call_id].failed = isError(m.text);
      behind = entries.indexOf(calls[m.tool_call_id]) + 1;
    }
  }
  return entries;
}

// A failed call's result is an object that says so.
function isError(text) {
  if (!text.startsWith('{"error":true')) {
    return false;
  }
  try {
    return JSON.parse(text).error === true;
  } catch {
    return false;
  }
}

function summaryOf(name, args) {
  for (const about of ["query", "path", "url", "expression", "command", "task", "text", "name", "action", "id"]) {
    if (args && typeof args[about] === "string" && args[about]) {
      return `${name}: ${args[about].replace(/\s+/g, " ").slice(0, 100)}`;
    }
  }
  return name;
}

/** said adds a message that the person has just written. */
export function said(state, text, messageKey, files) {
  const e = { kind: "user", id: key("u"), key: messageKey, text, files, state: "sending", turn: "", time: new Date().toISOString() };
  return { ...state, entries: [...state.entries, e] };
}

/** changed changes the entry of a message on its way. */
export function changed(state, messageKey, change) {
  const begun = change.message && state.entries.some((e) => e.kind === "user" && e.message === change.message && e.key !== messageKey);
  if (begun) {
    return { ...state, entries: state.entries.filter((e) => e.key !== messageKey) };
  }
  return { ...state, entries: state.entries.map((e) => (e.key === messageKey ? { ...e, ...change } : e)) };
}

/** dropped takes an entry out. */
export function dropped(state, id) {
  return { ...state, entries: state.entries.filter((e) => e.id !== id) };
}

/** applied is the chat after an event. */
export function applied(state, name, d) {
  const reducer = reducers[name];
  return reducer ? reducer(state, d) : state;
}

const reducers = {
  turn(state, d) {
    // the answer to the POST, which has the id, may come behind this event
    const own = state.entries.find((e) => e.kind === "user" && e.message && e.message === d.message)
      || state.entries.find((e) => e.kind === "user" && e.key && !e.message && d.text && e.text === d.text);
    // what was told of this turn before is void, and what was read of it comes anew
    const entries = state.entries.filter((e) => e.turn !== d.turn && e !== own);
    const person = own || (d.text || d.files ? { kind: "user", id: key("u"), text: d.text || "", files: d.files, message: d.message, time: new Date().toISOString() } : null);
    if (person) {
      const waiting = entries.findIndex(waits);
      const at = waiting < 0 ? entries.length : waiting;
      entries.splice(at, 0, { ...person, message: d.message, turn: d.turn, state: "", key: "" });
    }
    return { ...state, entries, running: d.turn, turns: { ...state.turns, [d.turn]: true } };
  },
  // a further message that the running turn answers
  joined(state, d) {
    if (state.entries.some((e) => e.kind === "user" && e.message === d.message && e.turn)) {
      return state;
    }
    const own = state.entries.find((e) => e.kind === "user" && e.message === d.message);
    const entries = state.entries.filter((e) => e !== own);
    const person = own || { kind: "user", id: key("u"), text: d.text || "", files: d.files, time: new Date().toISOString() };
    entries.splice(beforeWaiting(entries), 0, { ...person, message: d.message, turn: state.running, state: "", key: "" });
    return { ...state, entries };
  },
  token(state, d) {
    return grow(state, "answer", d.text);
  },
  reasoning(state, d) {
    return grow(state, "reasoning", d.text);
  },
  restart(state) {
    return { ...state, entries: state.entries.filter((e) => !(e.turn === state.running && (e.live || e.state === "writing"))) };
  },
  tool_call_delta(state, d) {
    const had = state.entries.find((e) => e.kind === "tool" && e.id === d.id && e.turn === state.running && e.state !== "done");
    return tool(state, d.id, {
      ...(had ? {} : { name: d.name || "", state: "writing" }), draft: ((had && had.draft) || "") + (d.arguments_delta || ""),
    });
  },
  tool_call(state, d) {
    return tool(state, d.id, { name: d.name, args: d.arguments, summary: d.summary, round: d.round, state: "called", draft: "" });
  },
  tool_executing(state, d) {
    return tool(state, d.id, { name: d.name, state: "running" });
  },
  tool_progress(state, d) {
    return tool(state, d.id, { progress: d.text });
  },
  tool_result(state, d) {
    return tool(state, d.id, {
      name: d.name, result: d.result, failed: d.is_error, took: d.duration_ms, state: "done", progress: "",
    });
  },
  confirmation_required(state, d) {
    const q = {
      kind: "question", id: d.id, call: d.tool_call_id, name: d.name, args: d.arguments, text: d.question, choices: d.choices,
      expires: d.expires_at, turn: "",
    };
    const at = state.entries.findIndex((e) => e.kind === "question" && e.id === d.id);
    const entries = [...state.entries];
    if (at < 0) {
      entries.splice(beforeWaiting(entries), 0, q);
    } else {
      entries[at] = { ...entries[at], ...q };
    }
    return { ...state, entries };
  },
  confirmation_resolved(state, d) {
    const asked = state.entries.find((e) => e.kind === "question" && e.id === d.id);
    return {
      ...state,
      entries: state.entries.map((e) => {
        if (e === asked) {
          return { ...e, decision: d.decision, by: d.by };
        }
        return asked && e.kind === "tool" && e.id === asked.call && e.state !== "done" ? { ...e, state: "decided" } : e;
      }),
    };
  },
  message(state, d) {
    const turn = turnOf(d.id);
    if (decided.test(d.id)) {
      const known = state.entries.some((e) => e.id === d.id) || state.entries.some((e) => e.kind === "question" && e.decision && !e.closed);
      const entries = state.entries.map((e) => (e.kind === "question" && e.decision ? { ...e, closed: true } : e));
      return known ? { ...state, entries } : add(state, { kind: "notice", id: d.id, text: plain(d.text), turn });
    }
    const final = /\/final\/\d+$/.test(d.id);
    if (state.entries.some((e) => e.id === d.id || (final && e.stored && e.kind === "answer" && e.turn === turn))) {
      return state;
    }
    const entries = state.entries.filter((e) => e.id !== d.replaces);
    const m = { kind: "answer", id: d.id, text: d.text, file: d.file, origin: d.origin, turn, time: new Date().toISOString(), files: d.files };
    // the last text that grew is this message, which may come behind the beginning of the next turn
    const own = behindCall(entries, d.id) || findLast(entries, (e) => e.turn === turn && turn !== "" && (final || !e.grown)) + 1;
    const grown = final ? findLast(entries, (e) => e.kind === "answer" && e.grown && e.turn === turn) : -1;
    if (grown >= 0) {
      entries[grown] = { ...m, key: entries[grown].key };
    } else {
      entries.splice(own || beforeWaiting(entries), 0, m);
    }
    return { ...state, entries };
  },
  notice(state, d) {
    return add(state, { kind: "notice", id: key("n"), text: d.text || d.code, turn: state.running });
  },
  error(state, d) {
    return add(state, { kind: "error", id: key("e"), text: d.message, ref: d.ref, turn: state.running });
  },
  done(state, d) {
    const entries = state.entries.map((e) => {
      if (e.turn !== d.turn) {
        return e;
      }
      const { live: _, ...rest } = e;
      return e.kind === "tool" && e.state !== "done" ? { ...rest, state: d.stop === "confirmation_required" ? "waiting" : "ended" } : rest;
    });
    return { ...state, entries, running: state.running === d.turn ? "" : state.running, usage: d.usage, stop: d.stop };
  },
};

function turnOf(id) {
  const at = id.indexOf("/");
  return at < 0 ? "" : id.slice(0, at);
}

// behindCall is the place behind the call that has sent a message, and behind those it sent before; or 0.
function behindCall(entries, id) {
  const [, turn, round, index] = sent.exec(id) || [];
  const call = entries.filter((e) => e.kind === "tool" && e.turn === turn && e.round === Number(round))[index];
  if (!call) {
    return 0;
  }
  let at = entries.indexOf(call) + 1;
  while (at < entries.length && entries[at].kind === "answer" && sent.test(entries[at].id)) {
    at += 1;
  }
  return at;
}

function findLast(entries, is) {
  for (let i = entries.length - 1; i >= 0; i--) {
    if (is(entries[i])) {
      return i;
    }
  }
  return -1;
}

// New entries stand before the messages whose turns have not begun.
function beforeWaiting(entries) {
  const at = entries.findIndex(waits);
  return at < 0 ? entries.length : at;
}

function add(state, e) {
  const entries = [...state.entries];
  entries.splice(beforeWaiting(entries), 0, e);
  return { ...state, entries };
}

// Text grows at the end of its turn; behind a call it is a new piece.
function grow(state, kind, text) {
  const entries = [...state.entries];
  const end = beforeWaiting(entries);
  const last = entries[end - 1];
  if (last && last.kind === kind && last.live && last.turn === state.running) {
    entries[end - 1] = { ...last, text: last.text + text };
  } else {
    entries.splice(end, 0, { kind, id: key("a"), text, live: true, grown: true, turn: state.running, time: new Date().toISOString() });
  }
  return { ...state, entries };
}

// Models repeat the ids of their calls: one that comes behind a result is another call.
function tool(state, id, change) {
  const at = findLast(state.entries, (e) => e.kind === "tool" && e.id === id && (e.turn === state.running || e.state !== "done"));
  const begins = change.state === "writing" || change.state === "called";
  if (at < 0 || begins && state.entries[at].state === "done") {
    return add(settle(state), { kind: "tool", id, as: key("t"), name: "", state: "called", turn: state.running, ...change });
  }
  const entries = [...state.entries];
  entries[at] = { ...entries[at], ...change };
  return { ...state, entries };
}

// A text that a call follows is whole.
function settle(state) {
  const end = beforeWaiting(state.entries);
  const last = state.entries[end - 1];
  if (!last || !last.live || last.turn !== state.running) {
    return state;
  }
  const entries = [...state.entries];
  entries[end - 1] = { ...last, live: false, grown: false, beside: true };
  return { ...state, entries };
}
