// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The place of the database, and the settings for its use.
struct DatabaseFile: Sendable {
    /// The folder, created when the file is first opened.
    let folder: String
    /// The path of the file.
    let path: String
    /// The time that others may hold the file, in milliseconds.
    let busyTimeout: Int
    /// The accident that a reported change survives.
    let durability: Durability

    /// Describes a file in a folder, by the operator's settings.
    init(folder: String, settings: Persistence.Settings) {
        self.folder = folder
        path = folder + "/" + settings.file.text
        busyTimeout = settings.busyTimeout.milliseconds
        durability = settings.durability
    }

    /// Creates folder and file if missing, for this user alone; leaves existing ones as they are.
    ///
    /// Refuses a link in place of either: its creator would choose the file that is written to.
    func make() throws(DocumentFailure) {
        try makeFolder()
        if isLink(folder) { throw .link(folder, insteadOf: "a folder") }
        // SQLite would make it readable to all, and gives the files beside it the same mode.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        if isLink(path) { throw .link(path, insteadOf: "a file") }
    }

    /// Creates the folder, and those above it, for this user alone.
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
            // Folders above may exist that this user cannot see or create: only the last one decides.
            if end == folder.utf8.endIndex {
                throw .cannotMakeFolder(
                    folder, isReadOnly: code == EACCES || code == EROFS || code == EPERM,
                    words: unsafe String(cString: strerror(code)))
            }
        } while end != folder.utf8.endIndex
    }

    /// Ensures that the name of a folder is on the disk, if the system can open the one above.
    private func syncName(of path: String) {
        let above = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = unsafe open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Returns whether a path is a symbolic link.
    private func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
