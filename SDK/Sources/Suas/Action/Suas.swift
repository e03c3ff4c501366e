// SPDX-License-Identifier: Apache-2.0

private import Gatehouse

/// Creates stores.
///
/// A store takes over its reducer and middleware: the compiler lets no other code use them unless they are
/// `Sendable`. `onProblem` receives misuse, in the store's turn, or while the store is created; by default a line
/// goes to standard error. `maximumChain` limits how many actions may follow from one in a chain, each dispatched in
/// answer to the one before on the store's own thread, and `maximumActions` how many may follow from one altogether.
/// Further actions are dropped and reported.
public enum Suas {
    /// The default limit of dispatches that each answer the previous one.
    public static let defaultMaximumChain: Int = 1000

    /// Writes a problem as one line to standard error.
    public static func reportToStandardError(_ problem: StoreProblem) {
        StandardError.report(problem, by: "Suas")
    }
}
