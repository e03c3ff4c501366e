// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// What a host does before anybody learns that something is kept: it looks whether the files that it has open are still those that the
/// next start will find, and notes the promise.
///
/// A file that was removed or moved away can be written to as before; what goes into it then is lost with the process. Callable from any
/// thread.
struct JournalSafety: Sendable {
    /// The files by path, and which file each path led to when the journal was opened.
    private let files: [(path: String, identity: SystemFile.Identity)]
    /// The path of the journal, for failures.
    private let journal: String
    /// The promise beside the journal.
    private let promise: JournalPromise
    /// Whether what was committed is on the disk.
    private let isStrict: Bool

    /// Takes note of the files of a journal that is open, its log included.
    init(folder: String, _ promise: JournalPromise, isStrict: Bool) throws(JournalFailure) {
        journal = folder + "/" + JournalSchema.fileName
        self.promise = promise
        self.isStrict = isStrict
        // Whole, so that a change of the current folder changes nothing.
        let whole = folder.hasPrefix("/") ? folder : SystemFile.currentFolder + "/" + folder
        var files: [(path: String, identity: SystemFile.Identity)] = []
        for name in [JournalSchema.fileName, JournalSchema.fileName + "-wal", JournalPromise.fileName] {
            let path = whole + "/" + name
            guard let identity = SystemFile.identity(path) else {
                throw JournalFailure(journal, .opening, .system(call: "stat \(path)", code: errno))
            }
            files.append((path, identity))
        }
        self.files = files
    }

    /// Called after a commit, before anybody learns of it.
    func committed(_ extent: JournalExtent) throws(JournalFailure) {
        for file in files where SystemFile.identity(file.path) != file.identity {
            throw JournalFailure(journal, .writing, .gone(path: file.path))
        }
        if isStrict { try promise.raise(to: extent) }
    }

    /// Called when what was committed has reached the disk.
    func synced(_ extent: JournalExtent) throws(JournalFailure) { try promise.raise(to: extent) }
}
