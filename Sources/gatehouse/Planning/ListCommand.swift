// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK

/// `gatehouse list`: shows the instances in chain order, and the libraries without one.
struct ListCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Prints them, including refused ones; loads nothing.
    func run() throws(Ended) -> ExitCode {
        let plan = try options.file.plan()
        plan.diagnostics.write()
        Results.write(plan.listing, or: PlanText.list(plan), isJSON: options.isJSON)
        return plan.diagnostics.exitCode
    }
}
