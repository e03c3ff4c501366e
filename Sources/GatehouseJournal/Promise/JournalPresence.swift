// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// Looks whether the files that a host has open are still those that the next start will find.
///
/// A file that was removed or moved away can be written to as before; what goes into it then is lost with the process.
struct JournalPresence: Sendable {
    /// The files by path, and which file each path led to when the journal was opened.
    private let files: [(path: String, identity: SystemFile.Identity)]
    /// The path of the journal, for failures.
    private let journal: String

    /// Takes note of the files of a journal that is open, its log included.
    init(folder: String) throws(JournalFailure) {
        let journal = folder + "/" + JournalSchema.fileName
        self.journal = journal
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

    /// Looks at all of them.
    ///
    /// - Throws: the first that is not there any more.
    func check() throws(JournalFailure) {
        for file in files where SystemFile.identity(file.path) != file.identity {
            throw JournalFailure(journal, .writing, .gone(path: file.path))
        }
    }
}
