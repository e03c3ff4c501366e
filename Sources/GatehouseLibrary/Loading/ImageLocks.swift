// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseManifest
internal import GatehouseSupport
private import Glibc

/// Says which images of a store are in use: each host shares a lock on each image that it has mapped, as long as it lives.
///
/// All of these are locks on single bytes of one file that is never written to, at the place that an image's digest names.
/// So a thousand images take one descriptor, a host that dies has let go of everything, and no file that somebody waits for
/// is ever removed. Two digests with the same place would only spare each other.
final class ImageLocks: Sendable {
    /// The file's name in the store.
    private static let name = "lock"
    /// Lies before the places of all digests; who has it alone may clear away.
    private static let clearing: Int64 = 0

    /// This opening of the file, which is what the locks belong to.
    private let descriptor: Int32
    /// Whether the locks stay until the process ends, as images do.
    private let isForEver: Bool

    /// Opens the file, and makes it where it is missing.
    ///
    /// A second opening in the same process competes with the first like one in another.
    ///
    /// - Parameter isForEver: whether the locks stay until the process ends, as images do; otherwise they go with this object.
    init(in store: PrivateFolder, isForEver: Bool = false) throws(ImageStoreError) {
        self.isForEver = isForEver
        descriptor = unsafe openat(
            store.descriptor, Self.name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw PrivateFolder.failure("open", store.path + "/" + Self.name)
        }
    }

    deinit { if !isForEver { close(descriptor) } }

    /// Keeps an image from being cleared away, until this opening of the file ends.
    func share(_ image: Digest, in store: PrivateFolder) throws(ImageStoreError) {
        let result = gatehouse_lock_share(descriptor, Self.place(of: image))
        guard result == 0 else {
            throw .file(
                .system(
                    path: store.path + "/" + Self.name, call: "fcntl(F_OFD_SETLKW)",
                    reason: SystemReason.text(of: -result)))
        }
    }

    /// Whether nobody else uses an image; nobody can begin to until this opening of the file ends.
    func isAlone(withPlace place: Int64) -> Bool { gatehouse_lock_alone(descriptor, place) == 0 }

    /// Whether nobody else is clearing away; nobody begins to until this opening of the file ends.
    func mayClear() -> Bool { isAlone(withPlace: Self.clearing) }

    /// The time in seconds since 1970 at which the store was last cleared, or made.
    var cleared: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status.st_mtim.tv_sec : 0
    }

    /// Remembers that the store is cleared now.
    func noteClearing() { _ = futimens(descriptor, nil) }

    /// The byte of an image.
    private static func place(of image: Digest) -> Int64 {
        place(from: image.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The byte that a digest's text names, nil for any other text.
    static func place(of digest: String) -> Int64? {
        let digits = Array("0123456789abcdef".utf8)
        guard digest.utf8.count == 64, digest.utf8.allSatisfy(digits.contains) else { return nil }
        return UInt64(digest.prefix(16), radix: 16).map(place(from:))
    }

    /// The byte that the first 64 bits of a digest name: 60 of them are as many as fit with room before them.
    private static func place(from start: UInt64) -> Int64 { Int64(start >> 4) + clearing + 1 }
}
