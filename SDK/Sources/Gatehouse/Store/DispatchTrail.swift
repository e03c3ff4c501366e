// SPDX-License-Identifier: Apache-2.0

/// One link of a chain of synchronous outputs, kept only near its limit.
@usableFromInline
final class DispatchTrail<Action: Sendable> {
    /// The output that this link stands for.
    let action: DispatchedAction<Action>
    /// The link it was emitted in answer to; nil for the oldest one kept.
    let previous: DispatchTrail?

    /// Lengthens a chain by one output.
    init(_ action: DispatchedAction<Action>, after previous: DispatchTrail?) {
        self.action = action
        self.previous = previous
    }

    /// From the oldest link to this one.
    var actions: [DispatchedAction<Action>] {
        var actions: [DispatchedAction<Action>] = []
        var link: DispatchTrail? = self
        while let current = link {
            actions.append(current.action)
            link = current.previous
        }
        return actions.reversed()
    }
}
