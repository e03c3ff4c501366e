// SPDX-License-Identifier: Apache-2.0

package import GatehouseControl
package import GatehouseRuntime

extension CrashLedger {
    /// Quarantines the libraries whose reducers failed on the past; returns a sentence for each new one.
    package mutating func note(_ recovery: Recovery, at time: Double) -> [String] {
        recovery.fallen.compactMap {
            quarantine($0.digest, of: $0.plugin, because: $0.reason, at: time)
        }
    }

    /// Quarantines a library; returns a sentence, nil for one that is in quarantine already.
    package mutating func quarantine(
        _ digest: String, of plugin: String, because reason: String, at time: Double
    ) -> String? {
        guard quarantine(of: digest) == nil else { return nil }
        quarantined.append(Quarantine(digest: digest, plugin: plugin, since: time, reason: reason))
        return Self.told(plugin, reason)
    }

    /// The counts that a host reports.
    ///
    /// - Parameter restarts: how often the supervisor has restarted the host; nil without one.
    package func account(restarts: Int?) -> CrashAccount {
        CrashAccount(
            restarts: restarts, deaths: deaths, quarantined: quarantined.count, setAside: setAside.count)
    }
}
