// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ImagePathTests {
    @Test func `no path is ever given twice, whatever the descriptor`() {
        var seen: Set<String> = []
        for number in 0..<5_000 {
            #expect(seen.insert(ImagePath.next(for: Int32(number % 3))).inserted)
        }
    }

    @Test func `a path has its number in binary, the highest digit first`() {
        for _ in 0..<40 { #expect(ImagePath.next(for: 3).hasPrefix("/proc/self/fd/./")) }
    }

    @Test func `every spelling leads to the descriptor`() throws {
        let folder = try TemporaryFolder()
        let file = try SealedFile(path: folder.write("image", to: "lib.so"), trust: nil)
        for _ in 0..<40 {
            let path = ImagePath.next(for: file.descriptor)
            #expect(try FileSystem.read(path) == Array("image".utf8), "\(path)")
        }
    }
}
