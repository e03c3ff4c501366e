// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
package import GatehouseSDK

/// The result of one line of `gatehouse probe`.
package struct ProbeResult: Sendable {
    /// The result as it is printed: an object with `did`, and only those other members that apply.
    package let json: Value
    /// Whether the line is wrong, or the plugin did something that is reported to operators as wrong.
    package let isBad: Bool
    /// Whether this is the last result, because the plugin did not return.
    package let isLast: Bool

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - did: what was done: `start`, `action`, `advance`, `gate`, `stop` or, for a line that cannot be read, `nothing`.
    ///   - members: further members.
    ///   - error: why the line was not carried out, or did not finish.
    package init(
        did: String, _ members: Members = Members(), error: String? = nil, isBad: Bool = false,
        isLast: Bool = false
    ) {
        var all: Members = ["did": .string(did)]
        for (key, value) in members { all[key] = value }
        all["error"] = error.map(Value.string)
        json = .object(all)
        self.isBad = isBad || error != nil
        self.isLast = isLast
    }
}

extension HostReport {
    /// Whether the report indicates a problem with a plugin or its input.
    var isBad: Bool {
        switch self {
        case .health(.ok, _), .heldInput, .log: false
        default: true
        }
    }
}
