// The list of chats, with a search.
import { html, Icon, useEffect, useRef, useState } from "./lib.js";
import { get, newKey } from "./api.js";
import { clock } from "./entries.js";
import { LinkForm, channelName } from "./links.js";

export function Sidebar({ me, chats, chat, owned, out, close, drawer, linked }) {
  const [search, setSearch] = useState("");
  const first = useRef(null);
  useEffect(() => {
    if (drawer) {
      first.current.focus();
    }
  }, [drawer]);
  const wanted = search.trim().toLowerCase();
  const older = useOlder(wanted);
  const known = chats.some((c) => c.chat === chat) ? chats : [{ chat, title: "New chat" }, ...chats];
  const shown = known.filter((c) => !wanted || titleOf(c).toLowerCase().includes(wanted));
  shown.push(...older.filter((c) => !known.some((k) => k.chat === c.chat)));
  return html`<nav class="side" aria-label="Chats">
    <div class="head">
      <span class="brand" aria-hidden="true"></span><b>Parley</b><span class="grow"></span>
      <button type="button" class="quiet only-narrow" aria-label="Close the list" onClick=${close}><${Icon} name="close" /></button>
    </div>
    <a class="new" ref=${first} href=${`#/${newKey().slice(0, 12)}`}><${Icon} name="plus" /> New chat</a>
    <div class="search"><${Icon} name="search" />
      <input type="search" aria-label="Search the chats" placeholder="Search" value=${search} onInput=${(e) => setSearch(e.target.value)} /></div>
    <ul class="chats">${shown.map((c) => html`<li key=${c.chat}>
      <a href=${`#/${c.chat}`} aria-current=${c.chat === chat && !owned ? "page" : undefined}>
        <span class="title">${titleOf(c)}${c.channel && html` <span class="muted channel">${channelName(c.channel)}</span>`}</span>
        ${c.chat !== chat && html`<${News} row=${c} />`}
        ${c.time && html`<time class="muted" datetime=${c.time}>${clock(c.time)}</time>`}
      </a></li>`)}
      ${shown.length === 0 && html`<li class="muted none">No chat has these words.</li>`}
    </ul>
    <${LinkForm} done=${linked} />
    ${me.owner && html`<a class="for-owner" href="#owner/status" aria-current=${owned ? "page" : undefined}><${Icon} name="gear" /> The gateway</a>`}
    <div class="foot">
      <span class="who"><b>${me.person.replace(/^web:/, "")}</b><span class="muted">${me.owner ? "owner" : me.level}</span></span>
      <button type="button" class="quiet" aria-label="Log out" title="Log out" onClick=${out}><${Icon} name="out" /></button>
    </div>
  </nav>`;
}

// useOlder finds chats that the list does not reach.
function useOlder(wanted) {
  const [found, setFound] = useState({ wanted: "", chats: [] });
  useEffect(() => {
    let left = false;
    const timer = wanted && setTimeout(async () => {
      try {
        const { chats } = await get(`/page/chats?q=${encodeURIComponent(wanted)}`);
        if (!left) {
          setFound({ wanted, chats });
        }
      } catch {
        // the chats of the list are searched all the same
      }
    }, 250);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [wanted]);
  return wanted && found.wanted === wanted ? found.chats : [];
}

// What is new in a chat: a question counts as long as it is open.
function News({ row }) {
  return html`${row.asks > 0 && html`<span class="asks"><${Icon} name="warn" /><span class="offscreen">asks for an approval</span></span>`}
    ${row.unread > 0 && html`<span class="unread">${row.unread > 99 ? "99+" : row.unread}<span class="offscreen"> new</span></span>`}`;
}

export function titleOf(c) {
  return c.title || (c.chat === "main" ? "Main chat" : "Chat");
}
