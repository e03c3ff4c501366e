// SPDX-License-Identifier: Apache-2.0
//
// One action: what led to it, what it led to, and what it changed.

import { ask, at, childrenAtOnce, count, json, line, make, show, write } from "/console/page.js";
import { entryOf, origin } from "/console/actions.js";

/** The entry whose action is shown; null for none. */
export let chosen = null;

/** Shows an action, what led to it, what it led to, and what it changed. */
export async function choose(entry) {
  chosen = entry;
  for (const button of at("actions").querySelectorAll(".entry")) {
    const isChosen = Number(button.dataset.key) === entry.key;
    button.ariaCurrent = isChosen ? "true" : null;
    if (isChosen) button.tabIndex = 0;
    else if (button.tabIndex === 0) button.tabIndex = -1;
  }
  const number = entry.sequence;
  write(at("action-title"), number === undefined ? entry.type : `${entry.type}, action ${number}`);
  const from = origin(entry);
  write(at("action-text"), (from ? `from ${from}\n` : "") + (entry.note ? `${entry.note}\n` : "") + json(entry.action));
  show(at("action"), true);
  at("action-title").focus();
  write(at("causes-command"), number === undefined ? "" : `gatehouse history --causes ${number}`);
  write(at("changes-command"), number === undefined ? "" : `gatehouse state --at ${number}`);
  if (entry.isTurnedAway) {
    const words = entry.isGated ? "A closed gate kept it from there. The journal has the action itself." : "It came to nothing there, which the journal does not keep.";
    at("causes").replaceChildren(note(words));
    at("changes").replaceChildren(note("Nothing."));
    return;
  }
  if (number === undefined) {
    const words = "Without a journal the host knows no causes and no states of then; add \"journal\" to its configuration.";
    at("causes").replaceChildren(note(words));
    at("changes").replaceChildren(note("The host does not know."));
    return;
  }
  at("causes").replaceChildren(note("looking …"));
  at("changes").replaceChildren(note("going over the journal …"));
  const fillIn = async (id, body) => {
    let content;
    try {
      content = await body();
    } catch (error) {
      content = note(error.message);
    }
    if (chosen === entry) at(id).replaceChildren(content);
  };
  await Promise.all([
    fillIn("causes", async () => causeTree(await ask("history", { causes: number }), number)),
    fillIn("changes", async () => changeTable((await ask("state", { at: number, since: number - 1 })).changes)),
  ]);
}

const note = (text) => make("p", { className: "note", textContent: text });

function causeTree(page, number) {
  if (!page.actions.length) return note("The journal does not have it yet, or not any more.");
  const known = new Map(page.actions.map((told) => [told.sequence, { told, children: [] }]));
  const roots = [];
  for (const node of known.values()) {
    const parent = known.get(node.told.cause?.of);
    (parent && parent !== node ? parent.children : roots).push(node);
  }
  const branch = ({ told, children }) => {
    const { kind, input } = told.cause;
    const by = told.source.instance ? ` ${kind === "interception" ? "by" : "of"} ${told.source.instance}` : "";
    const cause = kind === "input" ? origin(told) : `${kind}${input === undefined ? "" : ` of input ${input}`}${by}`;
    const button = make("button", { type: "button", textContent: `${told.sequence}  ${told.action.type}` });
    if (told.sequence === number) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => choose(entryOf(told, told.time)));
    return make("li", {}, button, make("span", { className: "note", textContent: cause }),
      ...(children.length ? [make("ul", {}, ...children.map(branch))] : []));
  };
  const tree = make("ul", { className: "causes" }, ...roots.map(branch));
  if (page.cut) tree.append(make("li", { className: "note", textContent: "More belongs to it than is shown here." }));
  return tree;
}

/** A table of places of the state with what was and what is there; a sentence where there are none. */
export function changeTable(changes, words = "The state was the same after it.") {
  if (!changes.length) return note(words);
  const body = make("tbody");
  for (const { pointer, was, is } of changes.slice(0, childrenAtOnce)) {
    const cell = make("td");
    if (was !== undefined) cell.append(make("del", { textContent: line(was) }));
    if (was !== undefined && is !== undefined) cell.append(make("br"));
    if (is !== undefined) cell.append(make("ins", { textContent: line(is) }));
    body.append(make("tr", {}, make("td", { textContent: pointer || "the whole" }), cell));
  }
  const table = make("table", { className: "changes" }, body);
  if (changes.length <= childrenAtOnce) return table;
  return make("div", {}, table, note(`and ${count(changes.length - childrenAtOnce)} more`));
}

at("action-close").addEventListener("click", closeAction);

export function closeAction() {
  const key = chosen?.key;
  chosen = null;
  show(at("action"), false);
  const row = at("actions").querySelector(`.entry[data-key="${key}"]`);
  row?.removeAttribute("aria-current");
  (row ?? at("filter-type")).focus();
}
