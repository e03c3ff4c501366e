// SPDX-License-Identifier: Apache-2.0

/// How the work of effects is run; chosen for a store, and by a host for each instance.
///
/// What an effect only emits, as `.just` and `.sequence` do, and what it cancels, is done in any case: that is an answer, not work.
public enum EffectExecution: Sendable {
    /// In tasks on the threads of the process.
    case tasks
    /// In tasks that prefer an executor, such as the one of a test, which knows when nothing is left to run.
    case preferring(any TaskExecutor)
    /// In tasks on the threads of the process, once somebody lets them begin who must keep before that they are to run.
    case held(any EffectHold)
    /// Not at all: an effect is counted as stubbed and never ends. For looking back at what was, where doing it again would be wrong.
    case stubbed

    /// What tasks prefer; nil for the threads of the process.
    var executor: (any TaskExecutor)? {
        if case .preferring(let executor) = self { executor } else { nil }
    }
}

/// Keeps the work of effects from beginning until what has led to it is safe.
public protocol EffectHold: AnyObject, Sendable {
    /// Takes the beginning of an effect's work, to be called later, in the drain, and once; letting go of it without a call ends
    /// the effect without work.
    ///
    /// Called in the drain, in the pass of the action that starts the effect.
    func wait(_ begin: @escaping () -> Void)
}
