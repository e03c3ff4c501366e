// SPDX-License-Identifier: Apache-2.0

package import GatehouseSupport
package import GatehouseValue

/// Plans and reloads for clients; called on the event loop, which must not be blocked.
@EventLoop
package protocol ControlReloading: AnyObject, Sendable {
    /// Returns the difference a reload would make, as JSON.
    func plan() async throws(ControlError) -> Value

    /// Reloads, and returns the changes.
    ///
    /// - Parameters:
    ///   - generation: the generation expected to run, refused if another does by now; nil for any.
    ///   - trial: how to try the reload on the past first; nil for no trial.
    func reload(expecting generation: Int?, trying trial: HistoryTrial?) async throws(ControlError) -> Value

    /// Releases a library from quarantine by its digest, after its instances have reduced what they missed; returns the changes.
    func release(catchingUp digest: String) async throws(ControlError) -> Value
}
