// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// `gatehouse validate` on a built library, with what the environment tells it to do wrong.
struct ValidatedPlugin {
    /// The name of the target.
    let target: String
    /// What the environment says besides.
    var environment: [String: String] = [:]
    /// Whether the calls that lead to a crash are looked for.
    var tracesCalls = false

    /// The fixture with the defect of a name; without a name it has none.
    static func defective(_ defect: String = "") -> ValidatedPlugin {
        ValidatedPlugin(target: "DefectivePlugin", environment: ["DEFECT": defect])
    }

    /// Runs the command; `only` are names of checks or groups, none for all.
    func validate(only: String..., arguments: [String] = []) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["validate", BuiltProducts.library(target)]
                + (only.isEmpty ? [] : ["--only", only.joined(separator: ",")]) + arguments,
            environment: environment, tracesCalls: tracesCalls)
    }

    /// The lines of the only result, with the outcome and the name of the check in front of the first.
    func result(of check: String) throws -> [String] {
        let outcome = try validate(only: check)
        #expect(outcome.errors == "")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.last?.hasPrefix("1 check: 1 ") == true, "\(outcome.output)")
        return lines.dropLast()
    }

    /// The numbers of processes that have this environment; those of tests that go on beside this one have another.
    static func processes(with variable: String) -> [String] {
        FileSystem.names(in: "/proc").filter { $0.allSatisfy(\.isNumber) }.filter { process in
            guard let bytes = try? FileSystem.read("/proc/\(process)/environ") else { return false }
            return bytes.split(separator: 0).contains { $0.elementsEqual(variable.utf8) }
        }
    }
}
