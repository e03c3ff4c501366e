// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
private import Glibc

/// Files with the bytes of accepted libraries, from which this user's hosts map their images.
///
/// `images/<digest>/<file name>` in the cache folder, with what the library brings along beside it: a path of its own for each content, as the loader demands, and one that
/// backtraces and debuggers can open. Nobody else can reach what is in it. Each file is written under another name and then
/// renamed, and is compared with the judged bytes, one by one, before each use: a host that was killed while it wrote, a bad
/// disk and another program of this user are noticed alike, and no file need be forced to the disk.
///
/// Not thread-safe.
final class ImageStore {
    /// The folder of all images.
    let folder: PrivateFolder
    /// Keeps the images of this process from being cleared away.
    private let locks: ImageLocks
    /// What to tell an operator.
    private var warnings: [String] = []

    /// Opens the store in a cache folder, and makes it where it is missing.
    init(in cache: String, trust: FileTrust) throws(ImageStoreError) {
        var warnings: [String] = []
        folder = try PrivateFolder("images", below: cache, trust: trust) { warnings.append($0) }
        // The loader expands words such as $LIB in any path that it is given.
        guard !folder.path.contains("$") else { throw .dollar(path: folder.path) }
        locks = try ImageLocks(in: folder, isForEver: true)
        self.warnings = warnings
    }

    /// The path of a file with the bytes of a library, which has its companions beside it, to be mapped in this process.
    func path(of content: ImageContent) throws(ImageStoreError) -> String {
        try locks.share(content.digest, in: folder)
        let place = try folder.folder(content.digest.hex)
        let path = try StoredFile.keep(content, in: place, isMapped: true) { warnings.append($0) }
        // Its age is that of the last use, to the day.
        if time(nil) - place.changed > Self.pause { _ = futimens(place.descriptor, nil) }
        return path
    }

    /// Gives what there is to tell an operator, each thing once.
    func takeWarnings() -> [String] {
        defer { warnings = [] }
        return warnings
    }

    /// Removes images that nobody uses and nobody has used for a month, at most once a day.
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

    /// Images that were not used for so many seconds are removed: 30 days.
    private static let idleTime = 30 * 86_400
    /// So many seconds pass before anybody looks again for such images: a day.
    private static let pause = 86_400
}
