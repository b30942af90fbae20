// The field for the next message.
import { html, Icon, useEffect, useLayoutEffect, useRef, useState } from "./lib.js";
import { bytes } from "./files.js";

/** Composer sends on Enter and breaks lines on Shift+Enter. */
export function Composer({ draft, setDraft, running, send, stop, options, setOptions, tools, models, files, addFiles, dropFile, resendFile }) {
  const field = useRef(null);
  const picker = useRef(null);
  const [open, setOpen] = useState(false);
  const menu = useRef(null);
  useLayoutEffect(() => {
    const f = field.current;
    f.style.height = "auto";
    f.style.height = `${Math.min(f.scrollHeight, 240)}px`;
  }, [draft]);
  useEffect(() => {
    if (draft.focus) {
      field.current.focus();
      field.current.setSelectionRange(draft.text.length, draft.text.length);
    }
  }, [draft.focus]);
  useEffect(() => {
    function outside(e) {
      if (menu.current && !menu.current.contains(e.target)) {
        setOpen(false);
      }
    }
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, []);
  const uploading = files.some((f) => f.state === "sending");
  const ready = (draft.text.trim() !== "" || files.some((f) => f.state === "ready")) && !uploading;
  function go() {
    if (ready) {
      send();
    }
  }
  function typed(e) {
    if (e.key === "Enter" && !e.shiftKey && !e.isComposing) {
      e.preventDefault();
      go();
    }
  }
  function input(e) {
    const broken = e.inputType === "insertLineBreak" && e.target.value.trim() === ""; // the Enter that sent the message
    if (broken) {
      e.target.value = "";
    }
    setDraft({ text: e.target.value, focus: 0 });
  }
  function pasted(e) {
    if (addFiles && e.clipboardData.files.length > 0) {
      e.preventDefault();
      addFiles(e.clipboardData.files);
    }
  }
  const off = options.tools === false;
  return html`<form class="composer" onSubmit=${(e) => { e.preventDefault(); go(); }}>
    ${files.length > 0 && html`<ul class="files">${files.map((f) => html`<li key=${f.key}><span class=${`chip ${f.state}`}>
      ${f.preview ? html`<img class="thumb" src=${f.preview} alt="" />` : html`<${Icon} name="file" />`}
      <span class="what"><span>${f.name}</span> <span class="muted">${bytes(f.size)}</span>
        ${f.state === "sending" && html`<progress max="1" value=${f.part} aria-label=${`Upload of ${f.name}`}></progress>`}
        ${f.state === "failed" && html`<span class="bad why" role="alert">not added: ${f.why}</span>`}
        ${f.again && html`<button type="button" class="link" aria-label=${`Send ${f.name} again`} onClick=${() => resendFile(f)}>Try again</button>`}</span>
      <button type="button" class="quiet small" aria-label=${`Remove ${f.name}`} onClick=${() => { dropFile(f); field.current.focus(); }}><${Icon} name="close" /></button>
    </span></li>`)}</ul>`}
    <textarea id="message" ref=${field} rows="1" aria-label="Message" placeholder="Write a message" value=${draft.text}
      onInput=${input} onKeyDown=${typed} onPaste=${pasted}></textarea>
    <div class="row">
      ${addFiles && html`<input ref=${picker} type="file" multiple hidden onChange=${(e) => { addFiles(e.target.files); e.target.value = ""; }} />
        <button type="button" class="quiet" aria-label="Attach a file" title="Attach a file" onClick=${() => picker.current.click()}>
          <${Icon} name="clip" /></button>`}
      <div class="menu-place" ref=${menu}>
        <button type="button" class="quiet words" aria-expanded=${open ? "true" : "false"} aria-controls="options"
          onClick=${() => setOpen(!open)}><${Icon} name="gear" /><span>${off ? "No tools" : options.off.length > 0 ? "Some tools" : "Tools"}${options.model ? ` · ${options.model}` : ""}</span></button>
        ${open && html`<div id="options" class="menu" onKeyDown=${(e) => e.key === "Escape" && setOpen(false)}>
          ${models.length > 1 && html`<label for="model">Model</label>
            <select id="model" value=${options.model} onChange=${(e) => setOptions({ ...options, model: e.target.value })}>
              <option value="">as in this chat</option>
              ${models.map((m) => html`<option key=${m} value=${m}>${m}</option>`)}
            </select>`}
          <label class="check"><input type="checkbox" checked=${!off}
            onChange=${(e) => setOptions({ ...options, tools: e.target.checked ? undefined : false })} /> Use tools</label>
          ${!off && html`<fieldset><legend>The tools of this chat</legend>${tools.map((t) => html`<label class="check" key=${t.name} title=${t.description}>
            <input type="checkbox" checked=${!options.off.includes(t.name)} onChange=${(e) => setOptions({
              ...options, off: e.target.checked ? options.off.filter((n) => n !== t.name) : [...options.off, t.name],
            })} /> ${t.name}</label>`)}</fieldset>`}
        </div>`}
      </div>
      <span class="grow"></span>
      ${running && !ready
        ? html`<button type="button" class="round stop" aria-label="Stop" title="Stop" onClick=${stop}><${Icon} name="stop" /></button>`
        : html`<button type="submit" class="round" aria-label="Send" title="Send" disabled=${!ready}><${Icon} name="send" /></button>`}
    </div>
  </form>`;
}
