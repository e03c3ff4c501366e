// SPDX-License-Identifier: Apache-2.0
//
// The actions that pass, and those that the journal keeps.

import { announce, ask, at, clock, count, line, make, offer, parse, press, quoted, show, write } from "/console/page.js";
import { status } from "/console/chain.js";
import { choose, chosen } from "/console/action.js";
import { eventOf, hear } from "/console/stream.js";

const tailLength = 300;
const historyLength = 50;

/** What the list shows, the newest first; as many as its bound allows. */
let entries = [];
/** What came and is not in the list yet, as text; no more than the list has room for, twice. */
let arrived = [];
/** How many have passed for which the list had no room. */
let crowded = 0;
/** What came while the list stood still. */
let missed = 0;
export let isPaused = false;
/** Ends the stream of what passes; nil while there is none. */
export let hearing = null;
let drawing = 0;
/** When the list may be drawn again: so that drawing takes no more than a part of the time, however fast actions pass. */
let nextDrawing = 0;
let lastDrawing = 0;
let lastKey = 0;
let earlier;

const filter = { types: "", instance: "", text: "", turnedAway: true };

const covers = (pattern, type) => (pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern);
const patterns = () => filter.types.split(/[\s,]+/).filter(Boolean);

function admits(entry) {
  const types = patterns();
  if (types.length && !types.some((pattern) => covers(pattern, entry.type))) return false;
  if (filter.instance && entry.source.instance !== filter.instance && !entry.places?.includes(filter.instance) && !entry.morePlaces) return false;
  if (entry.isTurnedAway && !filter.turnedAway) return false;
  return !filter.text || line(entry.action).toLowerCase().includes(filter.text.toLowerCase());
}

/** Makes an entry of what the watch or the journal tells. */
export function entryOf(told, seconds) {
  const action = told.action;
  return { key: ++lastKey, sequence: told.sequence, seconds, type: action.type, action, source: told.source ?? {}, note: told.unwritable ?? told.misfit };
}

/** Makes an entry of what came to nothing. */
function turnedAwayEntry({ type, action, source, instance, instances = instance === undefined ? [] : [instance], more = 0, kind, reason }) {
  const told = { action: action ?? (type === undefined ? {} : { type }), source };
  const place = [...instances, ...(more ? [`${more} more`] : [])].join(", ");
  const entry = entryOf(told, Date.now() / 1000);
  return Object.assign(entry, { type: type ?? "no action", isTurnedAway: true, isGated: kind === "gated", places: instances, morePlaces: more, note: `${kind}${place ? ` at ${place}` : ""}: ${reason}` });
}

export const origin = ({ source }) => source.instance ?? (source.input === undefined ? "" : `${source.input}:${source.line}`);

/** Hears from here on what the filter lets through; the host leaves out the rest. */
function listen() {
  hearing?.abort();
  hearing = null;
  if (document.hidden) return;
  const query = new URLSearchParams();
  const types = patterns();
  if (types.length) query.set("types", types.join(","));
  if (filter.instance) query.set("instances", filter.instance);
  if (filter.turnedAway) query.set("turnedAway", "true");
  // The host leaves out the rest, unless a text is looked for in all of them.
  if (!filter.text) query.set("most", tailLength);
  hearing = new AbortController();
  hear(`/events${query.size ? `?${query}` : ""}`, hearing.signal, {
    began() {
      tellTail(isPaused ? pauseText() : "");
      // What came before is in the journal; what comes from here on is in the stream.
      if (status?.journal) fill();
    },
    take,
    failed(reason) { if (!isPaused) tellTail(reason); },
  });
}

/** Takes the lines of an event; what it tells is read only if it gets into the list. */
function take(block) {
  if (!block.includes("data: ")) return;
  if (block.includes("event: lost\n")) {
    tellTail(`Some actions were not told as they passed: ${parse(eventOf(block).data).reason}`);
    if (status?.journal && !isPaused) fill();
    return;
  }
  if (block.includes("event: more\n")) {
    const { count: leftOut } = parse(eventOf(block).data);
    if (isPaused) return miss(leftOut);
    crowded += leftOut;
    tellCrowd();
    // After a crowd the list shows its last ones.
    clearTimeout(crowdTimer);
    crowdTimer = setTimeout(() => { if (status?.journal && !isPaused) fill(); }, 1500);
    return;
  }
  if (filter.text && !block.toLowerCase().includes(filter.text.toLowerCase())) return;
  if (isPaused) return miss(1);
  arrived.push(block);
  if (arrived.length >= 2 * tailLength) {
    crowded += arrived.length - tailLength;
    arrived.splice(0, arrived.length - tailLength);
  }
  if (!drawing) {
    const wait = nextDrawing - performance.now();
    drawing = wait > 20 ? setTimeout(() => requestAnimationFrame(draw), wait) : requestAnimationFrame(draw);
  }
}

