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

extension FileTrust {
    /// As many links as the system follows from one path.
    private static var mostLinks: Int { 40 }

    /// The file that a path leads to when it is a link, and what there is to warn about on the way; any other path itself.
    ///
    /// Each link, and each folder from the link to the file, must be as safe from strangers as the file: whoever may
    /// change one of them chooses the library.
    func follow(_ path: String) throws(LibraryFileError) -> (path: String, warnings: [String]) {
        guard let first = Self.status(path), first.st_mode & S_IFMT == S_IFLNK else { return (path, []) }
        do {
            return try walk(path)
        } catch {
            throw .behindLink(path: path, error)
        }
    }

    /// Goes from a link to the file, one name at a time, so that no link is followed unseen.
    private func walk(_ path: String) throws(LibraryFileError) -> (path: String, warnings: [String]) {
        let slash = path.lastIndex(of: "/")
        var folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var steps = [slash.map { String(path[path.index(after: $0)...]) } ?? path]
        var warnings: [String] = []
        var links = 0
        while let step = steps.popLast() {
            let place = (folder == "/" ? "" : folder) + "/" + step
            guard let status = Self.status(place) else {
                if errno == ENOENT || errno == ENOTDIR { throw .missing(path: place) }
                throw .system(path: place, call: "lstat", reason: SystemReason.last)
            }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                links += 1
                guard links <= Self.mostLinks else {
                    throw .system(path: place, call: "open", reason: SystemReason.text(of: ELOOP))
                }
                guard SystemFile.isTrusted(owner: status.st_uid) else {
                    throw .foreignOwner(path: place, owner: status.st_uid)
                }
                let target = try Self.target(of: place)
                if target.hasPrefix("/") { folder = "/" }
                steps += target.split(separator: "/").reversed().map(String.init).filter { $0 != "." }
            case S_IFDIR:
                if let warning = try check(path: place, owner: status.st_uid, mode: status.st_mode),
                    !warnings.contains(warning)
                {
                    warnings.append(warning)
                }
                folder = place
            default:
                // A file with names behind it is told by the next look, which finds no folder.
                guard !steps.isEmpty else { return (place, warnings) }
                folder = place
            }
        }
        throw .notARegularFile(path: folder)
    }

    /// What stands at a path, links not followed; nil, with the reason in `errno`, when that cannot be told.
    private static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status : nil
    }

    /// Where a link leads.
    private static func target(of link: String) throws(LibraryFileError) -> String {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &characters, characters.count)
        guard count >= 0 else { throw .system(path: link, call: "readlink", reason: SystemReason.last) }
        return String(decoding: characters[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
