// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ImageCacheTests {
    private let folder: TemporaryFolder
    private let cache = ImageCache()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Judges and loads a file.
    private func load(_ path: String) throws -> LoadedImage {
        let file = try SealedFile(path: path, trust: nil)
        let verdict = unsafe try file.withBytes { unsafe Verdict(judging: $0) }
        try #require(verdict.refusals == [])
        return try cache.image(of: ImageContent(file), note: try #require(verdict.note))
    }

    @Test
    func `two libraries loaded one after the other are two images, although they get the same descriptor`()
        throws
    {
        let numbers = try ["CounterPlugin", "ProbePlugin"].map { target in
            let file = try SealedFile(path: BuiltProducts.library(target), trust: nil)
            let number = file.descriptor
            withExtendedLifetime(file) {}
            return number
        }
        let counter = try load(BuiltProducts.library("CounterPlugin"))
        let probe = try load(BuiltProducts.library("ProbePlugin"))
        #expect(counter.note.manifest.id == "counter")
        #expect(probe.note.manifest.id == "probe")
        #expect(
            counter.exports.unknownNames(in: ["increment", "ping"]) == ["ping"], "descriptors \(numbers)")
        #expect(
            probe.exports.unknownNames(in: ["increment", "ping"]) == ["increment"], "descriptors \(numbers)")
    }

    @Test func `the same bytes are one image, wherever they come from`() throws {
        try folder.copyLibrary("CounterPlugin", as: "liba.so")
        try folder.copyLibrary("CounterPlugin", as: "libb.so")
        let first = try load(folder("liba.so"))
        #expect(try load(folder("libb.so")) === first)
        #expect(try load(folder("liba.so")) === first)
    }

    @Test func `the range of an image is what its segments take, and no byte past them`() throws {
        let path = try folder.copyLibrary("CounterPlugin", as: "librange.so")
        let range = try #require(try load(path).range)
        let ends = try ELFImage(reading: FileSystem.read(path)).segments.filter { $0.kind == .load }
            .map { $0.address + $0.memorySize }
        #expect(range.count == Int(try #require(ends.max())))
    }

    @Test func `other bytes under the same path are an image of their own`() throws {
        let first = try load(folder.copyLibrary("CounterPlugin", as: "libtwice.so"))
        let mapped = try Self.images("libtwice.so")
        #expect(mapped > 0)
        var bytes = try FileSystem.read(folder("libtwice.so"))
        bytes.append(0)
        try folder.write(bytes, to: "libtwice.so")
        let second = try load(folder("libtwice.so"))
        #expect(first !== second)
        #expect(try Self.images("libtwice.so") == 2 * mapped)
        #expect(second.exports.unknownNames(in: ["increment", "ping"]) == ["ping"])
    }

    @Test func `a note that names cases the plugin does not have is refused with the names`() throws {
        var library = try CounterLibrary()
        try library.replaceInNote("\"increment\"", with: "\"increnemt\"")
        try library.replaceInNote("\"reset\"", with: "\"clear\"")
        let path = try folder.write(library.bytes, to: "lib.so")
        let error = #expect(throws: LoadingError.self) { try load(path) }
        #expect(
            error?.description
                == "plugin.json declares \"increnemt\", \"clear\", which the plugin's Action does not have as a case; correct \"consumes\" and \"emits\""
        )
    }

    @Test func `bytes that were refused once are refused again without another image`() throws {
        var library = try CounterLibrary()
        try library.replaceInNote("\"reset\"", with: "\"clear\"")
        let path = try folder.write(library.bytes, to: "libonce.so")
        let first = try #require(#expect(throws: LoadingError.self) { try load(path) })
        let mapped = try Self.images("libonce.so")
        #expect(mapped > 0)
        #expect(throws: first) { try load(path) }
        #expect(try Self.images("libonce.so") == mapped)
    }

    /// How many stretches of this process's memory come from a file of this name.
    private static func images(_ name: String) throws -> Int {
        String(decoding: try FileSystem.read("/proc/self/maps"), as: UTF8.self)
            .split(separator: "\n").count { $0.contains("memfd:\(name)") }
    }

    @Test func `a store that was removed is made again for the next image`() throws {
        let cache = ImageCache(folder: folder("cache"))
        var paths: [String] = []
        for (name, byte) in [("libfirst.so", 1), ("libsecond.so", 2)] as [(String, UInt8)] {
            let path = try folder.write(
                FileSystem.read(BuiltProducts.library("CounterPlugin")) + [byte], to: name)
            let file = try SealedFile(path: path, trust: nil)
            let verdict = unsafe try file.withBytes { unsafe Verdict(judging: $0) }
            _ = try cache.image(of: ImageContent(file), note: try #require(verdict.note))
            #expect(cache.settle() == [])
            paths.append(folder("cache/images/\(file.digest.hex)/\(name)"))
            #expect(try FileSystem.mode(of: try #require(paths.last)) == 0o500)
            FileSystem.removeFolder(folder("cache"))
        }
        let maps = String(decoding: try FileSystem.read("/proc/self/maps"), as: UTF8.self)
        for path in paths { #expect(maps.contains(path + " (deleted)\n")) }
    }

    @Test func `companions stand beside the image, and others make another image of the same bytes`() throws {
        let cache = ImageCache(folder: folder("cache"))
        let file = try SealedFile(path: folder.copyLibrary("CounterPlugin", as: "libwith.so"), trust: nil)
        let verdict = unsafe try file.withBytes { unsafe Verdict(judging: $0) }
        let note = try #require(verdict.note)
        let images = try ["one", "two"].map { text in
            let side = try SealedFile(path: folder.write(text, to: text), trust: nil)
            return try cache.image(
                of: ImageContent(file, with: [Companion(name: "inner/libside.so", file: side)]), note: note)
        }
        #expect(images[0] !== images[1])
        #expect(cache.settle() == [])
        let store = folder("cache/images")
        let sides = FileSystem.names(in: store).filter { $0 != "lock" }.map { digest in
            #expect(FileSystem.names(in: store + "/" + digest) == ["inner", "libwith.so"])
            return (try? FileSystem.read("\(store)/\(digest)/inner/libside.so")) ?? []
        }
        #expect(Set(sides) == [Array("one".utf8), Array("two".utf8)])
    }

    @Test func `a library with companions is not mapped from memory`() throws {
        let file = try SealedFile(path: folder.copyLibrary("CounterPlugin", as: "libalone.so"), trust: nil)
        let note = try #require(unsafe try file.withBytes { unsafe Verdict(judging: $0) }.note)
        let error = #expect(throws: LoadingError.self) {
            try cache.image(
                of: ImageContent(
                    file,
                    with: [
                        Companion(name: "libside.so", file: file),
                        Companion(name: "inner/libdeep.so", file: file),
                    ]), note: note)
        }
        #expect(
            error?.description
                == #"it needs libside.so, inner/libdeep.so of its own folder, which only an image in the cache folder finds; let "images" be "cache", or put that where the system's loader looks"#
        )
    }

    @Test func `a library that the loader cannot bind is refused with the loader's word`() throws {
        var library = try CounterLibrary()
        // The verdict looks at the names of the SDK, the loader at all names.
        #expect(try library.replaceEverywhere("\0swift_retain\0", with: "\0swift_retail\0") > 0)
        let path = try folder.write(library.bytes, to: "lib.so")
        let error = #expect(throws: LoadingError.self) { try load(path) }
        #expect(
            error?.description == "the loader refused it: lib.so: undefined symbol: swift_retail")
    }
}
