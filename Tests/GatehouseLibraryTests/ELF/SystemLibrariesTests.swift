// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseLibrary

/// What other linkers made must not be taken for damage.
@Suite(.timeLimit(.minutes(10))) struct SystemLibrariesTests {
    /// The libraries in a folder, small ones only: tests are not optimised.
    private static func libraries(in path: String) -> [String] {
        FileSystem.names(in: path).filter { $0.contains(".so") }.map { path + "/" + $0 }.filter { library in
            var status = stat()
            return unsafe stat(library, &status) == 0 && status.st_size < 400_000
        }
    }

    @Test func `every library of this system can be read`() throws {
        let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", BuiltProducts.folder]
        var count = 0
        for path in folders.flatMap({ Self.libraries(in: $0).prefix(150) }) {
            let bytes = try FileSystem.read(path)
            // Linker scripts have such names too.
            guard bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46]) else { continue }
            #expect(throws: Never.self, "\(path)") { try ELFImage(reading: bytes) }
            count += 1
        }
        #expect(count > 10)
    }
}
