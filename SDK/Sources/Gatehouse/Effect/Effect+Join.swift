// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Joins of effects, with which a middleware gives several answers.
///
/// The parts start in order and then run concurrently. Each is an effect with its own token, kind and end, as if the middleware
/// had answered with each of them.
extension Effect: Monoid {
    /// Starts the left one, then the right one; joining n effects one by one takes n·log n steps, from either end.
    public static func <> (lhs: Effect, rhs: Effect) -> Effect {
        var rows = lhs.rows
        let seam = rows.count
        rows += rhs.rows
        pack(&rows, around: seam)
        return rows.count > 1 ? Effect(.all(rows, then: [])) : rows.first ?? .doNothing
    }

    /// The effect that does nothing.
    public static var identity: Effect { .doNothing }

    /// Starts the effects in this order; they then run concurrently.
    public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

    /// Starts the effects in this order; they then run concurrently.
    public static func merge(_ effects: [Effect]) -> Effect {
        let parts = effects.flatMap(\.parts)
        return parts.count > 1 ? Effect(.all(parts, then: [])) : parts.first ?? .doNothing
    }

    /// Returns an effect that first emits an action, whose source is the place of this call.
    public func prepend(
        _ action: OutputAction, file: String = #file, function: String = #function, line: UInt = #line
    ) -> Effect {
        .just(action, file: file, function: function, line: line) <> self
    }

    /// Returns an effect that emits one more action when all of it has ended by itself; the source is the place of this call.
    ///
    /// If a part is cancelled, or never ends, the action is not emitted.
    public func append(
        _ action: OutputAction, file: String = #file, function: String = #function, line: UInt = #line
    ) -> Effect {
        let last = DispatchedAction(action, file: file, function: function, line: line)
        guard doesSomething else { return Effect(.emit(last)) }
        if case .all(let parts, let earlier) = work { return Effect(.all(parts, then: earlier + [last])) }
        return Effect(.all([self], then: [last]))
    }

    /// The joined effects; a join with something to emit at its end counts as one.
    var parts: [Effect] { rows.flatMap(\.leaves) }

    /// The join as a row of effects and of joins of effects; of two neighbours one is always more than twice as large as the
    /// other.
    ///
    /// If effects are joined one by one from either end, each is so copied log n times. The idea is that of binary counters.
    private var rows: [Effect] {
        guard let parts = joined else { return doesSomething ? [self] : [] }
        // Two neighbours that are not joins mean that no part is one.
        return parts.prefix(2).allSatisfy { $0.size == 1 } ? [self] : parts
    }

    /// The parts of a join without last actions; nil for any other effect.
    private var joined: [Effect]? {
        if case .all(let parts, then: let last) = work, last.isEmpty { parts } else { nil }
    }

    /// The effects of one row.
    private var leaves: [Effect] { joined ?? [self] }

    /// The number of effects in a row.
    private var size: Int { joined?.count ?? 1 }

    /// Merges neighbours of too similar size, from where two joins meet outwards.
    private static func pack(_ rows: inout [Effect], around seam: Int) {
        var seam: Int? = seam
        while let place = seam {
            seam = [place, place + 1].first { right in
                guard right > 0, right < rows.count else { return false }
                let (a, b) = (rows[right - 1].size, rows[right].size)
                return max(a, b) <= 2 * min(a, b)
            }
            guard let right = seam else { return }
            let row = Effect(.all(rows[right - 1].leaves + rows[right].leaves, then: []))
            rows.replaceSubrange(right - 1...right, with: [row])
            seam = right - 1
        }
    }

    /// Returns the same join with each part changed; nil if it is not a join.
    func mapParts(_ change: (Effect) -> Effect) -> Effect? {
        guard case .all(let parts, let last) = work else { return nil }
        return Effect(.all(parts.map(change), then: last))
    }
}

/// Counts parts that end, and calls a closure after the last one.
private final class Countdown: Sendable {
    /// How many parts have not ended.
    private let left: Atomic<Int>
    /// Called when the last part has ended, on the thread where it ended.
    private let body: @Sendable () -> Void

    /// Waits for one part or more.
    init(_ count: Int, _ body: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.body = body
    }

    /// Counts one part that ended.
    func step() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { body() }
    }
}

extension Effect {
    /// Starts the parts of a join, and emits its last actions when all have ended; called in the drain.
    ///
    /// - Parameter whole: the effect that they are parts of; nil for none.
    static func start(
        _ parts: [Effect], then last: [DispatchedAction<OutputAction>],
        _ context: Context, _ output: AnyActionHandler<OutputAction>,
        within whole: UInt64?, onEnd: (@Sendable () -> Void)?
    ) {
        guard !last.isEmpty || onEnd != nil else {
            for part in parts { part.perform(context, output, within: whole) }
            return
        }
        let countdown = Countdown(parts.count) {
            output.dispatch(last)
            onEnd?()
        }
        for part in parts { part.perform(context, output, within: whole) { countdown.step() } }
    }
}
