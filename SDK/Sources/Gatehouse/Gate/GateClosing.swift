// SPDX-License-Identifier: Apache-2.0

/// What becomes of running effects when a gate closes.
@frozen
public enum GateClosing: String, Codable, Sendable, Hashable {
    /// They go on; what they emit while the gate is closed is dropped, what they emit after it opens again passes.
    case keep
    /// The effects that are running are cancelled.
    case cancel
}
