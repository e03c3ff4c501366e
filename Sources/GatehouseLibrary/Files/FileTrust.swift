// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
package import Glibc

/// Looks at owner and mode: who could have put these bytes here.
public struct FileTrust: Sendable {
    /// Whether group-writable files are refused instead of warned about.
    public let isStrict: Bool

    /// The rules for one run.
    public init(isStrict: Bool) {
        self.isStrict = isStrict
    }

    /// Refuses what belongs to strangers or may be written by everybody.
    ///
    /// - Parameter mode: permissions and kind, as `stat` gives them.
    /// - Returns: a warning when the group may write and strictness was not asked for.
    func check(path: String, owner: UInt32, mode: UInt32) throws(LibraryFileError) -> String? {
        guard owner == 0 || owner == geteuid() else { throw .foreignOwner(path: path, owner: owner) }
        // A folder with the sticky bit, such as /tmp, lets nobody replace somebody else's file. To a file it means nothing.
        if mode & S_IFMT == S_IFDIR, mode & 0o1000 != 0 { return nil }
        if mode & 0o002 != 0 { throw .worldWritable(path: path, mode: mode) }
        guard mode & 0o020 != 0 else { return nil }
        if isStrict { throw .groupWritable(path: path, mode: mode) }
        return
            "\(path): its group may write to it (mode \(String(mode & 0o7777, radix: 8))); take that away with chmod g-w"
    }
}

extension FileTrust {
    /// The file that a path leads to when it is a link, and what there is to warn about on the way; any other path itself.
    ///
    /// Each link, and each folder from the link to the file, must be as safe from strangers as the file. Its folder is the
    /// caller's to judge. Nothing is opened.
    func follow(_ path: String) throws(LibraryFileError) -> (path: String, warnings: [String]) {
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

    /// Judges a file and all that leads to it, from the root.
    package func judge(_ path: String) throws(LibraryFileError) -> (status: stat, warnings: [String]) {
        let walk = try PathWalk(path, trust: self)
        guard let status = walk.status else { throw .missing(path: walk.place) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: walk.place) }
        let warning = try check(path: walk.place, owner: status.st_uid, mode: status.st_mode)
        return (status, walk.warnings + (warning.map { [$0] } ?? []))
    }
}
