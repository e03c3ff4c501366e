// SPDX-License-Identifier: Apache-2.0
//
// The elements of the page, JSON, and questions to the host: what all other modules of the console stand on.

export const childrenAtOnce = 200;
export const pollPause = 1000;

// MARK: Elements

export const at = (id) => document.getElementById(id);

/** Makes an element; members of `properties` that name no property of elements become attributes. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Writes a text unless it is there already, so that nothing is drawn or read out for nothing; marks it as good or bad. */
export function write(element, text, isBad) {
  if (element.textContent !== String(text)) element.textContent = text;
  if (isBad !== undefined) element.classList.toggle("bad", isBad);
}

export function show(element, isShown) {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Tells what came of something, to eyes and screen readers alike. */
export const announce = (text, isBad = false) => write(at("announcement"), text, isBad);

/** A word as a shell takes it. */
export const quoted = (word) => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export const count = (number) => (number ?? 0).toLocaleString("en");

export function rate(number) {
  if (number === undefined) return "–";
  return number >= 9.95 || number === 0 ? count(Math.round(number)) : number.toFixed(1);
}

/** A number of things, as in "2 instances". */
export const many = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

export const bytes = (number) => `${count(Math.round(number / 1048576))} MiB`;

/** The mean of a time that was measured now and then; undefined if it never was. */
export const meanTime = ({ samples, nanoseconds }) => (samples ? nanoseconds / samples : undefined);

export function span(nanoseconds) {
  if (nanoseconds === undefined) return "–";
  if (nanoseconds < 1e3) return `${Math.round(nanoseconds)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toPrecision(3)} µs`;
  return `${(nanoseconds / 1e6).toPrecision(3)} ms`;
}

export const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString("en-GB");

/** Offers names in a select, after its first option; nothing is touched while they are the same, and a choice that is there stays. */
export function offer(select, names) {
  const known = [...select.options].slice(1).map((option) => option.value);
  if (line(names) === line(known)) return;
  const value = select.value;
  select.replaceChildren(select.options[0], ...names.map((name) => make("option", { value: name, textContent: name })));
  select.value = names.includes(value) ? value : "";
}

/** Gives a list an item for each name, with a button and a place for words after it; items stay as long as the names are the same. */
export function buttons(list, names, pressed) {
  const shown = names.join("\n");
  if (list.dataset.shown === shown) return;
  list.dataset.shown = shown;
  list.replaceChildren(...names.map((name) => {
    const button = make("button", { type: "button", className: "plain", textContent: name });
    button.addEventListener("click", () => pressed(name));
    return make("li", {}, button, make("span", {}));
  }));
}

/** What does something now, and again after a pause, as long as the page can be seen. */
export function repeating(pause, body) {
  let timer = 0;
  const again = async () => {
    clearTimeout(timer);
    await body();
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(again, pause);
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else again();
  });
  return again;
}

// MARK: JSON

/** Reads JSON; whole numbers that a number of this language would round stay exact. */
export function parse(text) {
  // To look at each value takes ten times as long.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context.source) : value);
}

export const isBranch = (value) => typeof value === "object" && value !== null;

/** Writes JSON; on one line for an indent of 0. */
export const json = (value, indent = 2) =>
  JSON.stringify(value, (key, member) => (typeof member === "bigint" ? JSON.rawJSON(member) : member), indent) ?? "nothing";

export const line = (value) => json(value, 0);
export const token = (key) => "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1");

// MARK: Asking the host

const changing = new Set(["clusterDrain", "clusterReload", "discard", "dispatch", "entry", "gate", "now", "redispatch", "release", "reload", "stop", "swap", "try"]);
const tokenKey = "gatehouse token";
let lastRequest = 0;

/** Whether the host shows nothing without a token, and nobody wants to give it. */
export let isShutOut = false;

/** The header fields of a request, with the token where it is known. */
export function headers(fields = {}) {
  const known = sessionStorage.getItem(tokenKey);
  return known === null ? fields : { ...fields, Authorization: `Bearer ${known}` };
}

/** Asks the host for something; throws an error with the host's own sentence when it is refused. */
export const ask = async (method, params) => (await askForText(method, params)).result;

/** The same, with the text of the whole answer beside its result. */
export async function askForText(method, params = {}) {
  const isChange = changing.has(method);
  while (true) {
    const known = sessionStorage.getItem(tokenKey);
    const body = line({ jsonrpc: "2.0", id: ++lastRequest, method, params });
    const response = await fetch("/control", { method: "POST", headers: headers({ "Content-Type": "application/json" }), body });
    const text = await response.text();
    if (response.status === 401 && (isChange || !isShutOut)) {
      // Another request may have been told, and have asked, meanwhile.
      if (sessionStorage.getItem(tokenKey) === known) await askForToken(known !== null);
      continue;
    }
    let answer;
    try {
      answer = parse(text);
    } catch {
      throw new Error(text.trim() || `the host answered ${response.status}`);
    }
    if (answer.error) throw new Error(answer.error.message ?? answer.error);
    if (!response.ok) throw new Error(answer.message ?? `the host answered ${response.status}`);
    return { result: answer.result, text };
  }
}

/** The question for the token that is on the screen; nil while there is none. */
let question = null;

/** Lets the operator give the token; throws when that is not wanted. All who need it wait for the same answer. */
function askForToken(isWrong = false) {
  question ??= showQuestion(isWrong).finally(() => { question = null; });
  return question;
}

function showQuestion(isWrong) {
  const dialog = at("token-dialog");
  if (isWrong) sessionStorage.removeItem(tokenKey);
  write(at("token-note"), isWrong
    ? "The host does not know this token; it stands in the token file of the plugin http."
    : "It takes the token: what stands in the file that \"tokenFile\" in the settings of the plugin http names.", isWrong);
  at("token").value = "";
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve, reject) => {
    dialog.addEventListener("close", () => {
      const given = dialog.returnValue === "give" ? at("token").value.trim() : "";
      at("token").value = "";
      isShutOut = given === "";
      if (isShutOut) return reject(new Error("nothing was done, because no token was given"));
      sessionStorage.setItem(tokenKey, given);
      resolve();
    }, { once: true });
  });
}

/** Does what a button is for; meanwhile it cannot be pressed again. What is refused is told. The document hears "pressed" afterwards. */
export async function press(button, body) {
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  announce("");
  try {
    await body();
  } catch (error) {
    announce(error.message, true);
  } finally {
    button.ariaBusy = "false";
  }
  document.dispatchEvent(new Event("pressed"));
}

/** A button with the command that it stands for. */
export function control(text, command, body) {
  const button = make("button", { type: "button", textContent: text });
  const words = make("code", { textContent: command });
  button.setAttribute("aria-description", command);
  button.addEventListener("click", () => press(button, body));
  return make("span", { className: "control" }, button, words);
}
