// SPDX-License-Identifier: Apache-2.0
//
// Two moments of the past: what changed between them, and the actions between them as lines of a file.

import { announce, ask, askForText, at, count, make, many, parse, press, show, write } from "/console/page.js";
import { status } from "/console/chain.js";
import { changeTable } from "/console/action.js";

/** So many actions are exported at once; the command beside the button knows no bound. */
const mostExported = 100_000;
const exportedAtOnce = 1_000;
const importedAtOnce = 100;

const [from, to] = [at("moment-from"), at("moment-to")];
/** Tells beside the buttons how far something is. */
const tell = (text, isBad = false) => write(at("stretch-note"), text, isBad);
/** Tells what came of it, also to screen readers. */
const conclude = (text, isBad = false) => {
  tell(text, isBad);
  announce(text, isBad);
};

/** The two moments, the earlier one first. */
function moments() {
  const pair = [from, to].map((field) => Number(field.value));
  if ([from, to].some((field) => field.value === "" || !field.validity.valid)) throw new Error("Give the numbers of two actions; 0 is the beginning.");
  return pair[0] <= pair[1] ? pair : pair.reverse();
}

function showCommands() {
  const [first, last] = [Number(from.value), Number(to.value)].sort((one, other) => one - other);
  write(at("compare-command"), `diff <(gatehouse state --at ${first}) <(gatehouse state --at ${last})`);
  write(at("export-command"), `gatehouse history --json --from ${first + 1} --to ${last}`);
}

function setMoments(first, last) {
  [from.value, to.value] = [first, last];
  showCommands();
}

/** Shows the part for a host that looks back, and begins with its last action. */
document.addEventListener("status", () => {
  const recorded = status.journal?.recorded ?? 0;
  show(at("stretch"), recorded > 0);
  for (const field of [from, to]) field.max = recorded;
  if (recorded > 0 && from.value === "" && document.activeElement !== from) setMoments(recorded - 1, recorded);
});

for (const field of [from, to]) field.addEventListener("input", showCommands);

// MARK: What changed

const changesBetween = async (since, moment) => (await ask("state", { at: moment, since, depth: 1 })).changes;
const differs = async (since, moment) => (await changesBetween(since, moment)).length > 0;

async function compare() {
  const [since, moment] = moments();
  tell("going over the journal …");
  at("stretch-changes").replaceChildren();
  try {
    const changes = await changesBetween(since, moment);
    conclude(`${many(changes.length, "difference")} between the states after actions ${count(since)} and ${count(moment)}.`);
    at("stretch-changes").replaceChildren(changeTable(changes, "The state is the same at both."));
  } catch (error) {
    conclude(error.message, true);
  }
}

/**
 * Finds the nearest action after which the state differs, away from a moment: in steps that double, and then by halves, so that a
 * long way takes few states. Gives nil when there is none up to the end.
 */
async function nearest(moment, end) {
  const direction = Math.sign(end - moment);
  let [same, distance] = [0, 1];
  const away = (steps) => (direction > 0 ? differs(moment, moment + steps) : differs(moment - steps, moment));
  const most = Math.abs(end - moment);
  if (most === 0) return null;
  while (!(await away(distance))) {
    if (distance === most) return null;
    [same, distance] = [distance, Math.min(2 * distance, most)];
  }
  while (distance - same > 1) {
    const middle = same + Math.floor((distance - same) / 2);
    if (await away(middle)) distance = middle;
    else same = middle;
  }
  return direction > 0 ? moment + distance : moment - same;
}

async function step(isForward) {
  const [since, moment] = moments();
  tell("looking for the action …");
  const { bounds } = await ask("history", { limit: 1 });
  const number = isForward ? await nearest(moment, bounds.last) : await nearest(since, bounds.first - 1);
  if (number === null) return conclude(`No action ${isForward ? `after ${count(moment)}` : `up to ${count(since)}`} changed the state.`);
  setMoments(number - 1, number);
  await compare();
}

