// Chats of other channels on the page: to read. A code that the chat shows puts one here.
import { html, Icon, useRef, useState } from "./lib.js";
import { post } from "./api.js";

/** isLinked says whether a chat is one of another channel, by its id. */
export function isLinked(chat) {
  return /^link-[a-z2-7]{16}$/.test(chat);
}

/** unlink takes a chat from the page. */
export function unlink(chat) {
  return post(`/page/links/${chat}/end`);
}

const channels = { telegram: "Telegram", slack: "Slack", console: "Console" };

/** channelName is the name of a channel as people write it. */
export function channelName(channel) {
  return channels[channel] || channel || "another channel";
}

/** LinkForm takes the code of a chat, and tells done its id. */
export function LinkForm({ done }) {
  const [code, setCode] = useState("");
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  const box = useRef(null);
  const field = useRef(null);
  async function send(e) {
    e.preventDefault();
    setBusy(true);
    setWrong("");
    try {
      const { chat } = await post("/page/links", { code });
      setCode("");
      box.current.open = false;
      done(chat);
    } catch (x) {
      setWrong(x.message);
      field.current.select(); // the next code takes its place
    } finally {
      setBusy(false);
    }
  }
  return html`<details class="linking" ref=${box}>
    <summary><${Icon} name="link" /> Link Telegram or Slack</summary>
    <form onSubmit=${send}>
      <p class="muted" id="link-how">Write <code>/link</code> to the bot there, and type its code here.</p>
      <label class="offscreen" for="link-code">Code of the chat</label>
      <input id="link-code" ref=${field} value=${code} onInput=${(e) => setCode(e.target.value)} autocomplete="off" autocapitalize="characters"
        spellcheck=${false} maxlength="16" placeholder="Code" aria-describedby="link-how" />
      <button type="submit" class="main" disabled=${busy || code.trim() === ""}>Show</button>
      ${wrong && html`<p class="bad" role="alert">${wrong}</p>`}
    </form>
  </details>`;
}
