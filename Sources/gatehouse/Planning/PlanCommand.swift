// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK

/// `gatehouse plan`: shows what would run, in which order, and which instances hear what.
struct PlanCommand: ParsedCommand {
    /// The parsed command line.
    private let options: OptionReader
    /// The action type to show; nil for all.
    private let type: String?

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        type = options.operands.first
        if options.has("--graph"), let type { throw .unexpectedArgument(type, command: "plan") }
    }

    /// Prints the chain and its routes, as far as manifests and configuration define them; loads nothing.
    func run() throws(Ended) -> ExitCode {
        let plan = try options.file.plan()
        plan.diagnostics.write()
        // The plan of a configuration that cannot run would mislead.
        guard plan.failure == nil else { return plan.diagnostics.exitCode }
        if options.has("--graph") {
            Results.write(plan.graph)
            return .success
        }
        var routes = plan.routes
        if let type {
            guard let pattern = TypePattern(type) else {
                return .usage.because(
                    "expected an action type with \"*\" nowhere but at its end, found \"\(type)\"")
            }
            let known = routes.map(\.type)
            if !known.contains(type), let near = NearMiss.suggestion(for: type, among: known) {
                StandardError.tell("no instance names \(type); did you mean \"\(near)\"?")
            }
            routes = plan.routes(askedBy: pattern)
        }
        Results.write(
            plan.routing(routes),
            or: type == nil ? PlanText.plan(plan, routes) : PlanText.routes(plan, routes),
            isJSON: options.isJSON)
        return .success
    }
}
