// The list of chats, with a search.
import { html, Icon, useEffect, useRef, useState } from "./lib.js";
import { newKey } from "./api.js";
import { clock } from "./entries.js";
import { LinkForm, channelName } from "./links.js";

export function Sidebar({ me, chats, chat, out, close, drawer, linked }) {
  const [search, setSearch] = useState("");
  const first = useRef(null);
  useEffect(() => {
    if (drawer) {
      first.current.focus();
    }
  }, [drawer]);
  const known = chats.some((c) => c.chat === chat) ? chats : [{ chat, title: "New chat" }, ...chats];
  const wanted = search.trim().toLowerCase();
  const shown = known.filter((c) => !wanted || titleOf(c).toLowerCase().includes(wanted));
  return html`<nav class="side" aria-label="Chats">
    <div class="head">
      <span class="brand" aria-hidden="true"></span><b>Parley</b><span class="grow"></span>
      <button type="button" class="quiet only-narrow" aria-label="Close the list" onClick=${close}><${Icon} name="close" /></button>
    </div>
    <a class="new" ref=${first} href=${`#/${newKey().slice(0, 12)}`}><${Icon} name="plus" /> New chat</a>
    <div class="search"><${Icon} name="search" />
      <input type="search" aria-label="Search the chats" placeholder="Search" value=${search} onInput=${(e) => setSearch(e.target.value)} /></div>
    <ul class="chats">${shown.map((c) => html`<li key=${c.chat}>
      <a href=${`#/${c.chat}`} aria-current=${c.chat === chat ? "page" : undefined}>
        <span class="title">${titleOf(c)}${c.channel && html` <span class="muted channel">${channelName(c.channel)}</span>`}</span>
        ${c.chat !== chat && html`<${News} row=${c} />`}
        ${c.time && html`<time class="muted" datetime=${c.time}>${clock(c.time)}</time>`}
      </a></li>`)}
      ${shown.length === 0 && html`<li class="muted none">No chat has these words.</li>`}
    </ul>
    <${LinkForm} done=${linked} />
    ${me.owner && html`<a class="for-owner" href="#owner/status"><${Icon} name="gear" /> The gateway</a>`}
    <div class="foot">
      <span class="who"><b>${me.person.replace(/^web:/, "")}</b><span class="muted">${me.owner ? "owner" : me.level}</span></span>
      <button type="button" class="quiet" aria-label="Log out" title="Log out" onClick=${out}><${Icon} name="out" /></button>
    </div>
  </nav>`;
}

// What is new in a chat: a question counts as long as it is open.
function News({ row }) {
  return html`${row.asks > 0 && html`<span class="asks"><${Icon} name="warn" /><span class="offscreen">asks for an approval</span></span>`}
    ${row.unread > 0 && html`<span class="unread">${row.unread > 99 ? "99+" : row.unread}<span class="offscreen"> new</span></span>`}`;
}

export function titleOf(c) {
  return c.title || (c.chat === "main" ? "Main chat" : "Chat");
}
