// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
internal import Glibc

/// Follows a path one name at a time, so that no link is followed unseen, and judges each folder and link on the way.
///
/// Anyone who may change one of them chooses what is found at the end.
struct PathWalk {
    /// Where the walk ended: a path without links, if the folder it started from has none.
    private(set) var place: String
    /// The status of the file there; nil when there is none.
    private(set) var status: stat?
    /// The warnings, each once.
    private(set) var warnings: [String] = []
    /// Whether others may add files to the last folder on the way.
    private(set) var isOpen = false
    /// The first link on the way.
    private var link: String?
    /// The rules for owners and modes on the way.
    private let trust: FileTrust

    /// The number of links that the system follows on one path.
    private static let mostLinks = 40
    /// The device of the folders that the system generates for each process; nil when they are not visible.
    private static let processes = SystemFile.identity("/proc")?.device

    /// Walks to the end, or to the first name that does not exist.
    ///
    /// - Parameter folder: where the path starts, judged by the caller; nil for the root or the current folder.
    /// - Throws: for a folder or link that is not trustworthy; `behindLink` when it comes after a link.
    init(_ path: String, from folder: String? = nil, trust: FileTrust) throws(LibraryFileError) {
        self.trust = trust
        place = folder ?? ""
        var steps = path.split(separator: "/").map(String.init)
        if folder == nil {
            if !path.hasPrefix("/") {
                steps = SystemFile.currentFolder.split(separator: "/").map(String.init) + steps
            }
            // The root.
            steps.insert("", at: 0)
        }
        do throws(LibraryFileError) {
            try go(steps.reversed())
        } catch {
            guard let link else { throw error }
            throw .behindLink(path: link, error)
        }
    }

    /// Takes all steps, the last of the list first.
    private mutating func go(_ list: [String]) throws(LibraryFileError) {
        var steps = list
        var links = 0
        while let step = steps.popLast() {
            if step == "." { continue }
            let next = step.isEmpty ? "/" : (place == "/" ? "" : place) + "/" + step
            status = SystemFile.status(next)
            guard let status else {
                guard errno == ENOENT || errno == ENOTDIR else {
                    throw .system(path: next, call: "lstat", reason: SystemReason.last)
                }
                place = next
                return
            }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                links += 1
                guard links <= Self.mostLinks else {
                    throw .system(path: next, call: "open", reason: SystemReason.text(of: ELOOP))
                }
                guard SystemFile.isTrusted(owner: status.st_uid) else {
                    throw .foreignOwner(path: next, owner: status.st_uid)
                }
                link = link ?? next
                let target = try SystemFile.target(of: next)
                if target.hasPrefix("/") { place = "/" }
                steps += target.split(separator: "/").reversed().map(String.init)
            case S_IFDIR:
                if status.st_dev == Self.processes { throw .processFolder(path: next) }
                let warning = try trust.check(path: next, owner: status.st_uid, mode: status.st_mode)
                if let warning, !warnings.contains(warning) { warnings.append(warning) }
                isOpen = status.st_mode & (trust.isStrict ? 0o022 : 0o002) != 0
                place = next
            default:
                place = next
                // Names after a file lead nowhere.
                if !steps.isEmpty { self.status = nil }
                return
            }
        }
    }
}
