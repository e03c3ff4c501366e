// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// Counts of a host's crashes.
package struct CrashAccount: Equatable, Sendable {
    /// How often the supervisor has restarted the host; nil without one.
    package var restarts: Int?
    /// How often each instance has ended the host, as far as known.
    package var deaths: [String: Int]
    /// The number of libraries in quarantine.
    package var quarantined: Int
    /// The number of skipped inputs that are not yet dead letters.
    package var setAside: Int

    /// Creates counts of a host.
    package init(restarts: Int?, deaths: [String: Int], quarantined: Int, setAside: Int) {
        self.restarts = restarts
        self.deaths = deaths
        self.quarantined = quarantined
        self.setAside = setAside
    }

    /// The numbers as JSON members.
    package var value: Value {
        var members: Members = [
            "deaths": .object(
                deaths.sorted { $0.key < $1.key }.reduce(into: Members()) { $0[$1.key] = Value($1.value) }),
            "quarantined": Value(quarantined), "setAside": Value(setAside),
        ]
        members["restarts"] = restarts.map { Value($0) }
        return .object(members)
    }
}
