// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// A folder that only this user may use, kept open.
///
/// Its contents are reached from its descriptor and never through links, so replacing a folder on the way has no effect.
package final class PrivateFolder: Sendable {
    /// Its path, without links.
    package let path: String
    /// The descriptor of the open folder.
    package let descriptor: Int32
    /// The modification time of the folder, in seconds since 1970, when it was opened.
    package let changed: Int

    /// Takes ownership of a descriptor; removes the permissions of others from a folder of this user.
    private init(_ descriptor: Int32, path: String) throws(ImageStoreError) {
        var status = stat()
        let result = unsafe fstat(descriptor, &status)
        // From here on a failure closes it.
        self.descriptor = descriptor
        self.path = path
        changed = status.st_mtim.tv_sec
        guard result == 0 else { throw Self.failure("fstat", path) }
        guard status.st_uid == geteuid() else { throw .foreign(path: path, owner: status.st_uid) }
        if status.st_mode & 0o7777 != 0o700, fchmod(descriptor, 0o700) != 0 {
            throw Self.failure("fchmod", path)
        }
    }

    deinit { close(descriptor) }

    /// Opens a folder of a folder by its path, and creates both if missing.
    ///
    /// Anyone who may write to a folder above could replace this one, so each of them is judged.
    ///
    /// - Parameter warn: called with each warning about owners and modes.
    package convenience init(
        _ name: String, below parent: String, trust: FileTrust, warn: (String) -> Void
    ) throws(ImageStoreError) {
        guard let resolved = Self.resolve(parent) else { throw Self.failure("mkdir", parent) }
        do throws(LibraryFileError) {
            let walk = try PathWalk(resolved, trust: trust)
            walk.warnings.forEach(warn)
            guard let status = walk.status, status.st_mode & S_IFMT == S_IFDIR else {
                throw .notAFolder(path: walk.place)
            }
        } catch {
            throw .file(error)
        }
        let path = (resolved == "/" ? "" : resolved) + "/" + name
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.failure("mkdir", path) }
        try self.init(Self.open(path, from: AT_FDCWD, path), path: path)
    }

    /// Opens a folder in this one, and creates it if missing.
    package func folder(_ name: String) throws(ImageStoreError) -> PrivateFolder {
        let path = path + "/" + name
        if let there = Self.find(name, from: descriptor) { return try PrivateFolder(there, path: path) }
        if errno == ENOENT, unsafe mkdirat(descriptor, name, 0o700) != 0, errno != EEXIST {
            throw Self.failure("mkdir", path)
        }
        return try PrivateFolder(Self.open(name, from: descriptor, path), path: path)
    }

    /// Returns when the names in it are on the disk, where the system of files has a way to say so.
    func sync(on disk: DiskCalls) throws(ImageStoreError) {
        guard disk.sync(descriptor, path) == 0 || errno == EINVAL else { throw Self.failure("fsync", path) }
    }

    /// Whether the folder has been removed; files created in it would be unreachable.
    var isGone: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) != 0 || status.st_nlink == 0
    }

    /// The names of its contents, in no order.
    package var names: [String] {
        guard let again = Self.find(".", from: descriptor) else { return [] }
        guard let folder = unsafe fdopendir(again) else {
            close(again)
            return []
        }
        defer { unsafe closedir(folder) }
        return unsafe SystemFile.names(in: folder)
    }

    /// The modification time of an entry, in seconds since 1970; nil when there is no such entry.
    package func changed(_ name: String) -> Int? {
        var status = stat()
        let result = unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
        return result == 0 ? status.st_mtim.tv_sec : nil
    }

    /// Removes a folder in this one with all its contents, as far as possible.
    func removeFolder(_ name: String) {
        if let folder = try? folder(name) {
            for file in folder.names where unsafe unlinkat(folder.descriptor, file, 0) != 0 {
                if errno == EISDIR { folder.removeFolder(file) }
            }
        }
        _ = unsafe unlinkat(descriptor, name, AT_REMOVEDIR)
    }

    /// The failure of the last system call.
    package static func failure(_ call: String, _ path: String) -> ImageStoreError {
        .file(.system(path: path, call: call, reason: SystemReason.last))
    }

    // MARK: - Implementation details

    /// Creates missing folders of a path and resolves its links; nil, with the reason in `errno`, on failure.
    private static func resolve(_ path: String) -> String? {
        if let resolved = real(path) { return resolved }
        var folder = ""
        for step in path.split(separator: "/") {
            folder += "/" + step
            if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST { return nil }
        }
        return real(path)
    }

    /// The path without links; nil when it leads nowhere.
    private static func real(_ path: String) -> String? {
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Opens a folder without following a link; nil, with the reason in `errno`, on failure.
    private static func find(_ name: String, from folder: Int32) -> Int32? {
        let found = unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return found >= 0 ? found : nil
    }

    /// Opens a folder without following a link.
    private static func open(
        _ name: String, from folder: Int32, _ path: String
    ) throws(ImageStoreError) -> Int32 {
        guard let found = find(name, from: folder) else {
            // The system reports a link in its place like a file.
            throw errno == ENOTDIR || errno == ELOOP ? .file(.notAFolder(path: path)) : failure("open", path)
        }
        return found
    }
}
