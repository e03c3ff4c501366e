// SPDX-License-Identifier: Apache-2.0

/// Keeps dead letters for longer than the process lives.
package protocol DeadLetterStore: Sendable {
    /// Keeps a letter, which has its number; called on any thread, and does not wait.
    func bury(_ letter: DeadLetter)

    /// Forgets letters; called on any thread, and does not wait.
    func remove(deadLetters: [Int64])
}
