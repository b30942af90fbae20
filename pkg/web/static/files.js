// The files of a message that is being written: each is sent to the gateway at once.
import { Refused, newKey } from "./api.js";

const maxBytes = 20 * 1024 * 1024;
const maxFiles = 10;
const shown = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** isPicture says whether the page shows a file as a picture. */
export function isPicture(type) {
  return shown.includes(type);
}

/** bytes is a size in words. */
export function bytes(n) {
  if (!n) {
    return "empty";
  }
  if (n < 1000) {
    return n === 1 ? "1 byte" : `${n} bytes`;
  }
  return n < 1e6 ? `${Math.round(n / 1000)} kB` : `${(n / 1e6).toFixed(1)} MB`;
}

/** taken makes entries of files that a person adds, beside those that there are. */
export function taken(list, there) {
  let places = maxFiles - there.filter((f) => f.state !== "failed").length;
  return [...list].map((file) => {
    const f = { key: newKey(), name: file.name || "file", size: file.size, type: file.type, file, state: "sending", part: 0 };
    if (file.size > maxBytes) {
      return { ...f, state: "failed", why: `it has ${bytes(file.size)}, and a file may have 20 MB` };
    }
    if (places <= 0) {
      return { ...f, state: "failed", why: `a message takes ${maxFiles} files` };
    }
    places -= 1;
    return { ...f, preview: isPicture(file.type) ? URL.createObjectURL(file) : "" };
  });
}

/** send uploads a file, and tells how much of it is there. */
export function send(chat, f, progress) {
  const request = new XMLHttpRequest();
  const sent = new Promise((done, failed) => {
    request.upload.onprogress = (e) => progress(e.lengthComputable && e.total > 0 ? e.loaded / e.total : 0);
    request.onload = () => {
      let said = {};
      try {
        said = JSON.parse(request.responseText);
      } catch {
        said = {};
      }
      if (request.status === 201) {
        done(said);
      } else {
        failed(new Refused(request.status, said.error || {}));
      }
    };
    request.onerror = () => failed(new Error("the connection broke off"));
    request.onabort = () => failed(new Error("it was removed"));
  });
  request.open("POST", `/page/chats/${chat}/files?name=${encodeURIComponent(f.name)}`);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.setRequestHeader("X-Parley-Upload", "1");
  request.setRequestHeader("Idempotency-Key", f.key);
  request.send(f.file);
  return { sent, end: () => request.abort() };
}

/** remove takes back an upload that was not sent. */
export function remove(chat, id) {
  return fetch(`/page/chats/${chat}/files/${id}`, { method: "DELETE", headers: { "Content-Type": "application/json" } }).catch(() => {});
}
