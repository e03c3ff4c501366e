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

    /// Makes folder and file where they are not there, for this user alone; what exists stays as it is.
    ///
    /// A link in the place of either is refused: whoever put it there chooses what is written to.
    func make() throws(DocumentFailure) {
        try makeFolder()
        if isLink(folder) { throw .link(folder, insteadOf: "a folder") }
        // SQLite would let everybody read it, and makes the files beside it like this one.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        if isLink(path) { throw .link(path, insteadOf: "a file") }
    }

    /// Makes the folder, and those above it, for this user alone.
    private func makeFolder() throws(DocumentFailure) {
        var end = folder.utf8.startIndex
        repeat {
            let rest = folder.utf8[end...].dropFirst()
            end = rest.firstIndex(of: UInt8(ascii: "/")) ?? folder.utf8.endIndex
            let part = String(folder[..<end])
            guard unsafe mkdir(part, 0o700) != 0 else {
                syncName(of: part)
                continue
            }
            let code = errno
            if code == EEXIST { continue }
            // Above what this user may see, folders exist that cannot be made: only the last one decides.
            if end == folder.utf8.endIndex {
                throw .cannotMakeFolder(
                    folder, isReadOnly: code == EACCES || code == EROFS || code == EPERM,
                    words: unsafe String(cString: strerror(code)))
            }
        } while end != folder.utf8.endIndex
    }

    /// Makes sure that the name of a folder is on the disk, where the system lets the one above be opened.
    private func syncName(of path: String) {
        let above = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = unsafe open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Whether there is a symbolic link.
    private func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
