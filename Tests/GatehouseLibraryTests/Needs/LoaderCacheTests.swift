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

    @Test func `the list of this machine has the libraries that its programs need`() {
        #expect(
            LoaderCache.paths(of: "libc.so.6", in: LoaderCache.bytes).contains { $0.hasSuffix("/libc.so.6") })
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

    /// A list of one library, whose texts stand in the header, as often as it is told to be there.
    private static func short(_ count: Int, told: Int, change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8]
    {
        var bytes = Array("glibc-ld.so.cache1.1".utf8)
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        bytes += number(told) + Array("liba\0/b\0".utf8)
        bytes += [UInt8](repeating: 0, count: 48 - bytes.count)
        for _ in 0..<count {
            bytes += number(own) + number(24) + number(29) + number(7) + number(0) + number(0)
        }
        change(&bytes)
        return bytes
    }

    @Test func `as many entries are read as the list tells of, if it has them`() {
        #expect(LoaderCache.paths(of: "liba", in: Self.short(1, told: 1)) == ["/b"])
        #expect(LoaderCache.paths(of: "liba", in: Self.short(2, told: 2)) == ["/b"])
        #expect(LoaderCache.paths(of: "liba", in: Self.short(1, told: 0)) == [])
        #expect(LoaderCache.paths(of: "liba", in: Self.short(1, told: 2)) == [])
        #expect(LoaderCache.paths(of: "liba", in: Self.short(1, told: 1).dropLast()) == [])
        #expect(LoaderCache.paths(of: "liba", in: Self.short(1, told: 1) { $0[0] = 0 }) == [])
        #expect(LoaderCache.paths(of: "liba", in: Self.short(1, told: 1) { $0[19] = 0 }) == [])
    }

    @Test func `each number of an entry is read from its place`() {
        let entry = 48
        func paths(_ change: @escaping (inout [UInt8]) -> Void) -> [String] {
            LoaderCache.paths(of: "liba", in: Self.short(2, told: 2, change: change))
        }
        #expect(paths { $0[entry] ^= 1 } == ["/b"])
        #expect(paths { $0[entry + 3] = 1 } == ["/b"])
        let none = paths {
            $0[entry] ^= 1
            $0[entry + 24] ^= 1
        }
        #expect(none == [])
        // For some processors both are taken, by either half of the number.
        #expect(paths { $0[entry + 16] = 1 } == ["/b", "/b"])
        #expect(paths { $0[entry + 20] = 1 } == ["/b", "/b"])
        #expect(paths { $0[entry + 23] = 1 } == ["/b", "/b"])
        #expect(paths { $0[entry + 8] = 30 } == ["b"])
        #expect(paths { $0[entry + 4] = 25 } == ["/b"])
        // A path that begins where the list ends is none, and the next entry counts.
        #expect(paths { $0[entry + 8] = UInt8($0.count) } == ["/b"])
        #expect(paths { $0[entry + 8] = UInt8($0.count - 1) } == [""])
        #expect(paths { $0[entry + 4] = UInt8($0.count) } == ["/b"])
    }
}
