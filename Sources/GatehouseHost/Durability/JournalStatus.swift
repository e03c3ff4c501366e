// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What there is to know about the journal of a running host.
public struct JournalStatus: Equatable, Sendable {
    /// Whether inputs are committed before they are dispatched.
    public var mode: JournalMode
    /// The number of the last action that reached the reducers; in relaxed mode it may be on its way to the disk.
    public var recorded: UInt64
    /// The action behind which the last snapshot of the state was taken in this run; nil before the first.
    public var snapshot: UInt64?
    /// How long ago that was; nil before the first.
    public var snapshotAge: Duration?
    /// The bytes of its files.
    public var bytes: Int
    /// How often the journal was opened for writing.
    public var epoch: Int
    /// How many images of generations are kept beside it.
    public var images: Int
    /// How many bytes they take together.
    public var imageBytes: Int

    /// The status as the control socket tells it.
    var value: Value {
        [
            "mode": .string(mode.rawValue), "recorded": Value(Int(clamping: recorded)),
            "snapshot": snapshot.map { Value(Int(clamping: $0)) } ?? .null,
            "snapshotAge": snapshotAge.map { .double($0 / .seconds(1)) } ?? .null, "bytes": Value(bytes),
            "epoch": Value(epoch),
            "images": ["kept": Value(images), "bytes": Value(imageBytes)],
        ]
    }
}
