// SPDX-License-Identifier: Apache-2.0

/// The state of a plugin that keeps none; such a plugin owns no slice.
public struct NoState: Codable, Sendable, Equatable {
    /// Creates the only value.
    public init() {}
}
