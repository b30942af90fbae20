// Preact and htm under one name for all modules of the page.
import { h, render, Fragment } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export { render, Fragment };
export { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "./vendor/hooks.js";

export const html = htm.bind(h);

/** Icon draws one of the page's few signs; it is decoration, its button has the words. */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" focusable="false">
    <path d=${paths[name]} fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
  </svg>`;
}

const paths = {
  menu: "M4 7h16M4 12h16M4 17h16",
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  copy: "M9 9h10v10H9zM5 15V5h10",
  check: "M5 12.5l4.500 4.500L19 7.500",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  clip: "M20 11l-8.500 8.500a5 5 0 0 1-7-7L13 4a3.400 3.400 0 0 1 4.800 4.800L9.500 17a1.700 1.700 0 0 1-2.400-2.400L14.500 7",
  close: "M6 6l12 12M18 6L6 18",
  tool: "M14.500 6.500a4 4 0 0 0 5 5L11 20l-4-4 8.500-8.500zM14.500 6.500l3-3",
  down: "M6 9l6 6 6-6",
  gear: "M4 8h9M17 8h3M4 16h3M11 16h9M15 6v4M9 14v4",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  out: "M14 4h5v16h-5M4 12h10M10 8l4 4-4 4",
  warn: "M12 4l9 16H3zM12 10v4M12 17.200v.1",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM20 20l-4.500-4.500",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.700 5.700l1-1",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2",
};
