// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct ImageStoreTests {
    private let folder: TemporaryFolder
    private let store: ImageStore

    init() throws {
        folder = try TemporaryFolder()
        store = try ImageStore(in: folder.path, trust: FileTrust(isStrict: false))
    }

    @Test func `images that nobody has used for a month are removed, once a day`() throws {
        let names = ["new", "old"].map { SHA256.digest(Array($0.utf8)).hex }
        for name in names { _ = try store.folder.folder(name) }
        try FileSystem.setAge(days: 29, of: folder("images/\(names[0])"))
        try FileSystem.setAge(days: 31, of: folder("images/\(names[1])"))
        store.clear()
        #expect(Set(store.folder.names) == ["lock", names[0], names[1]])
        try FileSystem.setAge(days: 2, of: folder("images/lock"))
        store.clear()
        #expect(Set(store.folder.names) == ["lock", names[0]])
        _ = try store.folder.folder(names[1])
        try FileSystem.setAge(days: 31, of: folder("images/\(names[1])"))
        store.clear()
        #expect(Set(store.folder.names) == ["lock", names[0], names[1]])
    }

    @Test func `before a whole day has passed nothing is removed again`() throws {
        let name = SHA256.digest(Array("old".utf8)).hex
        // Once more if a second ends meanwhile.
        var now = 0
        repeat {
            now = time(nil)
            _ = try store.folder.folder(name)
            try FileSystem.setAge(days: 31, of: folder("images/\(name)"))
            try setTime(now - 86_400, of: folder("images/lock"))
            store.clear()
        } while time(nil) != now
        #expect(Set(store.folder.names) == ["lock", name])
    }

    /// Sets when a file or folder was changed.
    private func setTime(_ seconds: Int, of path: String) throws {
        let then = timespec(tv_sec: seconds, tv_nsec: 0)
        let result = unsafe [then, then].withUnsafeBufferPointer {
            unsafe utimensat(AT_FDCWD, path, $0.baseAddress, 0)
        }
        try #require(result == 0)
    }

    /// What is stored of a text.
    private func content(_ text: String) throws -> ImageContent {
        ImageContent(try SealedFile(path: folder.write(text, to: "lib.so"), trust: nil))
    }

    @Test func `an image is in a folder with its digest as a name`() throws {
        let content = try content("judged")
        let path = folder("images/\(content.digest.hex)/lib.so")
        #expect(try store.path(of: content) == path)
        #expect(try FileSystem.read(path) == Array("judged".utf8))
        #expect(store.takeWarnings() == [])
        try FileSystem.setMode(0o700, of: path)
        #expect(try store.path(of: content) == path)
        #expect(
            store.takeWarnings() == [
                "\(path): its mode was 700 instead of 500, and was replaced; only gatehouse should write there"
            ])
        #expect(store.takeWarnings() == [])
    }

    @Test func `the folder's time is that of the last use, to the day`() throws {
        let content = try content("judged")
        let place = folder("images/\(content.digest.hex)")
        _ = try store.path(of: content)
        try FileSystem.setAge(days: 3, of: place)
        _ = try store.path(of: content)
        var now = time(nil)
        #expect(try #require(store.folder.changed(content.digest.hex)) > now - 3_600)
        // Within a day it stays; once more if a second ends meanwhile.
        repeat {
            now = time(nil)
            try setTime(now - 86_400, of: place)
            _ = try store.path(of: content)
        } while time(nil) != now
        #expect(store.folder.changed(content.digest.hex) == now - 86_400)
    }

    @Test func `what a process has used, and what is no image, is not removed`() throws {
        let content = try content("judged")
        _ = try store.path(of: content)
        _ = try store.folder.folder("other")
        let gone = SHA256.digest(Array("gone".utf8)).hex
        _ = try store.folder.folder(gone)
        for name in [content.digest.hex, "other", gone] {
            try FileSystem.setAge(days: 31, of: folder("images/\(name)"))
        }
        try FileSystem.setAge(days: 2, of: folder("images/lock"))
        store.clear()
        #expect(Set(store.folder.names) == ["lock", "other", content.digest.hex])
    }

    @Test func `while another clears, this one does not`() throws {
        let name = SHA256.digest(Array("old".utf8)).hex
        _ = try store.folder.folder(name)
        try FileSystem.setAge(days: 31, of: folder("images/\(name)"))
        try FileSystem.setAge(days: 2, of: folder("images/lock"))
        let other = try ImageLocks(in: store.folder)
        #expect(other.mayClear())
        store.clear()
        #expect(Set(store.folder.names) == ["lock", name])
        withExtendedLifetime(other) {}
    }

    @Test func `a folder whose name the loader would expand is refused`() throws {
        let cache = try folder.makeFolder("$LIB")
        #expect(throws: ImageStoreError.dollar(path: cache + "/images")) {
            try ImageStore(in: cache, trust: FileTrust(isStrict: false))
        }
    }

    @Test func `warnings of the folders above are among the first`() throws {
        let cache = try folder.makeFolder("cache")
        try FileSystem.setMode(0o770, of: cache)
        let store = try ImageStore(in: cache, trust: FileTrust(isStrict: false))
        #expect(
            store.takeWarnings() == [
                "\(cache): its group may write to it (mode 770); take that away with chmod g-w"
            ])
    }
}
