// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
private import Glibc

/// Files with the bytes of accepted libraries, from which this user's hosts map their images.
///
/// `images/<digest>/<file name>` in the cache folder, with the libraries it brings along beside it: a separate path for each content, as
/// the loader requires, which backtraces and debuggers can open. No other user can reach the files. Each is written under another name and
/// then renamed, and is compared byte for byte with the judged one before each use. This detects a host that was killed while writing, a
/// bad disk and another program of this user alike, so no file need be forced to the disk.
///
/// Not thread-safe.
final class ImageStore {
    /// The folder of all images.
    let folder: PrivateFolder
    /// Protects the images of this process from removal.
    private let locks: ImageLocks
    /// The warnings for an operator.
    private var warnings: [String] = []

    /// Opens the store in a cache folder, and creates it if missing.
    init(in cache: String, trust: FileTrust) throws(ImageStoreError) {
        var warnings: [String] = []
        folder = try PrivateFolder("images", below: cache, trust: trust) { warnings.append($0) }
        // The loader expands words such as $LIB in any path.
        guard !folder.path.contains("$") else { throw .dollar(path: folder.path) }
        locks = try ImageLocks(in: folder, isForEver: true)
        self.warnings = warnings
    }

    /// The path of a file with the bytes of a library, with its companions beside it, to map in this process.
    func path(of content: ImageContent) throws(ImageStoreError) -> String {
        try locks.share(content.digest, in: folder)
        let place = try folder.folder(content.digest.hex)
        let path = try StoredFile.keep(content, in: place) { warnings.append($0) }
        // Its time of change is that of the last use, to the day.
        if time(nil) - place.changed > Self.pause { _ = futimens(place.descriptor, nil) }
        return path
    }

    /// Takes the warnings for an operator, each once.
    func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }

    /// Removes images that are not in use and were not used for a month; at most once a day.
    func clear() {
        let now = time(nil)
        guard now - locks.cleared > Self.pause, let own = try? ImageLocks(in: folder), own.mayClear() else {
            return
        }
        own.noteClearing()
        for name in folder.names {
            guard let place = ImageLocks.place(of: name), let used = folder.changed(name),
                now - used > Self.idleTime, own.isAlone(withPlace: place)
            else { continue }
            folder.removeFolder(name)
        }
    }

    // MARK: - Implementation details

    /// The time after which unused images are removed, in seconds: 30 days.
    private static let idleTime = 30 * 86_400
    /// The time between two searches for such images, in seconds: a day.
    private static let pause = 86_400
}
