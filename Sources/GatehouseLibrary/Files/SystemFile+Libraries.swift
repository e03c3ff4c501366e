// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport
package import Glibc

/// System calls for judging libraries.
extension SystemFile {
    /// Opens a plain file for reading, and returns its status; the caller closes it.
    ///
    /// - Parameter following: whether to follow a link at the end of the path; otherwise it is not a plain
    ///   file.
    /// - Throws: that there is none, that it is something else, or the system's reason.
    package static func openRegular(
        _ path: String, following: Bool = true
    ) throws(LibraryFileError) -> (descriptor: Int32, status: stat) {
        let file = unsafe open(
            path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (following ? 0 : O_NOFOLLOW))
        guard file >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .missing(path: path)
            // A socket, or a missing device.
            case ENXIO: throw .notARegularFile(path: path)
            case ELOOP where !following: throw .notARegularFile(path: path)
            default: throw .system(path: path, call: "open", reason: SystemReason.last)
            }
        }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else {
            let reason = SystemReason.last
            close(file)
            throw .system(path: path, call: "fstat", reason: reason)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .notARegularFile(path: path)
        }
        return (file, status)
    }

    /// Lends the bytes of a plain file, which are read on demand.
    package static func withSparseCopy<Result>(
        of path: String, _ body: (SparseCopy, UnsafeRawBufferPointer) -> Result
    ) throws(LibraryFileError) -> Result {
        let (file, status) = try openRegular(path)
        defer { close(file) }
        let copy = try SparseCopy(descriptor: file, count: Int(status.st_size), path: path)
        return unsafe copy.withBytes { unsafe body(copy, $0) }
    }

    /// The digest of a plain file, read through a small window.
    package static func digest(ofFile path: String) throws(LibraryFileError) -> Digest {
        let (file, status) = try openRegular(path)
        defer { close(file) }
        return try digest(of: file, count: Int(status.st_size), path: path)
    }

    /// The digest of the first `count` bytes of a file, or of fewer if it has become shorter, read through a small window.
    static func digest(of file: Int32, count total: Int, path: String) throws(LibraryFileError) -> Digest {
        var hash = SHA256()
        var window = [UInt8](repeating: 0, count: chunk)
        var position = 0
        while true {
            let wanted = min(window.count, total - position)
            let count = unsafe pread(file, &window, wanted, off_t(position))
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw .system(path: path, call: "pread", reason: SystemReason.last)
            }
            if count == 0 { return hash.finish() }
            unsafe window.withUnsafeBytes {
                unsafe hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            position += count
        }
    }

    /// The target of a symbolic link.
    package static func target(of link: String) throws(LibraryFileError) -> String {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &characters, characters.count)
        guard count >= 0 else { throw .system(path: link, call: "readlink", reason: SystemReason.last) }
        return String(decoding: characters[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
