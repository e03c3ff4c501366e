// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What there is to count of the deaths of a host.
public struct CrashAccount: Equatable, Sendable {
    /// How often the supervisor has started the host again; nil without one.
    public var restarts: Int?
    /// How often each instance has ended the host, as far as that is known.
    public var deaths: [String: Int]
    /// How many libraries are in quarantine.
    public var quarantined: Int
    /// How many inputs are set aside and not yet dead letters.
    public var setAside: Int

    /// The numbers of a ledger.
    public init(_ ledger: CrashLedger, restarts: Int?) {
        self.restarts = restarts
        deaths = ledger.deaths
        quarantined = ledger.quarantined.count
        setAside = ledger.setAside.count
    }

    /// The numbers as members.
    var value: Value {
        var members: Members = [
            "deaths": .object(
                deaths.sorted { $0.key < $1.key }.reduce(into: Members()) { $0[$1.key] = Value($1.value) }),
            "quarantined": Value(quarantined), "setAside": Value(setAside),
        ]
        members["restarts"] = restarts.map { Value($0) }
        return .object(members)
    }
}
