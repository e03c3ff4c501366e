// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK

/// `gatehouse plan`: shows what would run, in which order, and which instances hear what.
struct PlanCommand {
    /// The options of the command line.
    let options: PlanningOptions

    /// Prints the chain and its routes, as far as manifests and configuration define them; loads nothing.
    func run() -> ExitCode {
        guard let plan = options.file.plan() else { return .configuration }
        plan.diagnostics.write()
        // The plan of a configuration that cannot run would mislead.
        guard plan.failure == nil else { return plan.diagnostics.exitCode }
        if options.isGraph {
            Results.write(plan.graph)
            return .success
        }
        var routes = plan.routes
        if let type = options.type {
            guard let pattern = TypePattern(type) else {
                StandardError.writeLine(
                    "gatehouse: expected an action type with \"*\" nowhere but at its end, found \"\(type)\"")
                return .usage
            }
            let known = routes.map(\.type)
            if !known.contains(type), let near = NearMiss.suggestion(for: type, among: known) {
                StandardError.writeLine(
                    "gatehouse: no instance names \(type); did you mean \"\(near)\"?")
            }
            routes = plan.routes(askedBy: pattern)
        }
        if options.isJSON {
            Results.write(plan.routing(routes), .pretty)
        } else if options.type == nil {
            Results.write(PlanText.plan(plan, routes))
        } else {
            Results.write(PlanText.routes(plan, routes))
        }
        return .success
    }
}
