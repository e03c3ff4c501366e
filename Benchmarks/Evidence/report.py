# SPDX-License-Identifier: Apache-2.0

"""The outcomes as Markdown."""

import statistics

import machine

TITLES = {
    "process": "The server is killed",
    "power": "The server is killed, and the machine loses what was not synced",
    "settled": "The same with everything synced before, which compares nothing: what is missing here was never written",
}


def heading(command, plan, folder, versions, sync):
    """The run in words: the command that repeats it, versions and machine."""
    return "\n".join(
        [
            f"`{command}`",
            "",
            f"Seed {plan.seed}: {plan.writers} writers with at most {plan.depth} actions on their way each send {plan.actions:,}"
            f" actions in each row, {plan.pace:,} a second; {len(plan.kills)} kills in each row, after the same numbers of"
            " acknowledged actions.",
            "",
            "- " + "; ".join(versions),
            f"- {machine.system()}; {machine.processors()}",
            f"- {machine.file_system(folder)}; writing 4 KiB and syncing them takes {sync * 1000:.2f} ms (median)",
        ]
    )


def table(failure, outcomes, settled):
    """The rows of one kind of failure; where everything was synced before, it says that it compares nothing."""
    title = TITLES["settled" if failure == "power" and settled else failure]
    lines = [
        f"**{title}**",
        "",
        "| | setting | an acknowledgement means | sent again under | acknowledged and lost | kills that lost some | doubled"
        " | reordered | serves again after (median) | (longest) |",
        "|---|---|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for outcome in outcomes:
        product, findings = outcome.product, outcome.findings
        cells = [
            product.title, product.setting, product.promise, product.names or "no name",
            f"{len(findings.lost):,}", f"{outcome.lossy:,}", f"{len(findings.doubled):,}", f"{len(findings.reordered):,}",
            milliseconds(statistics.median(outcome.again)) if outcome.again else "–",
            milliseconds(max(outcome.again)) if outcome.again else "–",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def speeds(rates, plan, rounds):
    """The rates without a kill and without a pace, by product."""
    lines = [
        f"**Nothing is killed, and the {plan.writers} writers send as fast as they can; the best of {rounds} rounds, in turns**",
        "",
        "| | setting | acknowledged a second |",
        "|---|---|---:|",
    ]
    lines += [f"| {product.title} | {product.setting} | {rate:,.0f} |" for product, rate in rates.items()]
    return "\n".join(lines)


def milliseconds(seconds):
    """Seconds as the table shows them."""
    return f"{seconds * 1000:,.0f} ms"
