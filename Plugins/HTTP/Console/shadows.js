// SPDX-License-Identifier: Apache-2.0
//
// The shadows, and how they agree with their instances.

import { ask, at, clock, count, show, write } from "/console/page.js";
import { arrange, tableRow } from "/console/rows.js";
import { drawing, plotBars } from "/console/plot.js";

/** The rows by the ids of the shadows. */
const rows = new Map();
/** Whether an answer about the shadows is on its way; the host waits until they have heard what is recorded. */
let isAsking = false;
/** The numbers for which the minutes are shown. */
let known = "";

/** Shows the shadows of a status; asks for their minutes when their numbers have changed. */
export async function showShadows({ shadows = [] }) {
  show(at("shadows"), shadows.length > 0);
  const numbers = shadows.map(({ id, stage, heard, differing }) => `${id} ${stage} ${heard} ${differing}`).join();
  if (isAsking || numbers === known || shadows.length === 0) return;
  isAsking = true;
  try {
    const answer = await ask("shadow");
    arrange(at("shadow-rows"), rows, answer.shadows.map(({ id }) => id), shadowRow);
    for (const shadow of answer.shadows) showShadow(rows.get(shadow.id), shadow);
    known = numbers;
  } catch (error) {
    write(at("shadow-note"), error.message, true);
  } finally {
    isAsking = false;
  }
}

function shadowRow(id) {
  const [row, cell] = tableRow();
  row.name = document.createElement("strong");
  row.name.textContent = id;
  row.mark = document.createElement("span");
  row.mark.className = "mark";
  cell("instance", undefined, row.name, row.mark);
  row.heard = cell("number", "heard");
  row.differing = cell("number", "differing");
  row.svg = drawing();
  cell("minutes", "by minute", row.svg);
  return row;
}

function showShadow(row, shadow) {
  const { heard, differing } = shadow;
  const hasEnded = shadow.stage === "ended";
  const state = shadow.account?.state;
  write(row.mark, hasEnded ? `ended: ${shadow.reasons.join(" ")}` : state ? `of ${shadow.of}; the states differ: ${state.text}` : `of ${shadow.of}`, hasEnded || Boolean(state));
  write(row.heard, count(heard));
  write(row.differing, heard ? `${count(differing)} (${((100 * differing) / heard).toFixed(1)} %)` : count(differing), differing > 0);
  row.element.title = shadow.text.trimEnd();
  const minutes = shadow.account?.minutes ?? [];
  plotBars(row.svg, minutes.map((minute) => [minute.heard, minute.differing]));
  const last = minutes.at(-1);
  row.svg.setAttribute("aria-label", last
    ? `agreement of ${shadow.id} by minute: ${count(last.heard - last.differing)} of ${count(last.heard)} actions alike in the minute from ${clock(last.start)}`
    : `agreement of ${shadow.id} by minute: nothing heard yet`);
}
