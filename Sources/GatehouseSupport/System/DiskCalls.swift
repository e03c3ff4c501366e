// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The calls of the system that change files which have to outlive the power; a simulated disk has others.
///
/// Each sets `errno` where it fails. Callable from any thread, as those of the system are.
package struct DiskCalls: Sendable {
    /// Creates a file that only its mode opens to others, where nothing has its path; gives its descriptor, or -1.
    package var create: @Sendable (_ path: String, _ mode: UInt32) -> Int32
    /// Writes bytes at a place of a file that was opened at a path; gives how many, or -1.
    package var write: @Sendable (_ file: Int32, _ path: String, _ bytes: [UInt8], _ place: Int) -> Int
    /// Returns 0 when the contents of a file that was opened at a path are on the disk, else -1.
    package var sync: @Sendable (_ file: Int32, _ path: String) -> Int32
    /// Gives a file another path, where it takes the place of what is there; 0, or -1.
    package var rename: @Sendable (_ path: String, _ other: String) -> Int32
    /// Removes a file; 0, or -1.
    package var remove: @Sendable (_ path: String) -> Int32
    /// Returns 0 when the names in a folder are on the disk, or the system cannot tell, else -1.
    package var syncFolder: @Sendable (_ path: String) -> Int32

    /// Calls that somebody else answers.
    package init(
        create: @escaping @Sendable (_ path: String, _ mode: UInt32) -> Int32,
        write: @escaping @Sendable (_ file: Int32, _ path: String, _ bytes: [UInt8], _ place: Int) -> Int,
        sync: @escaping @Sendable (_ file: Int32, _ path: String) -> Int32,
        rename: @escaping @Sendable (_ path: String, _ other: String) -> Int32,
        remove: @escaping @Sendable (_ path: String) -> Int32,
        syncFolder: @escaping @Sendable (_ path: String) -> Int32
    ) {
        self.create = create
        self.write = write
        self.sync = sync
        self.rename = rename
        self.remove = remove
        self.syncFolder = syncFolder
    }

    /// Writes all bytes from a place of a file on; false, with the reason in `errno`, on failure.
    package func writeAll(_ bytes: [UInt8], to file: Int32, _ path: String, at start: Int) -> Bool {
        var place = 0
        while place < bytes.count {
            let count = write(file, path, place == 0 ? bytes : Array(bytes[place...]), start + place)
            if count < 0, errno == EINTR { continue }
            if count == 0 { errno = ENOSPC }
            guard count > 0 else { return false }
            place += count
        }
        return true
    }

    /// Those of the system.
    package static let system = DiskCalls { path, mode in
        unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    } write: { file, _, bytes, place in
        unsafe pwrite(file, bytes, bytes.count, place)
    } sync: { file, _ in
        fsync(file)
    } rename: { path, other in
        unsafe Glibc.rename(path, other)
    } remove: { path in
        unsafe unlink(path)
    } syncFolder: { path in
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Who may not open it may have been allowed to change it.
        guard folder >= 0 else { return 0 }
        defer { close(folder) }
        // Some systems of files have nothing to sync in a folder.
        return fsync(folder) == 0 || errno == EINVAL ? 0 : -1
    }
}
