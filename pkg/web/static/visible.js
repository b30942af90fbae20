// Characters that a person does not see, or that turn others around, shown as their code points: a
// person must approve the call that runs, and not the one that it looks like.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** visible is a text in which each such character is written out. */
export function visible(text) {
  return text.replace(hidden, (c) => `‹U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
}
