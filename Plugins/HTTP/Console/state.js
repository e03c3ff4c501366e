// SPDX-License-Identifier: Apache-2.0
//
// The state, of now or of the past.

import { ask, at, childrenAtOnce, count, isBranch, line, make, pollPause, press, quoted, show, token, write } from "/console/page.js";
import { status } from "/console/chain.js";

/** The action after which the state is shown; nil for that of now. */
export let pastNumber = null;
/** The pointers of the open branches. */
const open = new Set();
let isTreeSeen = false;
export let treeTimer = 0;

async function stateAt(pointer) {
  const params = { pointer, depth: 1 };
  if (pastNumber !== null) params.at = pastNumber;
  return ask("state", params);
}

const valueClass = (value) => (typeof value === "string" ? "value text" : "value");

/** How many members or elements a branch has, as far as that is known before it is opened. */
function size(value, isCut) {
  if (isCut) return Array.isArray(value) ? "[…]" : "{…}";
  if (Array.isArray(value)) return `[${value.length || ""}]`;
  return `{${Object.keys(value).length || ""}}`;
}

/** Makes the items of a branch; those that are open are asked for in turn. */
async function branchItems(pointer, limit = childrenAtOnce) {
  const { value, cut = [] } = await stateAt(pointer);
  if (!isBranch(value)) {
    const text = value === undefined ? "nothing" : line(value);
    return [make("li", { className: "leaf" }, make("span", { className: valueClass(value), textContent: text }))];
  }
  const closed = new Set(cut);
  const members = Object.entries(value);
  const items = [];
  for (const [key, child] of members.slice(0, limit)) {
    const place = pointer + token(key);
    const isCut = closed.has(place);
    const hasMore = isCut || (isBranch(child) && Object.keys(child).length > 0);
    items.push(hasMore ? await branchItem(key, place, size(child, isCut)) : leafItem(key, child));
  }
  if (members.length > limit) {
    const more = make("button", { type: "button", textContent: `${count(members.length - limit)} more` });
    more.addEventListener("click", async () => {
      const list = more.closest("ul");
      list.replaceChildren(...(await branchItems(pointer, limit + 5 * childrenAtOnce)));
    });
    items.push(make("li", {}, more));
  }
  return items;
}

function leafItem(key, value) {
  const text = isBranch(value) ? (Array.isArray(value) ? "[]" : "{}") : line(value);
  return make("li", { className: "leaf" }, make("span", { className: "key", textContent: `${key}: ` }),
    make("span", { className: valueClass(value), textContent: text }));
}

async function branchItem(key, pointer, words) {
  const button = make("button", { type: "button", ariaExpanded: "false" },
    make("span", { className: "key", textContent: key }), make("span", { className: "size", textContent: ` ${words}` }));
  button.dataset.pointer = pointer;
  const item = make("li", {}, button);
  const unfold = async () => {
    const list = make("ul", {}, ...(await branchItems(pointer)));
    button.ariaExpanded = "true";
    item.append(list);
  };
  button.addEventListener("click", async () => {
    const isOpen = button.ariaExpanded === "true";
    write(at("state-command"), pastNumber === null ? `ctl state ${quoted(pointer)}` : `gatehouse state --at ${pastNumber} ${quoted(pointer)}`);
    if (isOpen) {
      for (const one of [...open]) if (one === pointer || one.startsWith(pointer + "/")) open.delete(one);
      button.ariaExpanded = "false";
      item.querySelector("ul")?.remove();
    } else {
      open.add(pointer);
      await press(button, unfold);
    }
  });
  if (open.has(pointer)) await unfold();
  return item;
}

/** Texts of the leaves that were shown last, by their places; what differs is marked. */
function leafTexts() {
  const texts = new Map();
  const walk = (list, path) => {
    [...list.children].forEach((item) => {
      const key = item.querySelector(":scope > .key, :scope > button > .key")?.textContent ?? "";
      const value = item.querySelector(":scope > .value");
      if (value) texts.set(path + key, value);
      const below = item.querySelector(":scope > ul");
      if (below) walk(below, `${path}${key}/`);
    });
  };
  walk(at("tree"), "");
  return texts;
}

let treeRound = 0;

/** Reads the open parts of the state again. */
export async function showState() {
  const round = ++treeRound;
  clearTimeout(treeTimer);
  const command = pastNumber === null ? "ctl state" : `gatehouse state --at ${pastNumber}`;
  if (!at("state-command").textContent.startsWith(command)) write(at("state-command"), command);
  try {
    const before = new Map([...leafTexts()].map(([place, element]) => [place, element.textContent]));
    const focused = document.activeElement?.dataset?.pointer;
    const items = await branchItems("");
    if (round !== treeRound) return;
    at("tree").replaceChildren(...items);
    for (const [place, element] of leafTexts()) {
      element.classList.toggle("changed", before.has(place) && before.get(place) !== element.textContent);
    }
    if (focused !== undefined) [...at("tree").querySelectorAll("button")].find((button) => button.dataset.pointer === focused)?.focus();
    show(at("state-note"), pastNumber !== null);
    write(at("state-note"), "This is the past, made by the reducers from the journal. Nothing here changes it.");
  } catch (error) {
    if (round !== treeRound) return;
    write(at("state-note"), error.message);
    show(at("state-note"), true);
  }
  if (round === treeRound && pastNumber === null && isTreeSeen && !document.hidden) treeTimer = setTimeout(showState, 2 * pollPause);
}

/** Keeps the slider over what the journal has. */
export function showPast() {
  const slider = at("past-slider");
  show(at("past"), Boolean(status.journal) && status.journal.recorded > 0);
  if (!status.journal) return;
  const isNow = pastNumber === null;
  if (isNow || document.activeElement !== slider) {
    slider.max = status.journal.recorded;
    slider.value = isNow ? slider.max : pastNumber;
  }
  write(at("past-number"), isNow ? "now" : `${count(pastNumber)} of ${count(status.journal.recorded)}`);
}

/** Finds out once in a while where the journal begins: what is old is removed from it. */
export async function findBounds() {
  try {
    const { bounds } = await ask("history", { limit: 1 });
    if (bounds) at("past-slider").min = bounds.first - 1;
  } catch { /* It stays where it was, and the host says so when a state is asked for. */ }
}

let pastTimer = 0;
at("past-slider").addEventListener("input", () => {
  pastNumber = Number(at("past-slider").value);
  at("past-now").disabled = false;
  write(at("past-number"), `${count(pastNumber)} of ${count(status?.journal?.recorded)}`);
  clearTimeout(pastTimer);
  pastTimer = setTimeout(async () => {
    showState();
    const number = pastNumber;
    if (number === 0) return write(at("past-time"), "before the first action");
    try {
      const [told] = (await ask("history", { before: number + 1, limit: 1 })).actions;
      if (pastNumber === number && told) write(at("past-time"), `${told.action.type}, ${new Date(told.time * 1000).toLocaleString("en-GB")}`);
    } catch { /* The state is shown all the same. */ }
  }, 150);
});

at("past-now").addEventListener("click", () => {
  pastNumber = null;
  at("past-now").disabled = true;
  write(at("past-time"), "");
  if (status) showPast();
  at("past-slider").focus();
  showState();
});

new IntersectionObserver(([seen]) => {
  isTreeSeen = seen.isIntersecting;
  if (isTreeSeen && pastNumber === null) showState();
}).observe(at("state"));
