// SPDX-License-Identifier: Apache-2.0

/// What a host does before anybody learns that something is kept: it looks whether its files are still there, and notes the promise.
///
/// Callable from any thread.
struct JournalSafety: Sendable {
    /// Looks at the files.
    private let presence: JournalPresence
    /// The promise beside the journal.
    private let promise: JournalPromise
    /// Whether what was committed is on the disk.
    private let isStrict: Bool

    /// The safety of a journal that is open.
    init(_ presence: JournalPresence, _ promise: JournalPromise, isStrict: Bool) {
        self.presence = presence
        self.promise = promise
        self.isStrict = isStrict
    }

    /// Called after a commit, before anybody learns of it.
    func committed(_ extent: JournalExtent) throws(JournalFailure) {
        try presence.check()
        if isStrict { try promise.raise(to: extent) }
    }

    /// Called when what was committed has reached the disk.
    func synced(_ extent: JournalExtent) throws(JournalFailure) { try promise.raise(to: extent) }
}
