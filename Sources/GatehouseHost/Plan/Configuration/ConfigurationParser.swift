// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// Reads `plugins.json`.
public enum ConfigurationParser {
    /// Reads the bytes of a configuration file; `file` is its name as messages show it.
    ///
    /// Any bytes are accepted. Text that is not JSON gives its first error alone; otherwise every problem is
    /// reported. Looks at nothing but the bytes: whether a library exists is a later question.
    public static func parse(_ bytes: [UInt8], file: String) -> ConfigurationOutcome {
        let log = LocatedLog(file: file)
        let configuration = LocatedNode(parsing: bytes, log: log).flatMap(HostConfiguration.read)
        let findings = log.problems.map { problem in
            Finding(
                problem.isWarning ? .warning : .error,
                at: Finding.Place(file: file, position: problem.position, pointer: problem.path.pointer),
                problem.words)
        }
        return ConfigurationOutcome(readable: configuration, findings: Findings(findings))
    }
}
