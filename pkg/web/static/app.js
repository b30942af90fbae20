// The page: who is logged in, which chat is open, and the frame around it.
import { html, Icon, render, useCallback, useEffect, useRef, useState } from "./lib.js";
import { Refused, get, pause, post } from "./api.js";
import { Login, takeLink } from "./login.js";
import { Conversation } from "./conversation.js";
import { Sidebar } from "./sidebar.js";
import { Owner, viewOfAddress } from "./owner.js";
import { Panel } from "./panel.js";
import { isLinked, unlink } from "./links.js";

function App() {
  const [me, setMe] = useState(undefined); // null: nobody is logged in
  const [problem, setProblem] = useState("");
  const [chat, setChat] = useState(chatOfAddress());
  const [chats, setChats] = useState([]);
  const [drawer, setDrawer] = useState(false);
  const [view, setView] = useState(viewOfAddress());
  const [panel, setPanel] = useState(false);
  const [tick, setTick] = useState(0); // something has happened in the open chat
  const opener = useRef(null);
  const panelOpener = useRef(null);

  const enter = useCallback(async () => {
    for (;;) {
      try {
        setMe(await get("/page/me"));
        return;
      } catch (e) {
        if (e instanceof Refused && e.status === 401) {
          setMe(null);
          return;
        }
        await pause(2000);
      }
    }
  }, []);

  const list = useCallback(async () => {
    try {
      setChats((await get("/page/chats")).chats || []);
    } catch {
      // the list is read again when the stream comes back
    }
  }, []);

  // A chat that has changed takes its place in the list; one of a single request is there while it asks.
  const changed = useCallback((row) => {
    setTick((n) => n + 1);
    const rows = row.asks || !row.chat.startsWith("once-") ? [row] : [];
    setChats((all) => byTime([...rows, ...all.filter((c) => c.chat !== row.chat)]));
  }, []);

  useEffect(() => {
    (async () => {
      setProblem(await takeLink());
      await enter();
    })();
    async function moved() {
      if (location.hash.startsWith("#login=")) {
        setProblem(await takeLink());
        await enter();
        return;
      }
      setView(viewOfAddress());
      setChat((now) => (viewOfAddress() ? now : chatOfAddress()));
      setDrawer(false);
    }
    window.addEventListener("hashchange", moved);
    return () => window.removeEventListener("hashchange", moved);
  }, []);

  const found = chats.find((c) => c.chat === chat);
  const others = chats.filter((c) => c.chat !== chat && (c.unread || c.asks)).length;
  useEffect(() => {
    document.title = `${others ? `(${others}) ` : ""}${(found && found.title) || "Chat"} · Parley`;
  }, [found, others]);

  function closeDrawer() {
    setDrawer(false);
    if (opener.current) {
      opener.current.focus();
    }
  }

  function closePanel() {
    setPanel(false);
    if (panelOpener.current) {
      panelOpener.current.focus();
    }
  }

  async function out() {
    try {
      await post("/page/logout");
    } finally {
      setMe(null);
    }
  }

  function open(chat) {
    list();
    location.hash = `#/${chat}`;
  }

  async function away() {
    try {
      await unlink(chat);
    } catch (e) {
      if (e instanceof Refused && e.status === 401) {
        setMe(null);
        return;
      }
    }
    open("main"); // where the chat is still there, the list says so
  }

  if (me === undefined) {
    return html`<main class="login" aria-busy="true"></main>`;
  }
  if (me === null) {
    return html`<${Login} problem=${problem} done=${enter} />`;
  }
  const owned = me.owner && view;
  const linked = isLinked(chat);
  const withPanel = panel && !linked;
  const menu = html`<button type="button" class="quiet only-narrow" aria-label=${others ? `Chats, news in ${others}` : "Chats"} aria-expanded=${drawer ? "true" : "false"}
    ref=${opener} onClick=${() => setDrawer(!drawer)}><${Icon} name="menu" />${others > 0 && html`<span class="dot" aria-hidden="true"></span>`}</button>`;
  return html`<div class=${`frame ${drawer ? "drawn" : ""}`} onKeyDown=${(e) => e.key === "Escape" && drawer && closeDrawer()}>
    <a class="skip" href=${owned ? "#sheet" : "#message"} onClick=${skip}>${owned ? "Skip to the view" : "Skip to the message"}</a>
    <${Sidebar} me=${me} chats=${chats} chat=${chat} owned=${owned} out=${out} close=${closeDrawer} drawer=${drawer} linked=${open} />
    <button type="button" class="veil" tabindex="-1" aria-hidden="true" onClick=${closeDrawer}></button>
    ${owned ? html`<${Owner} view=${view} opener=${menu} />` : html`<main class=${withPanel ? "with-panel" : ""}>
      <header class="bar">
        ${menu}
        <h1>${(found && found.title) || "New chat"}</h1>
        <span class="grow"></span>
        ${linked ? html`<button type="button" class="quiet words" onClick=${away}>Take off the page</button>`
          : html`<button type="button" class="quiet" aria-label="Work of this chat" title="Tasks, schedules and use" ref=${panelOpener}
          aria-expanded=${panel ? "true" : "false"} onClick=${() => (panel ? closePanel() : setPanel(true))}><${Icon} name="clock" /></button>`}
      </header>
      <${Conversation} key=${chat} chat=${chat} me=${me} list=${list} changed=${changed} chats=${chats} out=${() => setMe(null)} gone=${() => open("main")} />
      ${withPanel && html`<${Panel} key=${chat} chat=${chat} tick=${tick} close=${closePanel} />`}
    </main>`}
  </div>`;
}

function byTime(chats) {
  return chats.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
}

function skip(e) {
  e.preventDefault();
  (document.getElementById("message") || document.getElementById("sheet")).focus();
}

// The open chat stands in the address, so that a reload and a second tab find it.
function chatOfAddress() {
  const found = /^#\/([A-Za-z0-9_-]{1,64})$/.exec(location.hash);
  return found ? found[1] : "main";
}

render(html`<${App} />`, document.getElementById("app"));
