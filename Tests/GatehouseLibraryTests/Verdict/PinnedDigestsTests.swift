// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseValue
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct PinnedDigestsTests {
    private let folder: TemporaryFolder
    private let library = (name: "lib.so", digest: "aa")

    init() throws { folder = try TemporaryFolder() }

    /// A library that comes along under a name.
    private func companion(_ name: String) throws -> Companion {
        Companion(name: name, file: try SealedFile(path: folder.write(name, to: "side"), trust: nil))
    }

    @Test func `a digest is that of the library, whatever comes along`() throws {
        let pins = PinnedDigests.library("aa")
        let side = try companion("side.so")
        #expect(pins.value == "aa")
        #expect(pins.refusals(of: library, with: [side]) == [])
        #expect(
            PinnedDigests.library("bb").refusals(of: library, with: [])
                == [.digest(of: nil, expected: "bb", found: "aa")])
        #expect(pins.gaps(of: library, with: []) == [])
        #expect(
            pins.gaps(of: library, with: [side]) == [
                "the bytes of what comes along with lib.so are not pinned: side.so; if you trust them, write \"sha256\": {\"lib.so\":\"aa\",\"side.so\":\"\(side.digest.hex)\"}"
            ])
    }

    @Test func `digests by name are those of all files, and of no others`() throws {
        let sides = try ["one.so", "two.so"].map { try companion($0) }
        let pins = PinnedDigests.files([
            "lib.so": "aa", "one.so": sides[0].digest.hex, "gone.so": "cc", "a": "d",
        ])
        #expect(
            pins.value.json()
                == "{\"a\":\"d\",\"gone.so\":\"cc\",\"lib.so\":\"aa\",\"one.so\":\"\(sides[0].digest.hex)\"}")
        #expect(
            pins.refusals(of: library, with: sides)
                == [.digest(of: "two.so", expected: nil, found: sides[1].digest.hex)])
        #expect(
            pins.refusals(of: ("lib.so", "bb"), with: [])
                == [.digest(of: nil, expected: "aa", found: "bb")])
        #expect(
            pins.gaps(of: library, with: sides) == [
                "lib.so does not bring \"a\" along; remove it",
                "lib.so does not bring \"gone.so\" along; remove it",
            ])
    }
}
