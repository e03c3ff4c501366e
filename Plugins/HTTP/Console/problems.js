// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with the host, and the dead letters.

import { announce, ask, at, control, count, json, line, make, parse, press, quoted, show, write } from "/console/page.js";

let shownProblems = "";
let letters = { kept: 0, letters: [] };
let knownLetters = "";

/** Shows what is wrong, each with what to do about it. */
export async function showProblems(status) {
  const state = `${status.deadLetters} ${status.pid}`;
  if (status.deadLetters > 0 && (state !== knownLetters || letters.kept === 0)) {
    try {
      letters = await ask("deadLetters", { limit: 20 });
      knownLetters = state;
    } catch {
      return;
    }
  } else if (status.deadLetters === 0) {
    letters = { kept: 0, letters: [] };
  }
  const reload = status.lastReload?.result === "refused" ? status.lastReload : null;
  const ill = status.instances.filter((instance) => instance.quarantine || instance.health === "failing");
  const facts = [reload, letters, ill.map(({ id, quarantine, reason }) => [id, quarantine, reason]), status.input.rejected];
  const known = line(facts);
  if (known === shownProblems) return;
  shownProblems = known;
  const items = [];
  if (reload) items.push(reloadProblem(reload));
  for (const instance of ill) items.push(instanceProblem(instance));
  if (letters.letters.length > 1) {
    items.push(problem(`${count(letters.kept)} actions came to nothing`, "", "Mend what kept them from being done, then let them be processed once more, as if they were dispatched now.",
      control("Redispatch all", "ctl redispatch --all", () => redispatch({ all: true }))));
  }
  for (const letter of [...letters.letters].reverse()) items.push(letterProblem(letter));
  if (status.input.rejected > 0) {
    items.push(problem(`${count(status.input.rejected)} lines of input were no action`, "", "The host tells line, column and reason of each on its standard error."));
  }
  const list = at("problem-list");
  const hadFocus = list.contains(document.activeElement);
  list.replaceChildren(...items);
  show(at("problems"), items.length > 0);
  if (hadFocus) (list.querySelector("button") ?? at("reload")).focus();
}

function problem(what, reason, advice, ...controls) {
  return make("li", {},
    make("span", { className: "what", textContent: what }),
    ...(reason ? [make("span", { className: "reason mono", textContent: reason })] : []),
    make("span", { className: "advice", textContent: advice }), ...controls);
}

function reloadProblem(reload) {
  const places = (reload.problems ?? []).filter((one) => one.severity === "error").map((one) =>
    `${one.file ? `${one.file}:${one.line}:${one.column}: ` : ""}${one.pointer ? `${one.pointer}: ` : ""}${one.message}`);
  const libraries = (reload.refusals ?? []).map((one) => `${one.library ?? one.instance}: ${one.reasons.join("; ")}`);
  return problem("The last reload was refused", [...places, ...libraries].join("\n"),
    `Generation ${reload.generation} runs on untouched. Correct what is named, then reload.`);
}

function instanceProblem(instance) {
  if (!instance.quarantine) {
    return problem(`${instance.id} is failing`, instance.reason, "It says so itself; its plugin's documents know what that means.");
  }
  return problem(`${instance.id} is in quarantine`, instance.quarantine,
    "Replace its library, or let it out to try it again.",
    control("Release", `ctl release ${quoted(instance.id)}`, async () => {
      await ask("release", { name: instance.id });
      announce(`${instance.id} is out of quarantine; the configuration is reloaded`);
    }));
}

const letterAdvice = {
  "misfit": "Correct what sends it, or the plugin that should read it, then redispatch it.",
  "refused-output": "Allow the type in the instance's entry, or redispatch it to let in this one.",
  "late": "A reload had taken its instance away; redispatch it if it is still wanted.",
  "set-aside": "It has ended the process more than once; redispatch it when the plugin is mended.",
  "failed": "See why the instance could not do it, then redispatch it.",
  "quarantined": "Release the library, then redispatch it.",
  "stopped": "Redispatch it when its interceptor lets it pass, or change its settings.",
  "gated": "Open the gate, then redispatch it.",
  "refused-input": "Redispatch it to let in this one.",
  "unfinished": "See why it was not begun again, then redispatch it if it is still wanted.",
};

export function letterProblem(letter) {
  const about = letter.instance ? ` at ${letter.instance}` : "";
  const from = letter.source?.input ? `${letter.source.input}:${letter.source.line}: ` : "";
  const item = problem(`${letter.type}${about}: ${letter.kind}`, from + letter.reason, letterAdvice[letter.kind] ?? "");
  const open = control("Open", `ctl dead-letters --show ${letter.id}`, async () => openLetter(letter));
  item.append(make("span", { className: "pair" }, ...(letter.action
    ? [control("Redispatch", `ctl redispatch ${letter.id}`, () => redispatch({ ids: [letter.id] }))] : []), open));
  return item;
}

/** The letter in the dialog; it is looked at and changed there, whatever else happens on the page. */
let opened = null;

function openLetter(letter) {
  opened = letter;
  write(at("letter-title"), `Dead letter ${letter.id}: ${letter.kind}`);
  write(at("letter-reason"), `${letter.instance ? `${letter.instance}: ` : ""}${letter.reason}`);
  write(at("letter-note"), letter.action ? "It is dispatched as it stands here." : "Its action was not stored with it; write one to dispatch in its place.");
  at("letter-action").value = letter.action ? json(letter.action) : "";
  write(at("letter-problem"), "");
  at("letter-dialog").showModal();
  at("letter-action").focus();
}

at("letter-redispatch").addEventListener("click", () => {
  const text = at("letter-action").value;
  const chosen = { ids: [opened.id] };
  if (!opened.action || text !== json(opened.action)) {
    try {
      chosen.action = parse(text);
    } catch (error) {
      return write(at("letter-problem"), error.message);
    }
  }
  at("letter-dialog").close();
  press(at("letter-redispatch"), () => redispatch(chosen));
});

at("letter-discard").addEventListener("click", () => {
  const { id } = opened;
  at("letter-dialog").close();
  press(at("letter-discard"), async () => {
    const { results } = await ask("discard", { ids: [id] });
    announce(results[0].reason ?? `dead letter ${id} is discarded`, results[0].became !== "discarded");
    knownLetters = "";
  });
});

at("letter-cancel").addEventListener("click", () => at("letter-dialog").close());

async function redispatch(chosen) {
  const { results } = await ask("redispatch", chosen);
  const done = results.filter((result) => result.became === "processed").length;
  const reasons = results.filter((result) => result.reason).map((result) => result.reason);
  announce(`${done} of ${results.length} processed${reasons.length ? `; ${reasons[0]}` : ""}`, done < results.length);
  knownLetters = "";
}
