// SPDX-License-Identifier: Apache-2.0

private import CLinux
package import GatehouseManifest
internal import GatehouseSupport
private import Glibc

/// The bytes of a library at one moment, in memory that can no longer change.
///
/// The judged bytes are the loaded ones: replacing, overwriting or truncating the file afterwards has no effect. The
/// descriptor is closed with the last reference; an image that was loaded from it stays.
package final class SealedFile: Sendable {
    /// The file that the bytes came from.
    package let path: String
    /// SHA-256 of the bytes.
    package let digest: Digest
    /// The file's name without its folder.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    /// How many bytes there are.
    package let count: Int
    /// Warnings about owner and mode.
    package let warnings: [String]
    /// The sealed memory file.
    package let descriptor: Int32

    /// The maximum size of a library: 512 MiB.
    package static var sizeLimit: Int { 512 << 20 }

    /// Copies a file into sealed memory, after judging its owner and mode, and those of each link and folder on the way
    /// from a link to it.
    ///
    /// - Parameter trust: the rules; nil to read any file, for inspection only.
    package init(path: String, trust: FileTrust?) throws(LibraryFileError) {
        let way = try trust?.follow(path)
        let (file, status) = try SystemFile.openRegular(way?.path ?? path, following: false)
        defer { close(file) }
        guard status.st_size <= Self.sizeLimit else {
            throw .tooLarge(path: path, bytes: Int(status.st_size), limit: Self.sizeLimit)
        }
        let warning = try trust?.check(path: way?.path ?? path, owner: status.st_uid, mode: status.st_mode)
        let memory = unsafe Self.label(of: path).withCString { unsafe gatehouse_memfd_create($0) }
        guard memory >= 0 else {
            throw .system(path: path, call: "memfd_create", reason: SystemReason.text(of: -memory))
        }
        do throws(LibraryFileError) {
            let count = try Self.copy(from: file, to: memory, path: path)
            let sealed = gatehouse_memfd_seal(memory)
            guard sealed == 0 else {
                throw LibraryFileError.system(
                    path: path, call: "fcntl(F_ADD_SEALS)", reason: SystemReason.text(of: -sealed))
            }
            self.count = count
            digest = unsafe try Self.withBytes(of: memory, count: count, path: path) {
                unsafe SHA256.digest($0)
            }
        } catch {
            close(memory)
            throw error
        }
        self.path = path
        descriptor = memory
        warnings = (way?.warnings ?? []) + (warning.map { [$0] } ?? [])
    }

    deinit { close(descriptor) }

    /// Lends the bytes, which are unmapped when the closure returns.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(LibraryFileError) -> Result {
        unsafe try Self.withBytes(of: descriptor, count: count, path: path, body)
    }

    /// Maps the bytes for the duration of the closure; a `count` of 0 gives an empty buffer.
    private static func withBytes<Result>(
        of descriptor: Int32, count: Int, path: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(LibraryFileError) -> Result {
        guard count > 0 else { return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0),
            unsafe start != MAP_FAILED
        else {
            throw .system(path: path, call: "mmap", reason: SystemReason.last)
        }
        defer { unsafe munmap(start, count) }
        return unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Copies to the present end of the file, up to the limit.
    private static func copy(from file: Int32, to memory: Int32, path: String) throws(LibraryFileError) -> Int
    {
        var total = 0
        while true {
            let copied = sendfile(memory, file, nil, SystemFile.chunk)
            if copied == 0 { return total }
            if copied < 0 {
                if errno == EINTR { continue }
                throw .system(path: path, call: "sendfile", reason: SystemReason.last)
            }
            total += copied
            guard total <= sizeLimit else { throw .tooLarge(path: path, bytes: total, limit: sizeLimit) }
        }
    }

    /// The file's name, as a label of at most 249 bytes, the limit of the kernel.
    private static func label(of path: String) -> String {
        String(decoding: (path.split(separator: "/").last ?? "").utf8.prefix(200), as: UTF8.self)
    }
}
