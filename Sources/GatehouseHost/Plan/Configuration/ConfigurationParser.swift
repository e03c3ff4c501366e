// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

/// Reads `plugins.json`.
public enum ConfigurationParser {
    /// Reads the bytes of a configuration file; `file` is its name as messages show it.
    ///
    /// Any bytes are accepted. Text that is not JSON gives its first error alone; otherwise every problem is
    /// reported. Looks at nothing but the bytes: whether a library exists is a later question.
    public static func parse(_ bytes: [UInt8], file: String) -> ConfigurationOutcome {
        let log = ProblemLog(file: file)
        let document: LocatedValue
        do {
            document = try JSONText.parseLocated(bytes)
        } catch {
            log.report(.syntax(error.reason), at: error.position, pointer: .whole)
            return .broken(log.sorted, readable: nil)
        }
        let root = ConfigurationNode(value: document, pointer: .whole, log: log)
        let configuration = HostConfiguration.read(root)
        let problems = log.sorted
        guard let configuration, !problems.contains(where: { $0.severity == .error }) else {
            return .broken(problems, readable: configuration)
        }
        return .usable(configuration, warnings: problems)
    }
}
