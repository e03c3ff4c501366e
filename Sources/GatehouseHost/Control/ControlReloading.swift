// SPDX-License-Identifier: Apache-2.0

public import GatehouseSupport
public import GatehouseValue

/// Plans and reloads on behalf of clients; called on the event loop, which must not be kept waiting.
@EventLoop
public protocol ControlReloading: AnyObject, Sendable {
    /// The difference that a reload would make, as JSON.
    func plan() async throws(ControlError) -> Value

    /// Reloads, and says what has changed.
    ///
    /// - Parameters:
    ///   - generation: refused when there is another generation by now; nil for whichever there is.
    ///   - trial: how it is tried on the past before; nil for not at all.
    func reload(expecting generation: Int?, trying trial: HistoryTrial?) async throws(ControlError) -> Value

    /// Lets a library out of quarantine, by its digest, whose instances reduce before what they have missed; says what has changed.
    func release(catchingUp digest: String) async throws(ControlError) -> Value
}
