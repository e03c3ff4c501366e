// SPDX-License-Identifier: Apache-2.0
//
// The console of a host. It asks POST /control what `gatehouse ctl` asks the control socket, and hears from GET /events what
// passes. Text from the host becomes text of the page and nothing else: no markup is ever made of it.

import { at, pollPause } from "/console/page.js";
import { pollTimer, refresh, status } from "/console/chain.js";
import { hearing, isPaused, pause, restart, step } from "/console/actions.js";
import { closeAction } from "/console/action.js";
import "/console/trial.js";
import "/console/stretch.js";
import { refreshHour } from "/console/hour.js";
import { refreshCosts } from "/console/flame.js";
import { findBounds, pastNumber, showState, treeTimer } from "/console/state.js";

// MARK: Keys

const keysKey = "gatehouse keys";
at("keys-on").checked = sessionStorage.getItem(keysKey) !== "off";
at("keys-on").addEventListener("change", (event) => sessionStorage.setItem(keysKey, event.target.checked ? "on" : "off"));
at("keys").addEventListener("click", () => at("keys-dialog").showModal());
at("token-cancel").addEventListener("click", () => at("token-dialog").close("no"));

const shortcuts = {
  "/": () => at("filter-type").focus(),
  "j": () => step(1),
  "k": () => step(-1),
  "p": () => pause(!isPaused),
  "c": () => (at("chain-rows").querySelector(".switch") ?? at("chain")).focus(),
  "m": () => (at("member-rows").querySelector("button") ?? at("chain")).focus(),
  "s": () => (at("tree").querySelector("button") ?? at("past-slider")).focus(),
  "t": () => at("past-slider").focus(),
  "r": () => at("reload").focus(),
  "h": () => at("hour-of").focus(),
  "i": () => at("instance-of").focus(),
  "g": () => at("graph-of").focus(),
  "v": () => at("moment-from").focus(),
  "y": () => at("try").focus(),
  "?": () => at("keys-dialog").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (!at("outcome").hidden) at("outcome-close").click();
    else if (!at("action").hidden) closeAction();
    return;
  }
  if (!at("keys-on").checked || event.target.matches("input:not([type=range], [type=checkbox]), select, textarea")) return;
  const shortcut = shortcuts[event.key];
  if (!shortcut) return;
  event.preventDefault();
  shortcut();
});

// MARK: The beginning

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    hearing?.abort();
    clearTimeout(pollTimer);
    clearTimeout(treeTimer);
  } else {
    refresh();
    restart();
    if (pastNumber === null) showState();
  }
});

await refresh();
restart();
showState();
refreshHour();
refreshCosts();
findBounds();
setInterval(() => { if (!document.hidden && status?.journal) findBounds(); }, 60 * pollPause);
