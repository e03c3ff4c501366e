// SPDX-License-Identifier: Apache-2.0

private import Glibc

extension SystemFile {
    /// Replaces the contents of a file atomically.
    ///
    /// Writes the bytes to a file beside it first, with `.new` after its name, and renames that one. Two at a time spoil each other.
    ///
    /// - Parameters:
    ///   - isLasting: whether the contents are on the disk when this returns, so that they survive a power failure.
    ///   - mode: the mode of the new file, as far as the umask allows.
    ///   - disk: carries the calls out.
    /// - Throws: the call that failed; then the file is unchanged, and none is left beside it. Where the last call failed, which puts the
    ///   name on the disk, the file is replaced, and a power failure may bring the old contents back.
    package static func replace(
        _ path: String, with bytes: [UInt8], isLasting: Bool, mode: UInt32 = 0o600,
        by disk: DiskCalls = .system
    ) throws(SystemFailure) {
        let other = path + ".new"
        _ = disk.remove(other)
        let file = disk.create(other, mode)
        guard file >= 0 else { throw .last }
        var isWritten = disk.writeAll(bytes, to: file, other, at: 0)
        if isWritten, isLasting { isWritten = disk.sync(file, other) == 0 }
        var failure = isWritten ? nil : SystemFailure.last
        close(file)
        if failure == nil, disk.rename(other, path) != 0 { failure = .last }
        if let failure {
            _ = disk.remove(other)
            throw failure
        }
        // The name is in the folder, which must be written too.
        if isLasting, disk.syncFolder(parts(of: path).folder) != 0 { throw .last }
    }

    /// Ensures that the names in a folder are on the disk, where the system allows opening it.
    package static func syncFolder(_ path: String) { _ = DiskCalls.system.syncFolder(path) }

    /// Creates a folder that only its owner may use, unless it exists; its name is on the disk when this returns.
    ///
    /// - Throws: the call that failed.
    package static func makeFolder(_ path: String) throws(SystemFailure) {
        if unsafe mkdir(path, 0o700) == 0 { return syncFolder(parts(of: path).folder) }
        if errno != EEXIST { throw .last }
    }

    /// Restricts files to their owner, where that is possible.
    package static func makePrivate(_ paths: [String]) {
        for path in paths { _ = unsafe chmod(path, 0o600) }
    }

    /// Creates an empty file that only its owner may read and write; does nothing where one exists.
    package static func createPrivately(_ path: String) throws(SystemFailure) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file < 0, errno == EEXIST { return }
        guard file >= 0 else { throw .last }
        close(file)
    }

    /// Creates a file that everybody may read, as far as the umask allows.
    ///
    /// - Throws: the call that failed, also if the file exists.
    package static func create(_ path: String, with bytes: [UInt8]) throws(SystemFailure) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .last }
        defer { close(file) }
        guard write(bytes, to: file) else { throw .last }
    }

    /// Writes all bytes; false, with the reason in `errno`, on failure.
    package static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