/** A button that looks something up; what is refused is told beside it. */
function looks(id, body) {
  at(id).addEventListener("click", (event) => press(event.currentTarget, async () => {
    try {
      await body();
    } catch (error) {
      conclude(error.message, true);
    }
  }));
}

at("moments").addEventListener("submit", (event) => {
  event.preventDefault();
  press(at("compare"), compare);
});
looks("change-before", () => step(false));
looks("change-after", () => step(true));

// MARK: Lines

/** The texts of the actions in an answer, byte for byte as the command prints them, which escapes what moves a terminal. */
function actionTexts(text) {
  const texts = [];
  let [depth, begin, isQuoted] = [0, 0, false];
  for (let place = text.indexOf('"actions":[') + 11; place < text.length; place += 1) {
    const sign = text[place];
    if (isQuoted) {
      if (sign === "\\") place += 1;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') {
      isQuoted = true;
    } else if (sign === "{" || sign === "[") {
      if (depth === 0) begin = place;
      depth += 1;
    } else if (sign === "}" || sign === "]") {
      if (depth === 0) break;
      depth -= 1;
      if (depth === 0) texts.push(text.slice(begin, place + 1));
    }
  }
  return texts.map((one) => one.replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, (sign) => `\\u${sign.codePointAt(0).toString(16).padStart(4, "0")}`));
}

async function exportLines() {
  const [since, last] = moments();
  if (last - since > mostExported) throw new Error(`${count(last - since)} actions are more than the ${count(mostExported)} that are exported here at once; use the command beside the button.`);
  const pages = [];
  let [before, found] = [last + 1, 0];
  while (before !== undefined && before > since + 1) {
    const { result, text } = await askForText("history", { before, limit: Math.min(exportedAtOnce, before - since - 1) });
    const texts = actionTexts(text).filter((_, place) => result.actions[place].sequence > since);
    found += texts.length;
    pages.unshift(texts.map((one) => one + "\n").join(""));
    before = result.earlier;
    tell(`${count(found)} actions so far …`);
  }
  const address = URL.createObjectURL(new Blob(pages, { type: "application/x-ndjson" }));
  make("a", { href: address, download: `actions-${since + 1}-${last}.ndjson` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  conclude(`${many(found, "action")} exported.`);
}

looks("export", exportLines);
looks("import", () => at("import-file").click());

/**
 * The action of a line: the line itself, or that of a recorded action; nil for one that follows from others by itself. What an interceptor
 * emitted follows from an input only where that was let pass, too; `inputs` has the numbers of those before.
 */
function actionIn(told, inputs) {
  if (told?.sequence === undefined || told.action === undefined) return told;
  const { kind, input } = told.cause ?? {};
  if (kind === "input") inputs.add(input);
  const follows = kind === "output" || kind === "own" || kind === "interception" && (input === undefined || inputs.has(input));
  return follows ? null : told.action;
}

/** Dispatches the actions of a file in order, up to the first that is refused. */
async function importLines(text) {
  let [sent, following, batch, number] = [0, 0, [], 0];
  const inputs = new Set();
  const send = async () => {
    if (batch.length) await ask("dispatch", { actions: batch });
    sent += batch.length;
    batch = [];
    tell(`${count(sent)} actions dispatched so far …`);
  };
  const result = () => `${many(sent, "action")} dispatched${following ? `; ${many(following, "recorded action")} left out, because what was dispatched leads to them again` : ""}`;
  try {
    for (const one of text.split("\n")) {
      number += 1;
      if (!one.trim()) continue;
      const action = actionIn(parse(one), inputs);
      if (action === null) following += 1;
      else batch.push(action);
      if (batch.length === importedAtOnce) await send();
    }
    await send();
  } catch (error) {
    conclude(`${result()}; none from there up to line ${count(number)}: ${error.message}`, true);
    return;
  }
  conclude(`${result()}.`);
}

at("import-file").addEventListener("change", (event) => press(at("import"), async () => {
  const [file] = event.target.files;
  if (!file) return;
  await importLines(await file.text());
  event.target.value = "";
}));
