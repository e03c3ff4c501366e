// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK

/// `gatehouse list`: shows the instances in chain order, and the libraries without one.
struct ListCommand {
    /// The options of the command line.
    let options: PlanningOptions

    /// Prints them, including refused ones; loads nothing.
    func run() -> ExitCode {
        guard let plan = options.file.plan() else { return .configuration }
        plan.diagnostics.write()
        if options.isJSON {
            Results.write(plan.listing, .pretty)
        } else {
            Results.write(PlanText.list(plan))
        }
        return plan.diagnostics.exitCode
    }
}
