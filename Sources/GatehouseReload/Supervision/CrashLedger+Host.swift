// SPDX-License-Identifier: Apache-2.0

package import GatehouseControl
package import GatehouseRuntime

extension CrashLedger {
    /// Quarantines the libraries whose reducers failed on the past; returns a sentence for each new one.
    package mutating func note(_ recovery: Recovery, at time: Double) -> [String] {
        recovery.fallen.compactMap { library in
            guard quarantine(of: library.digest) == nil else { return nil }
            quarantined.append(
                Quarantine(
                    digest: library.digest, plugin: library.plugin, since: time, reason: library.reason))
            return Self.told(library.plugin, library.reason)
        }
    }

    /// The counts that a host reports.
    ///
    /// - Parameter restarts: how often the supervisor has restarted the host; nil without one.
    package func account(restarts: Int?) -> CrashAccount {
        CrashAccount(
            restarts: restarts, deaths: deaths, quarantined: quarantined.count, setAside: setAside.count)
    }
}
