// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import Glibc
import Synchronization
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct KeptImagesTests {
    private let folder: TemporaryFolder
    private let images: KeptImages

    init() throws {
        folder = try TemporaryFolder()
        images = KeptImages(journal: folder.path)
    }

    /// What is kept of a text, with a companion.
    private func content(_ text: String) throws -> ImageContent {
        let side = try SealedFile(path: folder.write("side", to: "side.so"), trust: nil)
        return ImageContent(
            try SealedFile(path: folder.write(text, to: "lib.so"), trust: nil),
            with: [Companion(name: "inner/side.so", file: side)])
    }

    @Test func `before the first one there is nothing, not even a folder`() {
        #expect(images.size == (0, 0))
        images.remove(allBut: [])
        #expect(FileSystem.names(in: folder.path) == [])
        #expect(images.folder == folder("images"))
    }

    @Test func `images are counted with all their bytes, and removed but for those that stay`() throws {
        let contents = try ["one", "second"].map { try content($0) }
        for content in contents { try images.keep(content) { Issue.record("warned: \($0)") } }
        #expect(images.size == (2, 3 + 6 + 2 * 4))
        let digests = contents.map(\.digest.hex)
        #expect(Set(FileSystem.names(in: images.folder)) == Set(digests))
        #expect(try folder.read("images/\(digests[0])/lib.so") == "one")
        #expect(try folder.read("images/\(digests[1])/inner/side.so") == "side")
        images.remove(allBut: [digests[1], "none"])
        #expect(FileSystem.names(in: images.folder) == [digests[1]])
        #expect(images.size == (1, 10))
    }

    @Test func `an image that is kept is compared, and written again where it differs`() throws {
        let content = try content("one")
        try images.keep(content) { _ in }
        let path = folder("images/\(content.digest.hex)/lib.so")
        try FileSystem.setMode(0o600, of: path)
        var warnings: [String] = []
        try images.keep(content) { warnings.append($0) }
        #expect(
            warnings == [
                "\(path): its mode was 600 instead of 500, and was replaced; only gatehouse should write there"
            ])
        #expect(try FileSystem.mode(of: path) == 0o500)
    }

    /// Images on a disk that takes down what is synced, below the journal's folder, and refuses one of these.
    private func images(syncing: Synced, refusing refused: String? = nil, with code: Int32 = EIO)
        -> KeptImages
    {
        var disk = DiskCalls.system
        let sync = { @Sendable [root = folder.path] (path: String) -> Int32 in
            let name = path.hasSuffix(".new") ? "draft" : String(path.dropFirst(root.count))
            syncing.names.withLock { $0.append(name) }
            errno = code
            return name == refused ? -1 : 0
        }
        disk.sync = { sync($1) }
        disk.syncFolder = sync
        return KeptImages(journal: folder.path, on: disk)
    }

    /// What was synced, in order.
    private final class Synced: Sendable {
        let names = Mutex<[String]>([])
        func take() -> [String] {
            names.withLock { names in
                defer { names = [] }; return names
            }
        }
    }

    @Test func `all names of an image are on the disk, also where it was left by a host that was killed`()
        throws
    {
        let (content, synced) = (try content("one"), Synced())
        let images = images(syncing: synced)
        let place = "/images/\(content.digest.hex)"
        try images.keep(content) { Issue.record("warned: \($0)") }
        #expect(synced.take() == [place, "draft", place + "/inner", "draft", place, "/images", ""])
        // Of its files nobody can tell whether their names are on the disk.
        try images.keep(content) { Issue.record("warned: \($0)") }
        #expect(synced.take() == [place, place + "/inner", place, "/images", ""])
    }

    @Test func `an image counts as kept when everything was synced, or there is nothing to sync`() throws {
        let (content, synced) = (try content("one"), Synced())
        let place = "/images/\(content.digest.hex)"
        for refused in [place, "draft", place + "/inner", "/images", ""] {
            let path = refused == "draft" ? nil : folder.path + refused
            images(syncing: synced).remove(allBut: [])
            let error = #expect(throws: ImageStoreError.self) {
                try images(syncing: synced, refusing: refused).keep(content) { _ in }
            }
            let text = try #require(error).description
            #expect(text.hasSuffix(": fsync failed: Input/output error"), "\(text)")
            if let path { #expect(text.hasPrefix(path + ": "), "\(text)") }
        }
        for refused in [place, place + "/inner", "/images"] {
            try images(syncing: synced, refusing: refused, with: EINVAL).keep(content) { _ in }
        }
    }
}
