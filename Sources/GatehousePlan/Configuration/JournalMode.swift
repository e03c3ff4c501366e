// SPDX-License-Identifier: Apache-2.0

/// When what was accepted is on the disk.
package enum JournalMode: String, CaseIterable, Sendable {
    /// Before it is acknowledged and dispatched.
    case strict
    /// At most 50 ms after it was accepted.
    case relaxed
}
