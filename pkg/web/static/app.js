// The page: who is logged in, which chat is open, and the frame around it.
import { html, Icon, render, useCallback, useEffect, useRef, useState } from "./lib.js";
import { Refused, get, pause, post } from "./api.js";
import { Login, takeLink } from "./login.js";
import { Conversation } from "./conversation.js";
import { Sidebar } from "./sidebar.js";

function App() {
  const [me, setMe] = useState(undefined); // null: nobody is logged in
  const [problem, setProblem] = useState("");
  const [chat, setChat] = useState(chatOfAddress());
  const [chats, setChats] = useState([]);
  const [drawer, setDrawer] = useState(false);
  const opener = useRef(null);

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
      setChats((await get("/page/list")).chats || []);
    } catch {
      // the list is read again with the next message
    }
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
      setChat(chatOfAddress());
      setDrawer(false);
    }
    window.addEventListener("hashchange", moved);
    return () => window.removeEventListener("hashchange", moved);
  }, []);

  useEffect(() => {
    if (me) {
      list();
    }
  }, [me, list]);

  useEffect(() => {
    const found = chats.find((c) => c.id === chat);
    document.title = `${(found && found.title) || "Chat"} · Parley`;
  }, [chat, chats]);

  function closeDrawer() {
    setDrawer(false);
    if (opener.current) {
      opener.current.focus();
    }
  }

  async function out() {
    try {
      await post("/page/logout");
    } finally {
      setMe(null);
    }
  }

  if (me === undefined) {
    return html`<main class="login" aria-busy="true"></main>`;
  }
  if (me === null) {
    return html`<${Login} problem=${problem} done=${enter} />`;
  }
  const found = chats.find((c) => c.id === chat);
  return html`<div class=${`frame ${drawer ? "drawn" : ""}`} onKeyDown=${(e) => e.key === "Escape" && drawer && closeDrawer()}>
    <a class="skip" href="#message" onClick=${skip}>Skip to the message</a>
    <${Sidebar} me=${me} chats=${chats} chat=${chat} out=${out} close=${closeDrawer} drawer=${drawer} />
    <button type="button" class="veil" tabindex="-1" aria-hidden="true" onClick=${closeDrawer}></button>
    <main>
      <header class="bar">
        <button type="button" class="quiet only-narrow" aria-label="Chats" aria-expanded=${drawer ? "true" : "false"} ref=${opener}
          onClick=${() => setDrawer(!drawer)}><${Icon} name="menu" /></button>
        <h1>${(found && found.title) || "New chat"}</h1>
        <span class="grow"></span>
      </header>
      <${Conversation} key=${chat} chat=${chat} me=${me} changed=${list} out=${() => setMe(null)} />
    </main>
  </div>`;
}

function skip(e) {
  e.preventDefault();
  document.getElementById("message").focus();
}

// The open chat stands in the address, so that a reload and a second tab find it.
function chatOfAddress() {
  const found = /^#\/([A-Za-z0-9_-]{1,64})$/.exec(location.hash);
  return found ? found[1] : "main";
}

render(html`<${App} />`, document.getElementById("app"));