function miss(number) {
  missed += number;
  tellTail(pauseText());
}

const pauseText = () => (missed ? `${count(missed)} more since the list was paused` : "The list stands still.");

function tellTail(text) {
  write(at("tail-note"), text);
  show(at("tail-note"), text !== "");
}

function draw() {
  drawing = 0;
  const begun = performance.now();
  const list = at("actions");
  const isAtTop = list.scrollTop < 4;
  const height = list.scrollHeight;
  const isCrowded = arrived.length > tailLength;
  if (isCrowded) crowded += arrived.length - tailLength;
  const fresh = arrived.slice(-tailLength).map((block) => parse(eventOf(block).data)).filter((told) => told.action ?? told.turnedAway)
    .map((told) => (told.action ? entryOf(told, Date.now() / 1000) : turnedAwayEntry(told.turnedAway))).filter(admits).reverse();
  arrived = [];
  const known = new Set(entries.map((entry) => entry.sequence ?? entry));
  // A mark that fades costs a browser more than all else; where one follows the other, none stands out.
  insert(fresh.filter((entry) => !known.has(entry.sequence ?? entry)), fresh.length < 5 && begun - lastDrawing > 1000);
  lastDrawing = begun;
  // Whoever reads further down keeps the place.
  if (!isAtTop) list.scrollTop += list.scrollHeight - height;
  showTail();
  tellCrowd();
  const now = performance.now();
  nextDrawing = now + Math.max(8 * (now - begun), isCrowded ? 1000 : 0);
}

let crowdTimer = 0;

function tellCrowd() {
  if (crowded) tellTail(`${count(crowded)} actions passed too fast for this list${status?.journal ? ", and are in the journal" : ""}; a filter lets fewer pass.`);
}

function showTail() {
  show(at("tail-empty"), entries.length === 0);
  write(at("tail-empty"), filter.types || filter.instance || filter.text
    ? "Nothing that the filter lets through has passed the host." : "Nothing has passed the host since this page was opened.");
  const rows = at("actions").querySelectorAll(".entry");
  if (rows.length && !at("actions").querySelector('.entry[tabindex="0"]')) rows[0].tabIndex = 0;
  show(at("older-control"), earlier !== undefined && entries.length < tailLength);
}

function entryRow(entry, isNew = false) {
  const part = (name, text) => make("span", { className: name, textContent: text });
  const payload = entry.note ?? (entry.action.payload === undefined ? "" : line(entry.action.payload));
  const button = make("button", { type: "button", className: `entry${isNew ? " new" : ""}${entry.action.error ? " error" : ""}${entry.isTurnedAway ? " away" : ""}`, tabIndex: -1 },
    part("number", entry.sequence ?? ""), part("time", clock(entry.seconds)), part("type", entry.type),
    part("origin", origin(entry)), part(entry.isTurnedAway ? "payload reason" : "payload", payload.length > 400 ? payload.slice(0, 400) + "…" : payload));
  button.dataset.key = entry.key;
  if (chosen?.key === entry.key) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => choose(entry));
  return make("li", {}, button);
}

/** Puts entries, the newest first, where they belong: before older ones. The oldest go when there are too many. */
function insert(added, areNew = false) {
  const list = at("actions");
  let place = 0;
  for (const entry of added) {
    while (place < entries.length && entry.sequence !== undefined && entries[place].sequence > entry.sequence) place += 1;
    list.insertBefore(entryRow(entry, areNew), list.children[place] ?? null);
    entries.splice(place, 0, entry);
    place += 1;
  }
  while (entries.length > tailLength) {
    entries.pop();
    list.lastElementChild.remove();
  }
}

