// Requests to the gateway. The cookie of the session goes with them by itself.

/** Refused is an answer that is no success: its status, code and sentence. */
export class Refused extends Error {
  constructor(status, error) {
    super(error.message || `the gateway answered ${status}`);
    this.status = status;
    this.code = error.code || "";
  }
}

async function answer(response) {
  const text = response.status === 204 ? "" : await response.text();
  let said = {};
  try {
    said = text ? JSON.parse(text) : {};
  } catch {
    said = {};
  }
  if (!response.ok) {
    throw new Refused(response.status, said.error || {});
  }
  return said;
}

export async function get(path) {
  return answer(await fetch(path, { headers: { Accept: "application/json" } }));
}

export async function post(path, body, headers) {
  return answer(await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body || {}),
  }));
}

export async function upload(path, file) {
  return answer(await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/octet-stream", "X-Parley-Upload": "1" }, body: file,
  }));
}

/** pause waits for a number of milliseconds. */
export function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

/** newKey is a key of a message, by which the gateway knows it again. */
export function newKey() {
  const b = new Uint8Array(16);
  crypto.getRandomValues(b);
  return Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("");
}
