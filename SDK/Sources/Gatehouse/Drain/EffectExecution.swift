// SPDX-License-Identifier: Apache-2.0

/// How effects run their work; chosen for a store, and by a host for each instance.
///
/// Mere emissions, as of `.just` and `.sequence`, and cancellations happen in any case: they are answers, not work.
public enum EffectExecution: Sendable {
    /// In tasks on the threads of the process.
    case tasks
    /// In tasks that prefer an executor, such as that of a test, which knows when nothing is left to run.
    case preferring(any TaskExecutor)
    /// In tasks on the threads of the process, once the hold, which must first record that they will run, lets them begin.
    case held(any EffectHold)
    /// Not at all: an effect counts as stubbed and never ends.
    ///
    /// For inspecting the past, where repeating the work would be wrong.
    case stubbed

    /// The executor that tasks prefer; nil for the threads of the process.
    var executor: (any TaskExecutor)? {
        if case .preferring(let executor) = self { executor } else { nil }
    }
}

/// Keeps effects from beginning their work until its cause is safe.
public protocol EffectHold: AnyObject, Sendable {
    /// Takes a closure that begins an effect's work, to be called later, once, in the drain.
    ///
    /// Releasing it without a call ends the effect without work. Called in the drain, in the pass of the action that starts the
    /// effect.
    func wait(_ begin: @escaping () -> Void)
}
