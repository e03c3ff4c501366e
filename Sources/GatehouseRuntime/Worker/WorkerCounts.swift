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

    /// Lets an activity count these instead of others.
    func replace(_ other: WorkerCounts, in activity: Activity) {
        Self.change(other.finishing, finishing, .finishing, activity)
        Self.change(other.foreground - other.finishing, foreground - finishing, .foreground, activity)
        Self.change(other.background, background, .background, activity)
    }

    /// Begins or ends as many of a kind as there are more or fewer.
    private static func change(_ before: Int, _ now: Int, _ kind: Activity.Kind, _ activity: Activity) {
        for _ in 0..<max(0, now - before) { activity.begin(kind) }
        for _ in 0..<max(0, before - now) { activity.end(kind) }
    }
}
