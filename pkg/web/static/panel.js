// The panel of a chat: its background tasks, its schedules and what it has used.
import { html, Icon, useEffect, useRef, useState } from "./lib.js";
import { get, post } from "./api.js";
import { clock } from "./entries.js";

/** Panel reads the work of a chat when it opens, and again with each tick. */
export function Panel({ chat, tick, close }) {
  const [work, setWork] = useState(null);
  const [said, setSaid] = useState("");
  const head = useRef(null);
  async function read() {
    try {
      setWork(await get(`/page/chats/${chat}/work`));
    } catch (e) {
      setSaid(e.message);
    }
  }
  useEffect(() => {
    read();
  }, [chat, tick]);
  useEffect(() => head.current.focus(), []);
  async function end(path, done) {
    setSaid("");
    try {
      await post(`/page/chats/${chat}/${path}`);
      setSaid(done);
      head.current.focus(); // the button is gone
    } catch (e) {
      setSaid(e.message);
    }
    read();
  }
  return html`<aside class="panel" aria-label="Work of this chat" onKeyDown=${(e) => e.key === "Escape" && close()}>
    <div class="panel-head"><h2 tabindex="-1" ref=${head}>Work of this chat</h2><span class="grow"></span>
      <button type="button" class="quiet" aria-label="Close the panel" onClick=${close}><${Icon} name="close" /></button></div>
    <p class="said" role="status">${said}</p>
    ${work && html`
      <h3>Background tasks</h3>
      ${work.tasks.length === 0 && html`<p class="muted">None.</p>`}
      <ul>${work.tasks.map((t) => html`<li key=${t.id}>
        <b>${t.name || t.tool}</b> <span class="muted">${t.name ? `${t.tool}, ` : ""}${t.state === "running"
          ? `runs since ${clock(t.started)}, until ${clock(t.until)} at most` : `${t.state.replace(/_/g, " ")}, ${clock(t.ended)}`}</span>
        ${t.mine && html`<button type="button" class="link" aria-label=${`Stop ${t.name || t.tool}`}
          onClick=${() => end(`tasks/${t.id}/cancel`, "The task is stopped.")}>Stop</button>`}
      </li>`)}</ul>
      <h3>Schedules</h3>
      ${work.jobs.length === 0 && html`<p class="muted">None. Ask for a reminder to make one.</p>`}
      <ul>${work.jobs.map((j) => html`<li key=${j.id}>
        <b>${j.text}</b> <span class="muted">${j.when}; ${j.paused ? `paused${j.why ? `: ${j.why}` : ""}` : `next ${clock(j.due)}`}</span>
        ${j.mine && html`<button type="button" class="link" aria-label=${`Remove the schedule ${j.text}`}
          onClick=${() => end(`jobs/${j.id}/remove`, "The schedule is removed.")}>Remove</button>`}
      </li>`)}</ul>
      <h3>Use</h3>
      ${work.days.length === 0 ? html`<p class="muted">No model was asked in this chat in the last days.</p>`
        : html`<${Uses} label="Use by day" first="Day" rows=${work.days.map((d) => [d.day === work.today ? "today" : d.day, d])}
          currency=${work.currency} />`}
      ${work.turns.length > 0 && html`<${Uses} label="Use of the last turns" first="Turn"
        rows=${work.turns.map((t) => [clock(t.ended), t])} currency=${work.currency} />`}`}
  </aside>`;
}

function Uses({ label, first, rows, currency }) {
  const paid = rows.some(([, u]) => u.money);
  return html`<table class="uses" aria-label=${label}><thead><tr><th scope="col">${first}</th><th scope="col">Read</th><th scope="col">Written</th>
    ${paid && html`<th scope="col">Cost</th>`}</tr></thead>
    <tbody>${rows.map(([name, u], i) => html`<tr key=${i}><th scope="row">${name}</th><td>${(u.input || 0).toLocaleString()}</td>
      <td>${(u.output || 0).toLocaleString()}</td>${paid && html`<td>${((u.money || 0) / 1e6).toFixed(4)} ${currency}</td>`}</tr>`)}</tbody></table>`;
}
