// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where the database is and how it is used.
struct DatabaseFile: Sendable {
    /// The folder, made when the file is opened first.
    let folder: String
    /// The path of the file.
    let path: String
    /// How many milliseconds others may hold the file.
    let busyTimeout: Int
    /// What a reported change survives.
    let durability: Durability

    /// A file in a folder, as the operator wants it.
    init(folder: String, settings: Persistence.Settings) {
        self.folder = folder
        path = folder + "/" + settings.file.text
        busyTimeout = settings.busyTimeout.milliseconds
        durability = settings.durability
    }

    /// Makes the folder, and those above it, for this user alone; one that exists stays as it is.
    func makeFolder() throws(DocumentFailure) {
        var end = folder.utf8.startIndex
        repeat {
            let rest = folder.utf8[end...].dropFirst()
            end = rest.firstIndex(of: UInt8(ascii: "/")) ?? folder.utf8.endIndex
            let part = String(folder[..<end])
            guard unsafe mkdir(part, 0o700) != 0, errno != EEXIST else { continue }
            let code = errno
            // Above what this user may see, folders exist that cannot be made: only the last one decides.
            if end == folder.utf8.endIndex {
                throw .cannotMakeFolder(
                    folder, isReadOnly: code == EACCES || code == EROFS || code == EPERM,
                    words: unsafe String(cString: strerror(code)))
            }
        } while end != folder.utf8.endIndex
    }
}
