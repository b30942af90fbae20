// The views of owners: how the gateway does, the approvals of all chats, the tools and their calls, the audit log.
import { html, Icon, useEffect, useRef, useState } from "./lib.js";
import { get, post } from "./api.js";
import { clock, decisions, words, Asked } from "./entries.js";
import { visible } from "./visible.js";

const views = { status: "Status", approvals: "Approvals", tools: "Tools", telemetry: "Calls of tools", audit: "Audit log" };

/** viewOfAddress is the view that an address names, or "". */
export function viewOfAddress() {
  const found = /^#owner\/([a-z]+)$/.exec(location.hash);
  return found && views[found[1]] ? found[1] : "";
}

export function Owner({ view, opener }) {
  const [values, setValues] = useState(null);
  const [said, setSaid] = useState("");
  const head = useRef(null);
  async function read() {
    try {
      setValues({ view, all: (await get(`/page/owner/${view}`)).values });
    } catch (e) {
      setSaid(e.message);
    }
  }
  useEffect(() => {
    setValues(null);
    setSaid("");
    head.current.focus();
    read();
  }, [view]);
  return html`<main class="owner">
    <header class="bar">${opener}<h1 tabindex="-1" ref=${head}>${views[view]}</h1><span class="grow"></span>
      <button type="button" class="quiet words" onClick=${read}>Read again</button></header>
    <nav class="views" aria-label="Views of the owner">${Object.entries(views).map(([name, title]) => html`<a key=${name} href=${`#owner/${name}`}
      aria-current=${name === view ? "page" : undefined}>${title}</a>`)}</nav>
    <div id="sheet" class="sheet" tabindex="0" role="region" aria-label=${views[view]}>
      <p role="status">${said}</p>
      ${values && values.view === view && html`<${shown[view]} values=${values.all} say=${setSaid} read=${read} head=${head} />`}
    </div>
  </main>`;
}

function Table({ label, columns, rows, pairs }) {
  if (rows.length === 0) {
    return html`<p class="muted">None.</p>`;
  }
  return html`<table class=${pairs ? "rows pairs" : "rows"} role="table" aria-label=${label}>
    <thead role="rowgroup"><tr role="row">${columns.map((c) => html`<th key=${c} scope="col" role="columnheader">${c}</th>`)}</tr></thead>
    <tbody role="rowgroup">${rows.map((row, i) => html`<tr key=${i} role="row">${row.map((cell, j) => {
      const none = cell === undefined || cell === "";
      return html`<td key=${j} role="cell" class=${none ? "none" : undefined}>
        <span class="label" aria-hidden="true">${columns[j]}</span><span>${none ? "–" : typeof cell === "string" ? visible(cell) : cell}</span></td>`;
    })}</tr>`)}</tbody></table>`;
}

function Status({ values }) {
  const s = values[0] || {};
  const store = s.store || {};
  return html`
    ${(s.trouble || []).map((t) => html`<div class="note bad" key=${t}><${Icon} name="warn" /><p>${t}</p></div>`)}
    <${Table} label="The gateway" pairs=${true} columns=${["Property", "Value"]} rows=${[
      ["Version", s.version], ["Runs since", s.since ? clock(s.since) : ""], ["Model", s.model], ["Because", s.why],
      ["Messages that wait", store.waiting], ["Messages on their way out", store.sending], ["Background tasks", store.open_tasks],
      ["Refused by platforms", store.refused], ["Damaged records", store.corrupt],
    ]} />
    <h2>Channels</h2>
    <${Table} label="Channels" columns=${["Channel", "Account", "State", "Reason"]}
      rows=${(s.channels || []).map((c) => [c.name, c.account, c.health.state, c.health.reason || c.health.detail])} />`;
}

function Approvals({ values, say, read, head }) {
  const [answered, setAnswered] = useState([]); // their chats carry the answers out next
  const open = values.filter((q) => q.state === "open" && !answered.includes(q.id));
  const rest = values.filter((q) => !open.includes(q)).reverse();
  async function answer(q, decision) {
    head.current.focus(); // the buttons go
    try {
      await post(`/page/owner/approvals/${q.id}`, { decision });
      setAnswered((all) => [...all, q.id]);
      say(`${decisions[decision]}: ${q.tool} in ${q.chat}.`);
    } catch (e) {
      say(e.message);
    }
    read();
  }
  return html`
    ${open.length === 0 && html`<p class="muted">No question is open.</p>`}
    ${open.map((q) => html`<section class="question open" key=${q.id} aria-label=${`Approval of ${q.tool}`}>
      <h2><${Icon} name="warn" /> ${q.tool}</h2>
      <p class="muted">In ${visible(q.chat)}, for ${visible(q.who)}, until ${clock(q.until)}</p>
      <${Asked} text=${q.text} />
      <div class="choices">${(q.grantable ? ["allow_once", "allow_here", "deny"] : ["allow_once", "deny"]).map((c) => html`<button
        type="button" key=${c} class=${c} onClick=${() => answer(q, c)}>${words[c]}</button>`)}</div>
    </section>`)}
    <h2>Answered and over</h2>
    <${Table} label="Answered and over" columns=${["Tool", "Chat", "For", "State", "By", "Until"]}
      rows=${rest.map((q) => [q.tool, q.chat, q.who, q.state === "open" ? "answered" : q.state, q.by, clock(q.until)])} />`;
}

function Tools({ values }) {
  return html`<${Table} label="Tools" columns=${["Tool", "Level", "Changes", "Asks", "Off because"]}
    rows=${values.map((t) => [t.name, t.level, t.changes, t.asked, t.disabled])} />`;
}

function Calls({ values }) {
  const sum = (all) => Object.values(all || {}).reduce((a, b) => a + b, 0);
  return html`<p class="muted">The last 7 days; <code>parley tool stats --days 90</code> has all that is kept.</p>
    <${Table} label="Calls of tools"
      columns=${["Tool", "Model", "Offered", "Picked", "Run", "From memory", "Refused", "Denied", "Failed", "Average"]}
      rows=${values.map((r) => [r.tool || "(no such tool)", r.model, r.offered, r.picks, r.runs, r.memo, sum(r.refused), r.denied, sum(r.errors),
        r.runs ? `${Math.round(r.total / r.runs / 1e4) / 100} ms` : ""])} />`;
}

function Audit({ values }) {
  return html`<p class="muted">The newest 200 rows; <code>parley audit show</code> has all.</p>
    <${Table} label="Audit log" columns=${["Time", "Kind", "Outcome", "Tool", "Chat", "Who", "Row", "Detail"]}
      rows=${values.map((r) => [clock(r.time), r.kind, r.outcome, r.tool, r.chat ? `${r.channel}:${r.chat}` : r.channel, r.sender, r.seq, r.detail])} />`;
}

const shown = { status: Status, approvals: Approvals, tools: Tools, telemetry: Calls, audit: Audit };
