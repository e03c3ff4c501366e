// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSDK

/// The status of a running host's journal.
package struct JournalStatus: Equatable, Sendable {
    /// Whether inputs are committed before they are dispatched.
    package var mode: JournalMode
    /// The number of the last action that reached the reducers; in relaxed mode it may not be on disk yet.
    package var recorded: UInt64
    /// The action after which the last snapshot of the state was taken in this run; nil before the first.
    package var snapshot: UInt64?
    /// The age of that snapshot; nil before the first.
    package var snapshotAge: Duration?
    /// The size of the files in bytes.
    package var bytes: Int
    /// How often the journal was opened for writing.
    package var epoch: Int
    /// The number of kept images of generations.
    package var images: Int
    /// Their size in bytes.
    package var imageBytes: Int

    /// The status as the control socket writes it.
    package var value: Value {
        [
            "mode": .string(mode.rawValue), "recorded": Value(Int(clamping: recorded)),
            "snapshot": snapshot.map { Value(Int(clamping: $0)) } ?? .null,
            "snapshotAge": snapshotAge.map { .double($0 / .seconds(1)) } ?? .null, "bytes": Value(bytes),
            "epoch": Value(epoch),
            "images": ["kept": Value(images), "bytes": Value(imageBytes)],
        ]
    }
}
