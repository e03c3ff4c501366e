// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ImageLocksTests {
    private let folder: TemporaryFolder
    private let store: PrivateFolder

    init() throws {
        folder = try TemporaryFolder()
        store = try PrivateFolder("images", below: folder.path, trust: FileTrust(isStrict: false)) { _ in }
    }

    @Test func `an image that another opening shares is not alone, another image is`() throws {
        let digests = ["a", "b"].map { SHA256.digest(Array($0.utf8)) }
        let user = try ImageLocks(in: store)
        try user.share(digests[0], in: store)
        let cleaner = try ImageLocks(in: store)
        let places = try digests.map { try #require(ImageLocks.place(of: $0.hex)) }
        #expect(!cleaner.isAlone(withPlace: places[0]))
        #expect(cleaner.isAlone(withPlace: places[1]))
        withExtendedLifetime(user) {}
    }

    @Test func `one opening may clear at a time, and its end lets the next one`() throws {
        var first: ImageLocks? = try ImageLocks(in: store)
        let second = try ImageLocks(in: store)
        #expect(first?.mayClear() == true)
        #expect(!second.mayClear())
        first = nil
        #expect(second.mayClear())
    }

    @Test func `when the store was cleared last is known from the file, until it is cleared again`() throws {
        let locks = try ImageLocks(in: store)
        let made = locks.cleared
        #expect(made > 0)
        try FileSystem.setAge(days: 3, of: folder("images/lock"))
        #expect(made - locks.cleared > 2 * 86_400)
        locks.noteClearing()
        #expect(locks.cleared >= made)
    }

    @Test(arguments: ["lock", "", String(repeating: "g", count: 64), "-" + String(repeating: "1", count: 63)])
    func `what is no digest has no place`(name: String) {
        #expect(ImageLocks.place(of: name) == nil)
    }

    @Test func `digests that differ early have different places, none of them that of clearing`() {
        let places = ["0", "1", "f"].compactMap {
            ImageLocks.place(of: $0 + String(repeating: "0", count: 63))
        }
        #expect(places == [1, 1 + 1 << 56, 1 + 15 << 56])
    }
}
