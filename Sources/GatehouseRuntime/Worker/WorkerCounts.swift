// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// How many effects run in a worker, as its last checkpoint says.
struct WorkerCounts: Equatable {
    /// Effects that hold a run open.
    var foreground = 0
    /// The finishing ones among them.
    var finishing = 0
    /// Those that run for ever.
    var background = 0

    /// No effects.
    init() {}

    /// Takes counts from a message.
    init(_ frame: inout Frame) throws(FrameFailure) {
        foreground = Int(try frame.number(UInt32.self))
        finishing = Int(try frame.number(UInt32.self))
        background = Int(try frame.number(UInt32.self))
        guard finishing <= foreground, foreground <= Self.most, background <= Self.most else {
            throw .badNumber("a count of effects")
        }
    }

    /// So many effects of a kind an instance may have.
    private static let most = 1 << 20

    /// Lets an activity count those that others do not have.
    func begin(beyond other: WorkerCounts, in activity: Activity) {
        for (kind, count) in more(than: other) {
            for _ in 0..<count { activity.begin(kind) }
        }
    }

    /// Lets an activity no longer count those that others do not have.
    func end(beyond other: WorkerCounts, in activity: Activity) {
        for (kind, count) in more(than: other) {
            for _ in 0..<count { activity.end(kind) }
        }
    }

    /// How many more of each kind there are.
    private func more(than other: WorkerCounts) -> [(kind: Activity.Kind, count: Int)] {
        [
            (.finishing, max(0, finishing - other.finishing)),
            (.foreground, max(0, foreground - finishing - (other.foreground - other.finishing))),
            (.background, max(0, background - other.background)),
        ]
    }
}
