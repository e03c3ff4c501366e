// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
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
    }
}
