// SPDX-License-Identifier: Apache-2.0
//
// The stream of server-sent events.

import { headers, pollPause } from "/console/page.js";

/** Reads an event from its lines: its name, its data as text, and its id, if it has one. */
export function eventOf(block) {
  const event = { name: "message", data: "", id: undefined };
  for (const text of block.split("\n")) {
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/.exec(text) ?? [];
    if (field === "event") event.name = value;
    else if (field === "data") event.data += (event.data && "\n") + value;
    else if (field === "id") event.id = value;
  }
  return event;
}

/**
 * Takes a stream of server-sent events, and begins anew when it has ended; an EventSource would send no token.
 *
 * `began` is called whenever the host listens, `take` with the lines of each event, which nobody has read, and `failed` with the reason
 * why nothing is told.
 */
export async function hear(address, signal, { began, take, failed }) {
  let last;
  while (!signal.aborted) {
    try {
      const response = await fetch(address, { headers: headers(last === undefined ? {} : { "Last-Event-ID": last }), signal });
      if (!response.ok) {
        const { error } = await response.json();
        throw new Error(`What passes is not told at the moment: ${error}`);
      }
      began();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const blocks = (rest + part.value).replaceAll("\r\n", "\n").split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) take(block);
        const numbered = blocks.findLast((block) => block.includes("id: "));
        if (numbered !== undefined) last = eventOf(numbered).id ?? last;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TypeError)) failed(error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, 2 * pollPause));
  }
}
