// The entries of a chat, each as what a person sees of it.
import { html, Icon, useRef, useState } from "./lib.js";
import { Code, Copy, Markdown } from "./markdown.js";
import { visible } from "./visible.js";
import { bytes, isPicture } from "./files.js";

/** Entry is one entry of a chat. */
export function Entry({ entry, actions }) {
  switch (entry.kind) {
    case "user":
      return html`<${Person} entry=${entry} actions=${actions} />`;
    case "answer":
      return html`<${Answer} entry=${entry} actions=${actions} />`;
    case "reasoning":
      return html`<details class="reasoning"><summary>Thoughts</summary><p>${entry.text}</p></details>`;
    case "words":
      return html`<details class="reasoning"><summary>A note to the assistant</summary><p>${entry.text}</p></details>`;
    case "tool":
      return html`<${Tool} entry=${entry} />`;
    case "question":
      return html`<${Question} entry=${entry} actions=${actions} />`;
    case "error":
      return html`<div class="note bad" role="alert"><${Icon} name="warn" /><p>${entry.text}
        ${entry.ref && html` <span class="muted">In the log: ${entry.ref}</span>`}</p></div>`;
    default:
      return html`<div class="note"><p>${entry.text}</p></div>`;
  }
}

function Person({ entry, actions }) {
  const state = { sending: "sending…", sent: "waiting for its turn", failed: "not sent" }[entry.state];
  return html`<article class=${`person ${entry.undone ? "undone" : ""}`} aria-label="You">
    ${entry.text && html`<div class="bubble">${entry.text}</div>`}
    <${Files} files=${entry.files} actions=${actions} />
    <div class="tools">
      ${entry.undone && html`<span class="muted">taken out</span>`}
      ${state && html`<span class=${entry.state === "failed" ? "bad" : "muted"}>${state}</span>`}
      ${entry.state === "failed" && html`<button type="button" class="link" onClick=${() => actions.retry(entry)}>Try again</button>`}
      ${entry.text && html`<${Copy} text=${entry.text} label="Copy message" />`}
      ${entry.text && actions.edit && html`<button type="button" class="quiet small" aria-label="Edit and send again" title="Edit and send again"
        onClick=${() => actions.edit(entry.text)}><${Icon} name="edit" /></button>`}
    </div>
  </article>`;
}

const origins = { job: "A schedule", task: "Background work" };

function Answer({ entry, actions }) {
  return html`<article class=${`answer ${entry.live ? "live" : entry.undone ? "undone" : ""}`} aria-label="Parley" aria-busy=${entry.live ? "true" : "false"}>
    ${entry.origin && html`<p class="origin"><${Icon} name="clock" /> ${origins[entry.origin] || entry.origin}</p>`}
    <${Markdown} text=${entry.text} />
    ${entry.file && !entry.files && html`<p class="file"><${Icon} name="file" /> ${entry.file}</p>`}
    <${Files} files=${entry.files} actions=${actions} />
    ${!entry.live && !entry.beside && entry.text && html`<div class="tools">
      ${entry.undone && html`<span class="muted">taken out</span>`}<${Copy} text=${entry.text} label="Copy answer" /></div>`}
  </article>`;
}

function Files({ files, actions }) {
  if (!files || files.length === 0) {
    return null;
  }
  return html`<ul class="files">${files.map((f) => html`<li key=${f.id || f.name}>
    ${f.id && isPicture(f.type)
      ? html`<a href=${`${actions.file(f)}?show`} target="_blank" rel="noopener"><img src=${`${actions.file(f)}?show`} alt=${f.name} loading="lazy" /></a>`
      : f.id
        ? html`<a class="chip" href=${actions.file(f)} download=${f.name}><${Icon} name="file" /> <span class="what"><span>${f.name}</span> <span class="muted">${bytes(f.size)}</span></span></a>`
        : html`<span class="chip"><${Icon} name="file" /> <span class="what"><span>${f.name}</span> <span class="muted">no longer kept</span></span></span>`}
  </li>`)}</ul>`;
}

const states = {
  writing: "being written", called: "about to run", running: "running", waiting: "waits for you", ended: "did not end",
};

