// SPDX-License-Identifier: Apache-2.0

/// The fate of running effects when a gate closes.
@frozen
public enum GateClosing: String, Codable, Sendable, Hashable {
    /// They continue; what they emit while the gate is closed is dropped, what they emit after it reopens passes.
    case keep
    /// Running effects are cancelled.
    case cancel
}
