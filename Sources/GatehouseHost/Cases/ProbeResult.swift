// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// What came of one line of `gatehouse probe`.
public struct ProbeResult: Sendable {
    /// The result as it is printed: an object with `did`, and beside it only what there is to tell.
    public let json: Value
    /// Whether the line is wrong, or the plugin has done something that an operator is told of as wrong.
    public let isBad: Bool
    /// Whether nothing can follow, because the plugin has not come to an end with it.
    public let isLast: Bool

    /// A result.
    ///
    /// - Parameters:
    ///   - did: what was done: `start`, `action`, `advance`, `gate`, `stop` or, for a line that cannot be read, `nothing`.
    ///   - members: what there is to tell besides.
    ///   - error: why the line was not done, or did not come to an end.
    init(
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
    /// Whether it says that something is wrong with a plugin or its input.
    var isBad: Bool {
        switch self {
        case .health(.ok, _), .heldInput, .log: false
        default: true
        }
    }
}
