// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The place of the database, and the settings for its use.
struct DatabaseFile: Sendable {
    /// The folder, created when the file is first opened.
    let folder: String
    /// The operator's settings.
    let settings: Persistence.Settings

    /// The path of the file.
    var path: String { folder + "/" + settings.file }

    /// Creates folder and file if missing, for this user alone; leaves existing ones as they are.
    ///
    /// Refuses a link in place of either: its creator would choose the file that is written to.
    func make() throws(DocumentFailure) {
        try makeFolder()
        try refuseLink(folder, insteadOf: "a folder")
        // SQLite would make it readable to all, and gives the files beside it the same mode.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        try refuseLink(path, insteadOf: "a file")
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
                let words = unsafe String(cString: strerror(code))
                throw DocumentFailure(
                    reason: [EACCES, EROFS, EPERM].contains(code) ? .readOnly : .cannotOpen,
                    message:
                        "\(folder): the folder cannot be made: \(words); make it, or let this user write above it"
                )
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

    /// Throws where a path is a symbolic link.
    private func refuseLink(_ path: String, insteadOf kind: String) throws(DocumentFailure) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
        throw DocumentFailure(
            reason: .cannotOpen,
            message: "\(path): expected \(kind), found a symbolic link; put \(kind) in its place")
    }
}
