// SPDX-License-Identifier: Apache-2.0

private import Gatehouse

/// Makes stores.
///
/// A store takes over its reducer and middleware: the compiler lets nobody else use them unless they are `Sendable`.
/// `onProblem` is told about misuse, in the store's turn, or while the store is created; unless given, a line goes to
/// standard error. `maximumChain` is how many actions, each dispatched in answer to the one before on the store's own
/// thread, may follow from one, and `maximumActions` how many may follow from one altogether; what would be more is
/// dropped and reported.
public enum Suas {
    /// How many dispatches may answer one another, unless given.
    public static let defaultMaximumChain: Int = 1000

    /// Writes a problem as one line to standard error.
    public static func reportToStandardError(_ problem: StoreProblem) {
        StandardError.report(problem, by: "Suas")
    }
}
