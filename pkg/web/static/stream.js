// One stream of events for the open chat. It comes back by itself, from the id of its last event,
// and reads the chat anew where the gateway has not kept the events.
import { Refused, get } from "./api.js";
import { isLinked } from "./links.js";

const names = [
  "turn", "joined", "token", "reasoning", "restart", "tool_call_delta", "tool_call", "tool_executing", "tool_progress", "tool_result",
  "confirmation_required", "confirmation_resolved", "message", "notice", "error", "done", "chat_changed",
];

const hiddenFor = 60_000; // a page that is not looked at gives its connection back
const longestPause = 8_000;

/**
 * follow opens a chat. The handlers are told: page(history) when the chat was read, event(name, data),
 * state("open" | "lost"), out() when the login is over, and gone() when the page shows the chat no more.
 */
export function follow(chat, handlers) {
  let source = null;
  let after = "";
  let ended = false;
  let failures = 0;
  let timer = 0;
  let hiddenTimer = 0;

  function close() {
    clearTimeout(timer);
    if (source) {
      source.close();
      source = null;
    }
  }

  function again() {
    close();
    if (ended || document.hidden && failures > 3) {
      return;
    }
    failures += 1;
    timer = setTimeout(begin, Math.min(longestPause, 250 * 2 ** Math.min(failures, 6)));
  }

  // begin reads the chat where no event of it is known, and follows it.
  async function begin() {
    close();
    try {
      if (!after) {
        const page = await get(`/page/chats/${chat}`);
        if (ended) {
          return;
        }
        await handlers.page(page);
        after = page.after;
      } else if (failures > 0) {
        await get(isLinked(chat) ? `/page/chats/${chat}` : "/page/me"); // an EventSource does not say why it fails
      }
    } catch (e) {
      if (ended) {
        return;
      }
      if (e instanceof Refused && e.status === 401) {
        ended = true;
        handlers.out();
        return;
      }
      if (e instanceof Refused && e.status === 404) {
        ended = true;
        handlers.gone();
        return;
      }
      handlers.state("lost");
      again();
      return;
    }
    if (!ended) {
      open();
    }
  }

  function open() {
    const s = new EventSource(`/page/chats/${chat}/events?after=${encodeURIComponent(after)}`);
    source = s;
    s.onopen = () => {
      failures = 0;
      handlers.state("open");
    };
    s.onerror = () => {
      if (s !== source) {
        return;
      }
      handlers.state("lost");
      again();
    };
    for (const name of names) {
      s.addEventListener(name, (e) => {
        if (s !== source || typeof e.data !== "string") {
          return;
        }
        after = e.lastEventId || after;
        handlers.event(name, JSON.parse(e.data));
      });
    }
    s.addEventListener("reset", () => {
      if (s === source) {
        after = "";
        begin();
      }
    });
  }

  function seen() {
    clearTimeout(hiddenTimer);
    if (document.hidden) {
      hiddenTimer = setTimeout(close, hiddenFor);
    } else if (!source && !ended) {
      failures = 0;
      begin();
    }
  }

  function online() {
    if (!ended) {
      failures = 0;
      begin();
    }
  }

  document.addEventListener("visibilitychange", seen);
  window.addEventListener("online", online);
  begin();
  return {
    end() {
      ended = true;
      document.removeEventListener("visibilitychange", seen);
      window.removeEventListener("online", online);
      clearTimeout(hiddenTimer);
      close();
    },
    reread() {
      after = "";
      begin();
    },
  };
}
