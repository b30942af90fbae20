// An open chat: its entries, its stream, and the field below.
import { html, Icon, useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from "./lib.js";
import { Refused, get, newKey, pause, post } from "./api.js";
import { applied, changed, dropped, empty, fromHistory, said, waits, withOlder } from "./chat.js";
import { follow } from "./stream.js";
import { Entry } from "./entries.js";
import { Composer } from "./composer.js";
import { titleOf } from "./sidebar.js";
import * as uploads from "./files.js";
import { channelName, isLinked } from "./links.js";

const near = 80; // pixels from the end within which the page goes along with new text

// Commands behind which the chat has other words than before.
const moves = /^\/(new|resume|undo)\b/;

function reduce(state, action) {
  return action(state);
}

export function Conversation({ chat, list, changed: rowChanged, chats, out, gone }) {
  const linked = isLinked(chat); // it is read here, and written to on its own channel
  const [state, change] = useReducer(reduce, empty);
  const [line, setLine] = useState("loading"); // loading, open, lost, back
  const [draft, setDraft] = useState({ text: "", focus: 1 });
  const [options, setOptions] = useState({ tools: undefined, off: [], model: "" });
  const [tools, setTools] = useState([]);
  const [models, setModels] = useState([]);
  const [files, setFiles] = useState([]);
  const sends = useRef({});
  const [away, setAway] = useState(false);
  const [news, setNews] = useState("");
  const log = useRef(null);
  const pinned = useRef(true);
  const lastTop = useRef(0);
  const current = useRef(state);
  const stream = useRef(null);
  const sending = useRef(new Set());
  const rows = useRef(chats);
  const rereads = useRef(false);
  current.current = state;
  rows.current = chats;

  // seen tells the gateway that the person looks at this chat; the list then has no news of it.
  const seen = useCallback(() => {
    if (!document.hidden && !linked) {
      post(`/page/chats/${chat}/seen`).catch(() => {}); // the next message tells it again
    }
  }, [chat]);

  function inAList(row) {
    const had = rows.current.find((c) => c.chat === row.chat);
    rowChanged(row);
    if (row.chat === chat) {
      if (row.unread) {
        seen();
      }
    } else if ((row.unread || 0) + (row.asks || 0) > ((had && (had.unread || 0) + (had.asks || 0)) || 0)) {
      setNews(`News in the chat ${titleOf(row)}.`);
    }
  }

  useEffect(() => {
    let lost = false;
    stream.current = follow(chat, {
      async page(page) {
        const { done, ids } = await answered(chat, current.current);
        change((s) => fromHistory(s, { ...page, done, ids }));
        seen();
        for (const e of current.current.entries) {
          if (e.kind === "user" && e.body && e.key && !done.includes(e.key)) {
            send(e);
          }
        }
      },
      event(name, data) {
        if (name === "chat_changed") {
          inAList(data);
          return;
        }
        change((s) => applied(s, name, data));
        if (name === "turn") {
          rereads.current = moves.test(data.text || "");
        } else if (name === "done" && rereads.current) {
          rereads.current = false;
          stream.current.reread();
        }
        if (name === "done") {
          setNews(data.stop === "confirmation_required" ? "The assistant asks for an approval." : "The answer is complete.");
        } else if (name === "turn") {
          setNews("The assistant is answering.");
        } else if (name === "confirmation_required") {
          setNews("The assistant asks for an approval.");
        }
      },
      state(now) {
        if (now === "lost") {
          lost = true;
          setLine("lost");
        } else {
          setLine(lost ? "back" : "open");
          lost = false;
          list(); // from now on each change is told
        }
      },
      out,
      gone,
    });
    document.addEventListener("visibilitychange", seen);
    get("/page/tools").then((a) => setTools(a.tools || []), () => {});
    get("/page/models").then((a) => setModels(a.models || []), () => {});
    return () => {
      document.removeEventListener("visibilitychange", seen);
      stream.current.end();
    };
  }, [chat]);

  useEffect(() => {
    if (line !== "back") {
      return undefined;
    }
    const timer = setTimeout(() => setLine("open"), 2500);
    return () => clearTimeout(timer);
  }, [line]);

  // send posts a message until the gateway has it; with its key it is one message however often.
  const send = useCallback(async (entry) => {
    if (sending.current.has(entry.key)) {
      return;
    }
    sending.current.add(entry.key);
    change((s) => changed(s, entry.key, { state: "sending" }));
    try {
      for (let wait = 400; ; wait = Math.min(8000, wait * 2)) {
        try {
          const a = await post(`/page/chats/${chat}/messages`, entry.body, { "Idempotency-Key": entry.key });
          change((s) => changed(s, entry.key, { state: "sent", message: a.message }));
          return;
        } catch (e) {
          if (e instanceof Refused && e.status === 401) {
            out();
            return;
          }
          if (e instanceof Refused && e.status < 500 && e.status !== 429) {
            change((s) => changed(s, entry.key, { state: "failed", why: e.message }));
            setNews(e.message);
            return;
          }
          await pause(wait);
        }
      }
    } finally {
      sending.current.delete(entry.key);
    }
  }, [chat]);

  const changeFile = (key, change) => setFiles((all) => all.map((f) => (f.key === key ? { ...f, ...change } : f)));

  function addFiles(list) {
    const added = uploads.taken(list, files);
    setFiles((all) => [...all, ...added]);
    for (const f of added) {
      if (f.state === "failed") {
        setNews(`${f.name}: ${f.why}`);
        continue;
      }
      sendFile(f);
    }
  }

  // With its key a file that is sent again is one file, also where the gateway had it.
  function sendFile(f) {
    changeFile(f.key, { state: "sending", part: 0, again: false });
    const under = uploads.send(chat, f, (part) => changeFile(f.key, { part }));
    sends.current[f.key] = under;
    under.sent.then(
      (kept) => changeFile(f.key, { state: "ready", kept }),
      (e) => changeFile(f.key, { state: "failed", why: e.message, again: !(e instanceof Refused) || e.status >= 500 || e.status === 429 }),
    ).finally(() => delete sends.current[f.key]);
  }

  function dropFile(f) {
    if (sends.current[f.key]) {
      sends.current[f.key].end();
    }
    if (f.kept) {
      uploads.remove(chat, f.kept.id);
    }
    if (f.preview) {
      URL.revokeObjectURL(f.preview);
    }
    setFiles((all) => all.filter((other) => other.key !== f.key));
  }

  const adding = useRef(addFiles);
  adding.current = addFiles;
  useEffect(() => {
    const carries = (e) => e.dataTransfer && [...e.dataTransfer.types].includes("Files");
    function over(e) {
      if (carries(e)) {
        e.preventDefault();
      }
    }
    function dropped(e) {
      if (carries(e)) {
        e.preventDefault();
        if (!linked) {
          adding.current(e.dataTransfer.files);
        }
      }
    }
    document.addEventListener("dragover", over);
    document.addEventListener("drop", dropped);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", dropped);
    };
  }, []);

  function sendDraft() {
    const body = { message: draft.text.trim() };
    const kept = files.filter((f) => f.state === "ready").map((f) => f.kept);
    if (kept.length > 0) {
      body.files = kept.map((f) => f.id);
    }
    if (options.tools === false) {
      body.enable_tools = false;
    } else if (options.off.length > 0) {
      body.tools = tools.map((t) => t.name).filter((n) => !options.off.includes(n));
    }
    if (options.model) {
      body.model = options.model;
    }
    const key = newKey();
    change((s) => {
      const next = said(s, body.message, key, kept);
      next.entries[next.entries.length - 1].body = body;
      return next;
    });
    pinned.current = true;
    send({ key, body });
    setDraft({ text: "", focus: 0 });
    for (const f of files) {
      if (f.preview && !f.again) {
        URL.revokeObjectURL(f.preview);
      }
    }
    setFiles(files.filter((f) => f.again)); // those that the connection lost stay to be sent again
  }

  async function stop() {
    try {
      await post(`/page/chats/${chat}/stop`);
      setNews("Stopping.");
    } catch (e) {
      setNews(e.message);
    }
  }

  const actions = {
    retry: (entry) => send(entry),
    edit: linked ? undefined : (text) => setDraft({ text, focus: Date.now() }),
    decide: (id, decision) => post(`/page/chats/${chat}/approvals/${id}`, { decision }),
    file: (f) => (f.id ? `/page/chats/${chat}/files/${f.id}` : ""),
    drop: (id) => change((s) => dropped(s, id)),
  };

  async function older() {
    const box = log.current;
    const from = box.scrollHeight - box.scrollTop;
    try {
      const page = await get(`/page/chats/${chat}?before=${state.before}`);
      change((s) => withOlder(s, page));
      requestAnimationFrame(() => {
        box.scrollTop = box.scrollHeight - from;
      });
    } catch (e) {
      setNews(e.message);
    }
  }

  function scrolled() {
    // a window that changes its size moves the end away, and the person did not
    const box = log.current;
    const up = box.scrollTop < lastTop.current - 2;
    lastTop.current = box.scrollTop;
    if (box.scrollHeight - box.scrollTop - box.clientHeight < near) {
      pinned.current = true;
    } else if (up) {
      pinned.current = false;
    }
    setAway(!pinned.current);
  }

  function toEnd() {
    pinned.current = true;
    log.current.scrollTop = log.current.scrollHeight;
    setAway(false);
  }

  useLayoutEffect(() => {
    const box = log.current;
    const grown = new ResizeObserver(() => {
      if (pinned.current && current.current.entries.length > 0) {
        box.scrollTop = box.scrollHeight;
      }
    });
    grown.observe(box.firstElementChild);
    grown.observe(box);
    return () => grown.disconnect();
  }, []);

  const waiting = state.entries.some((e) => waits(e) && e.state !== "failed");
  const working = state.running !== "" || waiting;
  const silent = state.running !== "" && !state.entries.some((e) => e.turn === state.running && (e.live || e.state === "running"));
  return html`
    ${line === "lost" && html`<div class="strip lost" role="alert"><${Icon} name="warn" /> The connection is gone. The page tries again; no word is lost.</div>`}
    ${line === "back" && html`<div class="strip back" role="status"><${Icon} name="check" /> Connected again.</div>`}
    <h2 class="offscreen">Conversation</h2>
    <div class="log" ref=${log} onScroll=${scrolled} tabindex="0" role="log" aria-label="Conversation" aria-busy=${state.running ? "true" : "false"}>
      <div class="column">
        ${state.before > 0 && html`<button type="button" class="link older" onClick=${older}>Show earlier messages</button>`}
        ${state.entries.length === 0 && line !== "loading" && html`<div class="hello"><span class="brand" aria-hidden="true"></span>
          <h2>${linked ? "No words yet" : "What can I do for you?"}</h2>
          ${!linked && html`<p class="muted">Ask a question, or ask for something to be done: each tool that runs shows up here with its arguments and its result.</p>`}</div>`}
        ${state.entries.map((e) => html`<${Entry} key=${e.as || e.kind + e.id} entry=${e} actions=${actions} />`)}
        ${(silent || waiting && !state.running) && html`<p class="thinking"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>
          <span class="offscreen">The assistant is working</span></p>`}
      </div>
    </div>
    <div class="below">
      ${away && html`<button type="button" class="newest" onClick=${toEnd}><${Icon} name="down" /> Newest</button>`}
      ${linked ? html`<p class="elsewhere" id="message" tabindex="-1">This chat is on ${channelName((chats.find((c) => c.chat === chat) || {}).channel)}: the page
          shows it. Write there.</p>` : html`<${Composer} draft=${draft} setDraft=${setDraft} running=${working} send=${sendDraft} stop=${stop} options=${options} setOptions=${setOptions}
        tools=${tools} models=${models} files=${files} addFiles=${addFiles} dropFile=${dropFile} resendFile=${sendFile} />`}
      <p class="status" role="status">${news ? html`<span class="offscreen">${news}</span>` : null}
        ${state.usage && !state.running && state.usage.input + state.usage.output > 0 ? `${state.usage.input.toLocaleString()} tokens read, ${state.usage.output.toLocaleString()} written` : ""}</p>
    </div>`;
}

// answered asks for each message on its way what the gateway has of it: done are the keys of those
// whose turns are over, which stand in the chat that was read, and ids the stored ids of the others.
// The gateway knows each by its key, so that asking again sends none twice.
async function answered(chat, state) {
  const all = { done: [], ids: {} };
  for (const e of state.entries) {
    if (e.kind !== "user" || !e.key || !e.body || e.state === "failed") {
      continue;
    }
    try {
      const a = await post(`/page/chats/${chat}/messages`, e.body, { "Idempotency-Key": e.key });
      if (a.after === "0-0") {
        all.done.push(e.key);
      } else {
        all.ids[e.key] = a.message;
      }
    } catch {
      // it is sent again behind the reading
    }
  }
  return all;
}
