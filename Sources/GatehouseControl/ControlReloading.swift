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

    /// Begins to try a candidate on recorded actions; returns its digest, before anything else is known.
    func tryCandidate(_ origin: CandidateOrigin, over extent: TrialExtent) async throws(ControlError) -> Value

    /// Returns how far the trial of the candidate with a digest is, or its outcome.
    ///
    /// - Parameter seen: the version of the step that the caller knows, for which the answer waits to be another one; nil for any.
    func trial(of digest: String, after seen: Int?) async throws(ControlError) -> Value

    /// How the shadows are doing, in the order of the configuration.
    var shadows: [ShadowStatus] { get }

    /// The same when all have heard an action or have ended, or after ten seconds.
    ///
    /// - Parameter sequence: the number of the action in the journal.
    func shadows(after sequence: UInt64) async -> [ShadowStatus]

    /// Puts the candidate with a digest in the place of what runs, by a reload; returns the changes.
    func swapCandidate(_ digest: String) async throws(ControlError) -> Value
}
