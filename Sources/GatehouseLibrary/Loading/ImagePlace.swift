// SPDX-License-Identifier: Apache-2.0

/// Where the images of accepted libraries are mapped from.
package enum ImagePlace: String, CaseIterable, Sendable {
    /// Files in this user's cache folder, which backtraces, debuggers and profilers find.
    case cache
    /// Sealed memory, which leaves nothing behind.
    case memory
}
