// SPDX-License-Identifier: Apache-2.0

private import Glibc

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
