// SPDX-License-Identifier: Apache-2.0

/// The signs of life of a host: the number of the last question, and of the last that each part of it has come to.
package struct RecordedSigns: Equatable, Sendable {
    /// How many questions there were.
    package var asked: UInt64
    /// The last that the event loop has come to.
    package var loop: UInt64
    /// The last that the threads have come to which all tasks share.
    package var pool: UInt64
}
