// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseHost

@Suite struct LoaderCacheTests {
    /// A list of one library, as `ldconfig` writes it.
    private static func list(_ name: String, _ path: String) -> [UInt8] {
        var bytes = Array("glibc-ld.so.cache1.1".utf8)
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        bytes += number(1) + number(name.utf8.count + path.utf8.count + 2) + number(0)
        bytes += [UInt8](repeating: 0, count: 48 - bytes.count)
        bytes += number(0x303) + number(72) + number(72 + name.utf8.count + 1) + number(0)
        bytes += [UInt8](repeating: 0, count: 8)
        return bytes + Array(name.utf8) + [0] + Array(path.utf8) + [0]
    }

    @Test func `a library is found by its whole name`() {
        let bytes = Self.list("libz.so.1", "/lib/libz.so.1")
        #expect(LoaderCache.path(of: "libz.so.1", in: bytes) == "/lib/libz.so.1")
        #expect(LoaderCache.path(of: "libz.so", in: bytes) == nil)
        #expect(LoaderCache.path(of: "libz.so.10", in: bytes) == nil)
    }

    @Test func `a damaged list never traps`() {
        let bytes = Self.list("libz.so.1", "/lib/libz.so.1")
        for length in bytes.indices { _ = LoaderCache.path(of: "libz.so.1", in: Array(bytes.prefix(length))) }
        for offset in bytes.indices {
            var damaged = bytes
            damaged[offset] = 0xff
            _ = LoaderCache.path(of: "libz.so.1", in: damaged)
        }
        #expect(LoaderCache.path(of: "libz.so.1", in: []) == nil)
    }

    @Test func `what this process has loaded needs no search`() throws {
        let search = LibrarySearch.current
        #expect(search.find("libswiftCore.so", runPath: [], folder: nil).source == .loaded)
        #expect(search.loaded.path(of: "libGatehouseSDK.so") != nil)
        #expect(search.find("libgatehouse-none.so", runPath: ["/usr/lib"], folder: "/").source == .absent)
        #expect(search.find("sub/libc.so", runPath: [], folder: nil).source == .absent)
    }
}
