// The page before its person is logged in: a link in the address, or a code that the operator approves.
import { html, useEffect, useRef, useState } from "./lib.js";
import { Refused, pause, post } from "./api.js";

/** takeLink exchanges the code of a link in the address for a session. It says why it could not. */
export async function takeLink() {
  const code = new URLSearchParams(location.hash.slice(1)).get("login");
  if (!code) {
    return "";
  }
  history.replaceState(null, "", location.pathname);
  try {
    await post("/login/link", { code });
    return "";
  } catch (e) {
    return e.message;
  }
}

/** Login asks for a name, shows the code, and waits. */
export function Login({ problem, done }) {
  const [name, setName] = useState("");
  const [asked, setAsked] = useState(null);
  const [wrong, setWrong] = useState(problem);
  const field = useRef(null);
  useEffect(() => {
    if (field.current) {
      field.current.focus();
    }
  }, [asked]);
  useEffect(() => {
    if (!asked) {
      return undefined;
    }
    let gone = false;
    (async () => {
      while (!gone) {
        await pause(1500);
        try {
          const { state } = await post("/login/wait");
          if (gone) {
            return;
          }
          if (state === "in") {
            done();
            return;
          }
          if (state === "over") {
            setAsked(null);
            setWrong("The code is over. Ask for a new one.");
            return;
          }
        } catch (e) {
          if (e instanceof Refused) {
            setWrong(e.message);
          }
        }
      }
    })();
    return () => {
      gone = true;
    };
  }, [asked]);
  async function ask(e) {
    e.preventDefault();
    setWrong("");
    try {
      setAsked(await post("/login/ask", { name }));
    } catch (x) {
      setWrong(x.message);
    }
  }
  return html`<main class="login">
    <div class="card">
      <h1><span class="brand" aria-hidden="true"></span>Parley</h1>
      ${asked
        ? html`<p>Tell the operator this code:</p>
          <p class="code-shown" tabindex="0" ref=${field} aria-label=${`Your code: ${asked.code.split("").join(" ")}`}>
            <span>${asked.code.slice(0, 4)}</span><span>${asked.code.slice(4)}</span></p>
          <p class="muted">They let this browser in as <b>${asked.person}</b>:</p>
          <pre tabindex="0">parley pair approve ${asked.code}</pre>
          <p class="waiting" role="status"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>Waiting for the approval</p>
          <button type="button" class="link" onClick=${() => setAsked(null)}>Use another name</button>`
        : html`<form onSubmit=${ask}>
          <label for="name">Your name</label>
          <input id="name" ref=${field} value=${name} onInput=${(e) => setName(e.target.value)} autocomplete="username"
            autocapitalize="none" spellcheck=${false} maxlength="32" placeholder="ada" />
          <button type="submit" class="main">Ask to be let in</button>
        </form>
        <p class="muted">Is this gateway yours? Run <code>parley web open</code> where it runs, and open the link that it shows.</p>`}
      ${wrong && html`<p class="bad" role="alert">${wrong}</p>`}
    </div>
  </main>`;
}
