// The views of owners: how the gateway does, the approvals of all chats, the tools, the audit log.
import { html, Icon, useEffect, useRef, useState } from "./lib.js";
import { get, post } from "./api.js";
import { clock, Asked } from "./entries.js";

const views = { status: "Status", approvals: "Approvals", tools: "Tools", audit: "Audit log" };

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
      setValues((await get(`/page/owner/${view}`)).values);
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
      ${values && html`<${shown[view]} values=${values} say=${setSaid} read=${read} />`}
    </div>
  </main>`;
}

function Table({ label, columns, rows }) {
  if (rows.length === 0) {
    return html`<p class="muted">None.</p>`;
  }
  return html`<table class="rows" role="table" aria-label=${label}>
    <thead role="rowgroup"><tr role="row">${columns.map((c) => html`<th key=${c} scope="col" role="columnheader">${c}</th>`)}</tr></thead>
    <tbody role="rowgroup">${rows.map((row, i) => html`<tr key=${i} role="row">${row.map((cell, j) => html`<td key=${j} role="cell">
      <span class="label" aria-hidden="true">${columns[j]}</span><span>${cell === undefined || cell === "" ? "–" : cell}</span></td>`)}</tr>`)}</tbody></table>`;
}

function Status({ values }) {
  const s = values[0] || {};
  const store = s.store || {};
  return html`
    ${(s.trouble || []).map((t) => html`<div class="note bad" key=${t}><${Icon} name="warn" /><p>${t}</p></div>`)}
    <${Table} label="The gateway" columns=${["What", "Value"]} rows=${[
      ["Version", s.version], ["Runs since", s.since ? clock(s.since) : ""], ["Model", s.model], ["Because", s.why],
      ["Messages that wait", store.waiting], ["Messages on their way out", store.sending], ["Background tasks", store.open_tasks],
      ["Refused by platforms", store.refused], ["Damaged records", store.corrupt],
    ]} />
    <h2>Channels</h2>
    <${Table} label="Channels" columns=${["Channel", "Account", "State", "Reason"]}
      rows=${(s.channels || []).map((c) => [c.name, c.account, c.health.state, c.health.reason || c.health.detail])} />`;
}

function Approvals({ values, say, read }) {
  const open = values.filter((q) => q.state === "open");
  const rest = values.filter((q) => q.state !== "open").reverse();
  async function answer(q, decision) {
    try {
      await post(`/page/owner/approvals/${q.id}`, { decision });
      say(decision === "deny" ? `Denied: ${q.tool} in ${q.chat}.` : `Allowed once: ${q.tool} in ${q.chat}.`);
    } catch (e) {
      say(e.message);
    }
    read();
  }
  return html`
    ${open.length === 0 && html`<p class="muted">No question is open.</p>`}
    ${open.map((q) => html`<section class="question open" key=${q.id} aria-label=${`Approval of ${q.tool}`}>
      <h2><${Icon} name="warn" /> ${q.tool}</h2>
      <p class="muted">In ${q.chat}, for ${q.who}, until ${clock(q.until)}</p>
      <${Asked} text=${q.text} />
      <div class="choices"><button type="button" class="allow_once" onClick=${() => answer(q, "allow_once")}>Allow once</button>
        <button type="button" class="deny" onClick=${() => answer(q, "deny")}>Deny</button></div>
    </section>`)}
    <h2>Answered and over</h2>
    <${Table} label="Answered and over" columns=${["Tool", "Chat", "For", "State", "By", "Until"]}
      rows=${rest.map((q) => [q.tool, q.chat, q.who, q.state, q.by, clock(q.until)])} />`;
}

function Tools({ values }) {
  const sum = (all) => Object.values(all || {}).reduce((a, b) => a + b, 0);
  return html`<${Table} label="Tools" columns=${["Tool", "Level", "Changes", "Asks", "Picked", "Run", "Refused", "Failed", "Off because"]}
    rows=${values.map((t) => {
      const s = t.stats || {};
      return [t.name, t.level, t.changes, t.asked, s.picks || 0, s.runs || 0, sum(s.refused), sum(s.errors), t.disabled];
    })} />`;
}

function Audit({ values }) {
  return html`<p class="muted">The newest 200 rows; <code>parley audit show</code> has all.</p>
    <${Table} label="Audit log" columns=${["Row", "Time", "Kind", "Chat", "Who", "Tool", "Outcome", "Detail"]}
      rows=${values.map((r) => [r.seq, clock(r.time), r.kind, r.chat ? `${r.channel}:${r.chat}` : r.channel, r.sender, r.tool, r.outcome, r.detail])} />`;
}

const shown = { status: Status, approvals: Approvals, tools: Tools, audit: Audit };
