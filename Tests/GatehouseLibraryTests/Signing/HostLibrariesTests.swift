// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseLibrary

/// Which list of a host's own libraries is believed.
@Suite(.timeLimit(.minutes(10))) struct HostLibrariesTests {
    private let folder: TemporaryFolder
    private let digest = String(repeating: "ab", count: 32)

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            "\(digest)  libA.so\n\(String(repeating: "12", count: 32)) *libB.so\n", to: "plugins.sha256")
    }

    /// What the list says.
    private var digests: Set<String> { HostLibraries(path: folder("plugins.sha256")).digests }

    @Test func `each line gives a digest, whatever the form of the name`() {
        #expect(digests == [digest, String(repeating: "12", count: 32)])
        #expect(HostLibraries(path: folder("none")).digests == [])
    }

    @Test(
        arguments: [(0o775, 0o664, true), (0o777, 0o644, false), (0o755, 0o646, false)]
            as [(UInt32, UInt32, Bool)])
    func `a list that the group may write to counts, one that everybody may write to does not`(
        ofFolder: UInt32, ofFile: UInt32, isBelieved: Bool
    ) throws {
        try FileSystem.setMode(ofFolder, of: folder.path)
        try FileSystem.setMode(ofFile, of: folder("plugins.sha256"))
        #expect(digests.isEmpty != isBelieved)
    }
}