/** Fills the list with what the journal keeps; older ones below those that are there. */
async function fill(isOlder = false) {
  const params = { limit: historyLength };
  const types = patterns();
  if (types.length) params.types = types;
  if (filter.instance) params.instances = [filter.instance];
  if (filter.text) params.text = filter.text;
  if (isOlder && earlier !== undefined) params.before = earlier;
  const asked = line(filter);
  let page;
  try {
    page = await ask("history", params);
  } catch (error) {
    if (isOlder || types.length || filter.text) announce(error.message, true);
    return;
  }
  if (line(filter) !== asked) return;
  earlier = page.earlier;
  draw();
  const known = new Set(entries.map((entry) => entry.sequence));
  insert(page.actions.filter((action) => !known.has(action.sequence)).map((told) => entryOf(told, told.time)).filter(admits).reverse());
  const words = [...types.map((type) => `--type ${quoted(type)}`), ...(filter.instance ? [`--instance ${quoted(filter.instance)}`] : []), ...(filter.text ? [`--text ${quoted(filter.text)}`] : [])];
  write(at("older-command"), ["gatehouse history", ...words, `--to ${(earlier ?? 1) - 1}`].join(" "));
  const isSearch = Boolean(types.length || filter.instance || filter.text);
  show(at("older-note"), isSearch && page.searched !== undefined);
  if (isSearch) write(at("older-note"), earlier === undefined ? "The journal is searched to its beginning." : `The journal is searched back to action ${count(earlier)}.`);
  showTail();
}

let listenTimer = 0;

/** Begins the list anew, with what the filter lets through of it and of the journal. */
export function restart(delay = 0) {
  draw();
  crowded = 0;
  entries = entries.filter(admits);
  at("actions").replaceChildren(...entries.map((entry) => entryRow(entry)));
  showTail();
  const words = ["ctl watch", ...patterns().map(quoted)];
  if (filter.instance) words.push(`--instance ${quoted(filter.instance)}`);
  if (filter.turnedAway) words.push("--turned-away");
  write(at("tail-command"), words.join(" "));
  earlier = undefined;
  if (status?.journal) fill();
  // The host keeps what it tells for each filter; not every letter on the way is to be one.
  clearTimeout(listenTimer);
  listenTimer = setTimeout(listen, delay);
}

export function showInstances() {
  offer(at("filter-instance"), status.instances.map(({ id }) => id));
}

export function pause(isOn) {
  isPaused = isOn;
  at("pause").setAttribute("aria-pressed", isOn);
  write(at("pause"), isOn ? "Go on" : "Pause");
  const hasMissed = missed > 0;
  missed = 0;
  tellTail(isOn ? pauseText() : "");
  if (!isOn && hasMissed && status?.journal) fill();
}

at("pause").addEventListener("click", () => pause(!isPaused));
at("older").addEventListener("click", (event) => press(event.currentTarget, () => fill(true)));
at("filter").addEventListener("submit", (event) => event.preventDefault());

let filterTimer = 0;
at("filter").addEventListener("input", () => {
  clearTimeout(filterTimer);
  filterTimer = setTimeout(() => {
    const types = at("filter-type").value.trim();
    const wrong = types.split(/[\s,]+/).find((type) => /\*./.test(type));
    at("filter-type").setCustomValidity(wrong ? "A * may stand at the end of a type alone." : "");
    at("filter-type").setAttribute("aria-invalid", Boolean(wrong));
    if (wrong) return tellTail(`A * may stand at the end of a type alone, not as in ${wrong}.`);
    tellTail("");
    Object.assign(filter, { types, instance: at("filter-instance").value, text: at("filter-text").value, turnedAway: at("filter-away").checked });
    restart(700);
  }, 250);
});

/** Goes to another action in the list. */
export function step(by) {
  const buttons = [...at("actions").querySelectorAll(".entry")];
  if (!buttons.length) return;
  const here = buttons.indexOf(document.activeElement);
  const place = here < 0 ? Math.max(0, buttons.findIndex((button) => button.tabIndex === 0)) : here + by;
  const next = buttons[Math.min(Math.max(place, 0), buttons.length - 1)];
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next.focus();
}

at("actions").addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, End: 1e9, Home: -1e9 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  step(by);
});
