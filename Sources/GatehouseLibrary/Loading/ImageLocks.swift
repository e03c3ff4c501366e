// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseManifest
internal import GatehouseSupport
private import Glibc

/// Records which images of a store are in use: for life, each host shares a lock on each image that it has mapped.
///
/// All locks are on single bytes of one file that is never written to, at the offset that an image's digest determines. So a
/// thousand images take one descriptor, a host that dies releases everything, and no file that somebody waits for is ever
/// removed. Two digests with the same offset would only spare each other.
final class ImageLocks: Sendable {
    /// The file's name in the store.
    private static let name = "lock"
    /// The byte before those of all digests; its exclusive lock gives the right to remove images.
    private static let clearing: Int64 = 0

    /// This opening of the file, which owns the locks.
    private let descriptor: Int32
    /// Whether the locks last until the process ends, as images do.
    private let isForEver: Bool

    /// Opens the file, and creates it if missing.
    ///
    /// A second opening in the same process competes with the first as one in another process would.
    ///
    /// - Parameter isForEver: whether the locks last until the process ends, as images do; otherwise this object releases
    ///   them.
    init(in store: PrivateFolder, isForEver: Bool = false) throws(ImageStoreError) {
        self.isForEver = isForEver
        descriptor = unsafe openat(
            store.descriptor, Self.name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateFolder.failure("open", store.path + "/" + Self.name) }
    }

    deinit { if !isForEver { close(descriptor) } }

    /// Protects an image from removal until this opening of the file ends.
    func share(_ image: Digest, in store: PrivateFolder) throws(ImageStoreError) {
        let result = gatehouse_lock_share(descriptor, Self.place(of: image))
        guard result == 0 else {
            throw .file(
                .system(
                    path: store.path + "/" + Self.name, call: "fcntl(F_OFD_SETLKW)",
                    reason: SystemReason.text(of: -result)))
        }
    }

    /// Whether nobody else uses an image; if so, nobody can begin to until this opening of the file ends.
    func isAlone(withPlace place: Int64) -> Bool { gatehouse_lock_alone(descriptor, place) == 0 }

    /// Whether nobody else removes images; if so, nobody begins to until this opening of the file ends.
    func mayClear() -> Bool { isAlone(withPlace: Self.clearing) }

    /// The time in seconds since 1970 at which the store was last cleared, or made.
    var cleared: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status.st_mtim.tv_sec : 0
    }

    /// Records that the store is cleared now.
    func noteClearing() { _ = futimens(descriptor, nil) }

    /// The byte of an image.
    private static func place(of image: Digest) -> Int64 {
        place(from: image.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The byte for a digest's text; nil for any other text.
    static func place(of digest: String) -> Int64? {
        let digits = Array("0123456789abcdef".utf8)
        guard digest.utf8.count == 64, digest.utf8.allSatisfy(digits.contains) else { return nil }
        return UInt64(digest.prefix(16), radix: 16).map(place(from:))
    }

    /// The byte for the first 64 bits of a digest; only 60 of them fit after the bytes before.
    private static func place(from start: UInt64) -> Int64 { Int64(start >> 4) + clearing + 1 }
}
