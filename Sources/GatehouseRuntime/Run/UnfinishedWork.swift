// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Work that an instance had not done when the time for it was over.
package struct UnfinishedWork: Equatable, Sendable, CustomStringConvertible {
    /// The id of the instance; nil for actions that interceptors delayed.
    package let instance: String?
    /// How many effects, or actions; 1 or more.
    package let count: Int

    /// Work that was left.
    package init(instance: String?, count: Int) {
        self.instance = instance
        self.count = count
    }

    /// The work and its owner, such as `3 effects of docs`.
    package var description: String {
        instance.map { Counted.text(count, "effect") + " of " + $0 } ?? Counted.text(count, "delayed action")
    }
}

extension Generation {
    /// What still holds the run open, by instance; called in the drain.
    var unfinished: [UnfinishedWork] {
        let effects = work { $0.activity.foreground }
        let delayed = queue.activity.foreground - effects.reduce(0) { $0 + $1.count }
        return delayed > 0 ? effects + [UnfinishedWork(instance: nil, count: delayed)] : effects
    }

    /// Effects that have not ended and begin again elsewhere, by instance; called in the drain.
    var recoverable: [UnfinishedWork] { work(\.recoverableEffects) }

    /// Effects in the background that have emitted nothing, by instance; called in the drain.
    var silent: [UnfinishedWork] { work { $0.activity.silent } }

    /// The instances that have some of a kind of work.
    private func work(_ count: (Instance) -> Int) -> [UnfinishedWork] {
        instances.map { UnfinishedWork(instance: $0.id, count: count($0)) }.filter { $0.count > 0 }
    }
}
