// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct LoaderCacheTests {
    /// A list as `ldconfig` writes it.
    ///
    /// - Parameter entries: name, path, mark of the machine, and what processors it is for.
    private static func list(_ entries: [(String, String, Int, Int)]) -> [UInt8] {
        var bytes = Array("glibc-ld.so.cache1.1".utf8)
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        bytes += number(entries.count) + [UInt8](repeating: 0, count: 24)
        var texts: [UInt8] = []
        let start = 48 + 24 * entries.count
        for (name, path, flags, processors) in entries {
            bytes += number(flags) + number(start + texts.count)
            texts += Array(name.utf8) + [0]
            bytes += number(start + texts.count) + number(0) + number(processors) + number(0)
            texts += Array(path.utf8) + [0]
        }
        return bytes + texts
    }

    /// How entries for this machine are marked.
    private static let own = ELFMachine.current == .aarch64 ? 0xa03 : 0x303

    @Test func `a library is found by its whole name`() {
        let bytes = Self.list([("libz.so.1", "/lib/libz.so.1", Self.own, 0)])
        #expect(LoaderCache.paths(of: "libz.so.1", in: bytes) == ["/lib/libz.so.1"])
        #expect(LoaderCache.paths(of: "libz.so", in: bytes) == [])
        #expect(LoaderCache.paths(of: "libz.so.10", in: bytes) == [])
    }

    @Test func `all that are for some processors are found, and the first that is for any`() {
        let bytes = Self.list([
            ("libz.so.1", "/lib/i386/libz.so.1", 0x803, 0), ("libz.so.1", "/v3/libz.so.1", Self.own, 3),
            ("libz.so.1", "/lib/libz.so.1", Self.own, 0), ("libz.so.1", "/old/libz.so.1", Self.own, 0),
            ("libz.so.1", "/v2/libz.so.1", Self.own, 2),
        ])
        #expect(
            LoaderCache.paths(of: "libz.so.1", in: bytes) == [
                "/v3/libz.so.1", "/lib/libz.so.1", "/v2/libz.so.1",
            ])
    }

    @Test func `a damaged list never traps`() {
        let bytes = Self.list([("libz.so.1", "/lib/libz.so.1", Self.own, 0)])
        for length in bytes.indices {
            _ = LoaderCache.paths(of: "libz.so.1", in: Array(bytes.prefix(length)))
        }
        for offset in bytes.indices {
            var damaged = bytes
            damaged[offset] = 0xff
            _ = LoaderCache.paths(of: "libz.so.1", in: damaged)
        }
        #expect(LoaderCache.paths(of: "libz.so.1", in: []) == [])
    }
}
