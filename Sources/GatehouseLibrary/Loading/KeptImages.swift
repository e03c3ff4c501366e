// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseSupport
private import Glibc

/// The images of a journal's generations, kept beside it while one of them may have to run again.
///
/// `images/<digest>/<file name>` in the journal's folder, each digest once, with the libraries it brings along beside it. Nothing is
/// mapped from there: an image that runs again is judged and loaded like any library. Callable from any thread.
package struct KeptImages: Sendable {
    /// The journal's folder.
    private let journal: String
    /// The rules for the folders above.
    private let trust: FileTrust
    /// Syncs files and folders.
    private let disk: DiskCalls

    /// The images of the journal in a folder.
    package init(
        journal: String, trust: FileTrust = FileTrust(isStrict: false), on disk: DiskCalls = .system
    ) {
        self.journal = journal
        self.trust = trust
        self.disk = disk
    }

    /// The folder that contains them.
    package var folder: String { journal + "/images" }

    /// Keeps an image; compares one that is already kept, and writes it again where it differs.
    ///
    /// The files are on the disk when this returns, also where a host that was killed has left them without their names.
    ///
    /// - Parameter warn: called for each file that had wrong contents, and was replaced.
    /// - Throws: why they are not.
    package func keep(_ content: ImageContent, warn: (String) -> Void) throws(ImageStoreError) {
        let images = try PrivateFolder("images", below: journal, trust: trust, warn: { _ in })
        let place = try images.folder(content.digest.hex)
        _ = try StoredFile.keep(content, in: place, lastingOn: disk, warn: warn)
        try images.sync(on: disk)
        guard disk.syncFolder(journal) == 0 else { throw PrivateFolder.failure("fsync", journal) }
    }

    /// Removes all images except some.
    ///
    /// - Parameter digests: of those that stay, in hexadecimal.
    package func remove(allBut digests: Set<String>) {
        guard SystemFile.status(folder) != nil,
            let images = try? PrivateFolder("images", below: journal, trust: trust, warn: { _ in })
        else { return }
        for name in images.names where !digests.contains(name) { images.removeFolder(name) }
    }

    /// The number of images, and their total size in bytes.
    package var size: (count: Int, bytes: Int) {
        let digests = SystemFile.names(inFolder: folder)
        return (digests.count, digests.reduce(0) { $0 + Self.bytes(in: folder + "/" + $1) })
    }

    /// The total size of all files below a folder.
    private static func bytes(in folder: String) -> Int {
        SystemFile.names(inFolder: folder).reduce(0) { sum, name in
            let path = folder + "/" + name
            guard let status = SystemFile.status(path) else { return sum }
            return sum + (status.st_mode & S_IFMT == S_IFDIR ? bytes(in: path) : Int(status.st_size))
        }
    }
}
