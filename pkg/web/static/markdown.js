// Markdown as nodes. The gateway makes a tree of a text, and the page makes elements and text nodes
// of that: no text is ever read as markup.
import { html, Icon, useEffect, useRef, useState } from "./lib.js";
import { pause, post } from "./api.js";

const known = new Map(); // trees by their text
const most = 600;
let asked = new Map(); // texts to ask for, with those that wait for them
let timer = 0;

function keep(text, tree) {
  known.set(text, tree);
  while (known.size > most) {
    known.delete(known.keys().next().value);
  }
}

// treeOf asks for the trees of all texts of a moment in one request.
function treeOf(text) {
  return new Promise((done) => {
    asked.set(text, [...(asked.get(text) || []), done]);
    if (!timer) {
      timer = setTimeout(ask, 0);
    }
  });
}

async function ask() {
  timer = 0;
  const all = [...asked];
  asked = new Map();
  const most = 100;
  for (let i = 0; i < all.length; i += most) {
    const some = all.slice(i, i + most);
    let trees = [];
    try {
      trees = (await post("/page/markdown", { texts: some.map(([text]) => text) })).trees;
    } catch {
      trees = []; // the text stays as it is
    }
    some.forEach(([text, waiting], at) => {
      if (trees[at]) {
        keep(text, trees[at]);
      }
      waiting.forEach((done) => done(trees[at] || null));
    });
  }
}

/** Markdown shows a text; while it grows, the tree of what there was a moment ago. */
export function Markdown({ text }) {
  const [tree, setTree] = useState(() => known.get(text) || null);
  const latest = useRef(text);
  const busy = useRef(false);
  const gone = useRef(false);
  async function work() {
    busy.current = true;
    for (let last = tree && known.get(text) === tree ? text : null; !gone.current && last !== latest.current;) {
      last = latest.current;
      const t = known.get(last) || await treeOf(last);
      if (t && !gone.current) {
        setTree(t);
      }
      await pause(80);
    }
    busy.current = false;
  }
  useEffect(() => () => {
    gone.current = true;
  }, []);
  useEffect(() => {
    latest.current = text;
    if (!busy.current) {
      work();
    }
  }, [text]);
  if (!tree) {
    return html`<div class="md plain">${text}</div>`;
  }
  return html`<div class="md">${tree.map(block)}</div>`;
}

function block(n, i) {
  switch (n.t) {
    case "h":
      return html`<${`h${Math.min(n.level + 1, 6)}`} key=${i}>${inline(n.in)}<//>`;
    case "code":
      return html`<${Code} key=${i} text=${n.text || ""} lang=${n.lang || ""} />`;
    case "hr":
      return html`<hr key=${i} />`;
    case "quote":
      return html`<blockquote key=${i}>${(n.kids || []).map(block)}</blockquote>`;
    case "list":
      return n.ordered
        ? html`<ol key=${i} start=${n.start} class=${n.tight ? "tight" : ""}>${(n.kids || []).map(item)}</ol>`
        : html`<ul key=${i} class=${n.tight ? "tight" : ""}>${(n.kids || []).map(item)}</ul>`;
    case "table":
      return html`<div class="table" key=${i} role="group" aria-label="Table" tabindex="0"><table>
        <thead><tr>${(n.head || []).map((c, j) => html`<th key=${j} scope="col" class=${n.align[j]}>${inline(c)}</th>`)}</tr></thead>
        <tbody>${(n.rows || []).map((row, k) => html`<tr key=${k}>${row.map((c, j) =>
          html`<td key=${j} class=${n.align[j]}>${inline(c)}</td>`)}</tr>`)}</tbody>
      </table></div>`;
    default:
      return html`<p key=${i}>${inline(n.in)}</p>`;
  }
}

function item(n, i) {
  const box = n.box ? html`<span class="box" role="img" aria-label=${n.box === "ticked" ? "done" : "open"}>${n.box === "ticked" ? "☑" : "☐"}</span>` : null;
  return html`<li key=${i} class=${n.box ? "task" : ""}>${box}${(n.kids || []).map(block)}</li>`;
}

function inline(spans) {
  return (spans || []).map((s, i) => {
    let x = lines(s.s);
    if (s.c) x = html`<code>${x}</code>`;
    if (s.b) x = html`<strong>${x}</strong>`;
    if (s.i) x = html`<em>${x}</em>`;
    if (s.d) x = html`<s>${x}</s>`;
    // the gateway lets http, https and mailto through; this is the second lock
    if (s.h && /^(https?:\/\/|mailto:)/i.test(s.h)) {
      x = html`<a href=${s.h} target="_blank" rel="noopener noreferrer">${x}</a>`;
    }
    return html`<span key=${i}>${x}</span>`;
  });
}

// A line separator is a line end of the text; others are spaces, as in Markdown.
function lines(text) {
  const all = text.split("\u2028");
  return all.map((line, i) => (i === 0 ? line : [html`<br />`, line.replace(/^\n/, "")]));
}

/** Code is a block of code with a button that copies it. */
export function Code({ text, lang }) {
  return html`<figure class="code">
    <figcaption><span>${lang || "text"}</span><${Copy} text=${text} label="Copy code" /></figcaption>
    <pre tabindex="0"><code>${text}</code></pre>
  </figure>`;
}

/** Copy puts a text on the clipboard. */
export function Copy({ text, label }) {
  const [done, setDone] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyOldWay(text);
    }
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  }
  return html`<button type="button" class="quiet small" onClick=${copy} aria-label=${done ? "Copied" : label} title=${label}>
    <${Icon} name=${done ? "check" : "copy"} /></button>`;
}

// The clipboard of a page over plain http is out of reach of the newer way.
function copyOldWay(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "offscreen";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
