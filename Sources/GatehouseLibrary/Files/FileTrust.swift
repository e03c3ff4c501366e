// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
package import Glibc

/// Judges by owner and mode who could have put these bytes here.
package struct FileTrust: Sendable {
    /// Whether group-writable files are refused instead of warned about.
    package let isStrict: Bool

    /// The rules for one run.
    package init(isStrict: Bool) {
        self.isStrict = isStrict
    }

    /// Refuses files of strangers, and files that everybody may write to.
    ///
    /// - Parameter mode: permissions and kind, as `stat` gives them.
    /// - Returns: a warning when the group may write and the rules are not strict.
    package func check(path: String, owner: UInt32, mode: UInt32) throws(LibraryFileError) -> String? {
        guard owner == 0 || owner == geteuid() else { throw .foreignOwner(path: path, owner: owner) }
        // In a folder with the sticky bit, such as /tmp, nobody can replace another user's file. On a file it means
        // nothing.
        if mode & S_IFMT == S_IFDIR, mode & 0o1000 != 0 { return nil }
        if mode & 0o002 != 0 { throw .worldWritable(path: path, mode: mode) }
        guard mode & 0o020 != 0 else { return nil }
        if isStrict { throw .groupWritable(path: path, mode: mode) }
        return
            "\(path): its group may write to it (mode \(String(mode & 0o7777, radix: 8))); take that away with chmod g-w"
    }
}

extension FileTrust {
    /// Follows a path if it is a link; returns the target, and the warnings on the way. Returns any other path unchanged.
    ///
    /// Each link, and each folder from the link to the file, must be as safe from strangers as the file. The caller judges
    /// its own folder. Nothing is opened.
    package func follow(_ path: String) throws(LibraryFileError) -> (path: String, warnings: [String]) {
        guard let first = SystemFile.status(path) else { return (path, []) }
        guard first.st_mode & S_IFMT == S_IFLNK else {
            _ = try check(path: path, owner: first.st_uid, mode: first.st_mode)
            return (path, [])
        }
        let (folder, name) = SystemFile.parts(of: path)
        let walk = try PathWalk(name, from: folder, trust: self)
        guard let status = walk.status else { throw .behindLink(path: path, .missing(path: walk.place)) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .behindLink(path: path, .notARegularFile(path: walk.place))
        }
        _ = try check(path: walk.place, owner: status.st_uid, mode: status.st_mode)
        return (walk.place, walk.warnings)
    }

    /// Judges a file and everything on the way to it, from the root.
    package func judge(_ path: String) throws(LibraryFileError) -> (status: stat, warnings: [String]) {
        let walk = try PathWalk(path, trust: self)
        guard let status = walk.status else { throw .missing(path: walk.place) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: walk.place) }
        let warning = try check(path: walk.place, owner: status.st_uid, mode: status.st_mode)
        return (status, walk.warnings + (warning.map { [$0] } ?? []))
    }
}