function Tool({ entry }) {
  const { args, result } = entry;
  const busy = entry.state === "writing" || entry.state === "called" || entry.state === "running";
  const shown = visible(args === undefined ? entry.draft || "" : typeof args === "string" ? args : JSON.stringify(args, null, 2));
  const about = entry.summary && entry.summary.startsWith(`${entry.name}: `) ? entry.summary.slice(entry.name.length + 2) : "";
  const end = entry.state === "done" ? (entry.failed ? "failed" : took(entry.took)) : states[entry.state];
  return html`<details class=${`tool-execution ${busy ? "busy" : entry.failed ? "failed" : entry.state} ${entry.undone ? "undone" : ""}`}>
    <summary>
      <span class="sign"><${Icon} name=${entry.failed ? "warn" : entry.state === "done" ? "check" : "tool"} /></span>
      <span class="call"><b>${visible(entry.name || "tool")}</b>(${about && html`<span class="about">"${visible(about)}"</span>`})</span>
      <span class="end">${entry.progress && busy ? visible(entry.progress) : end}</span>
      <span class="turner"><${Icon} name="down" /></span>
    </summary>
    <div class="inside">
      <h2>Arguments</h2>
      <pre tabindex="0">${shown || "{}"}</pre>
      ${result !== undefined && html`<h2>${entry.failed ? "Error" : "Result"} <${Copy} text=${result} label="Copy result" /></h2>
        <pre tabindex="0">${visible(pretty(result))}</pre>`}
      ${entry.took !== undefined && html`<p class="muted">Took ${took(entry.took) || "less than a millisecond"}</p>`}
    </div>
  </details>`;
}

function took(ms) {
  if (!ms) {
    return "";
  }
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function pretty(text) {
  if (!/^[[{]/.test(text)) {
    return text;
  }
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// The call stands in the middle of a question, between two fences: it is shown whole and as it is.
export function Asked({ text }) {
  const parts = /^([\s\S]*?)\n+(`{3,})\n([\s\S]*)\n\2(?:\n+([\s\S]*))?$/.exec(text);
  if (!parts) {
    return html`<pre tabindex="0">${visible(text)}</pre>`;
  }
  return html`<p class="asked">${visible(parts[1]).replace(/`/g, "")}</p><pre tabindex="0">${visible(parts[3])}</pre>
    ${parts[4] && html`<p class="muted fine">${visible(parts[4])}</p>`}`;
}

/** words are those on the buttons of a question, decisions those that tell what became of it. */
export const words = { allow_once: "Allow once", allow_here: "Allow here", deny: "Deny" };
export const decisions = {
  allow_once: "Allowed once", allow_here: "Allowed here for a day", deny: "Denied", void: "No longer open", given_up: "No longer open",
};

function Question({ entry, actions }) {
  const [sent, setSent] = useState("");
  const [failed, setFailed] = useState("");
  const head = useRef(null);
  const over = entry.expires && new Date(entry.expires) < new Date();
  async function answer(choice) {
    setSent(choice);
    setFailed("");
    head.current.focus(); // the buttons go
    try {
      await actions.decide(entry.id, choice);
    } catch (e) {
      setSent("");
      setFailed(e.message);
    }
  }
  const open = !entry.decision && !over;
  return html`<section class=${`question ${open ? "open" : ""}`} aria-label=${`Approval of ${entry.name}`}>
    <h2 tabindex="-1" ref=${head}><${Icon} name=${open ? "warn" : entry.decision === "deny" ? "close" : "check"} /> ${open ? "May this run?" : entry.name}</h2>
    <${Asked} text=${entry.text} />
    ${open
      ? html`<div class="choices">${entry.choices.map((c) => html`<button type="button" key=${c} class=${c} disabled=${sent !== ""}
          onClick=${() => answer(c)}>${words[c] || c}</button>`)}</div>
        <p class="muted" role="status">${sent ? "Your answer is on its way…" : ""}</p>`
      : html`<p class="muted">${entry.decision
          ? `${decisions[entry.decision] || entry.decision}${entry.by ? ` by ${entry.by.replace(/^web:/, "")}` : ""}`
          : "The time for an answer is over: the assistant asks again when it makes the call again."}</p>`}
    ${failed && html`<p class="bad" role="alert">${failed}</p>`}
  </section>`;
}

/** clock is the local time of an instant, with the day where it is another one. */
export function clock(time) {
  const t = new Date(time);
  const day = t.toDateString() === new Date().toDateString() ? "" : `${t.toLocaleDateString(undefined, { day: "numeric", month: "short" })}, `;
  return day + t.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

export { Code };
