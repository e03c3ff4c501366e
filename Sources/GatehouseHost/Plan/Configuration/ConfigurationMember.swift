// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

/// One key of an object in the file, and its value.
struct ConfigurationMember {
    /// The key without its quotes and escapes.
    let key: String
    /// The beginning of the key, its opening quote.
    let keyPosition: TextPosition
    /// The value with its place.
    let node: ConfigurationNode

    /// Notes a problem with the key itself.
    func report(_ reason: ConfigurationProblem.Reason, severity: ConfigurationProblem.Severity = .error) {
        node.log.report(reason, at: keyPosition, pointer: node.pointer, severity: severity)
    }
}
