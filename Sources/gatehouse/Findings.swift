// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

/// Says on standard error what is wrong, and how the command ends because of it.
enum Findings {
    /// What keeps the host from starting, or only deserves a look.
    static func write(
        problems: [ConfigurationProblem], refusals: [PluginRefusal] = [], warnings: [String]
    ) {
        for problem in problems { StandardError.writeLine(problem.description) }
        for refusal in refusals { StandardError.writeLine(refusal.description) }
        for warning in warnings { StandardError.writeLine("gatehouse: warning: \(warning)") }
    }

    /// Everything that a plan has found.
    static func write(_ plan: HostPlan) {
        write(problems: plan.problems, refusals: plan.refusals, warnings: plan.warnings + plan.doubts)
    }

    /// How a command ends that has found this.
    static func code(_ failure: StartupFailure?) -> ExitCode {
        guard let failure else { return .success }
        return failure.isConfigurationBroken ? .configuration : .pluginRefused
    }
}
