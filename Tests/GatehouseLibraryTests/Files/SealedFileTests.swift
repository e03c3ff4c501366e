// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct SealedFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The sentence with which a file is refused, nil when it is taken.
    private func refusal(_ path: String, strict: Bool = false) -> String? {
        do throws(LibraryFileError) {
            _ = try SealedFile(path: path, trust: FileTrust(isStrict: strict))
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `it holds the bytes of the file and their digest`() throws {
        let path = try folder.write("abc", to: "lib.so")
        let file = try SealedFile(path: path, trust: FileTrust(isStrict: true))
        #expect(unsafe try file.withBytes { unsafe Array($0) } == Array("abc".utf8))
        #expect(file.digest.hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(file.warnings == [])
    }

    @Test func `an empty file has no bytes`() throws {
        let file = try SealedFile(path: folder.write("", to: "lib.so"), trust: nil)
        #expect(unsafe try file.withBytes { unsafe Array($0) } == [])
    }

    @Test func `overwriting, truncating or removing the file afterwards does not matter`() throws {
        let path = try folder.write("judged", to: "lib.so")
        let file = try SealedFile(path: path, trust: nil)
        try folder.write("edited", to: "lib.so")
        #expect(unsafe try file.withBytes { unsafe Array($0) } == Array("judged".utf8))
        try folder.write("", to: "lib.so")
        #expect(unsafe try file.withBytes { unsafe Array($0) } == Array("judged".utf8))
        FileSystem.remove(path)
        #expect(unsafe try file.withBytes { unsafe Array($0) } == Array("judged".utf8))
    }

    @Test func `nobody can write to what was judged, not even through its descriptor`() throws {
        let file = try SealedFile(path: folder.write("judged", to: "lib.so"), trust: nil)
        var byte: UInt8 = 0
        #expect(unsafe pwrite(file.descriptor, &byte, 1, 0) == -1)
        #expect(ftruncate(file.descriptor, 0) == -1)
    }

    @Test func `what was judged is given back with the last reference to it`() throws {
        var file: SealedFile? = try SealedFile(path: folder.write("judged", to: "lib.so"), trust: nil)
        let descriptor = try #require(file?.descriptor)
        let identity = try #require(SystemFile.identity("/proc/self/fd/\(descriptor)"))
        func openings() -> Int {
            FileSystem.names(in: "/proc/self/fd")
                .count { SystemFile.identity("/proc/self/fd/\($0)") == identity }
        }
        #expect(openings() == 1)
        file = nil
        #expect(openings() == 0)
    }

    @Test func `a symbolic link is followed only where it and what it leads through can be trusted`() throws {
        let file = try SealedFile(path: folder.write("abc", to: "real.so"), trust: nil)
        try FileSystem.link(folder("lib.so"), to: "real.so")
        let linked = try SealedFile(path: folder("lib.so"), trust: FileTrust(isStrict: true))
        #expect(linked.digest == file.digest)
        #expect(linked.path == folder("lib.so"))
        #expect(throws: LibraryFileError.notARegularFile(path: folder("lib.so"))) {
            try SealedFile(path: folder("lib.so"), trust: nil)
        }
    }

    @Test func `a folder is refused`() throws {
        let path = try folder.makeFolder("lib.so")
        #expect(
            refusal(path)
                == "\(path): not a plain file; folders, pipes and devices are not loaded, put the library itself here"
        )
    }

    @Test func `a named pipe is refused without waiting for a writer`() throws {
        try FileSystem.makePipe(folder("lib.so"))
        #expect(refusal(folder("lib.so"))?.contains("not a plain file") == true)
    }

    @Test func `a socket is refused as what it is`() throws {
        let path = folder("s.so")
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < 108)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let bound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        #expect(refusal(path)?.contains("not a plain file") == true)
        #expect(throws: LibraryFileError.notARegularFile(path: path)) { try LibraryInspection(path: path) }
    }

    @Test func `a missing file is refused`() {
        #expect(refusal(folder("lib.so")) == "\(folder("lib.so")): there is no such file or folder")
    }

    @Test func `a file that everybody may write to is refused`() throws {
        let path = try folder.write("abc", to: "lib.so")
        try FileSystem.setMode(0o646, of: path)
        #expect(
            refusal(path) == "\(path): everybody may write to it (mode 646); take that away with chmod o-w")
    }

    @Test func `a file that its group may write to is taken with a warning, and refused when strict`() throws
    {
        let path = try folder.write("abc", to: "lib.so")
        try FileSystem.setMode(0o664, of: path)
        #expect(
            try SealedFile(path: path, trust: FileTrust(isStrict: false)).warnings
                == ["\(path): its group may write to it (mode 664); take that away with chmod g-w"])
        #expect(
            refusal(path, strict: true)
                == "\(path): its group may write to it (mode 664), refused with --strict; take that away with chmod g-w"
        )
    }

    @Test func `an inspection takes whatever there is`() throws {
        let path = try folder.write("abc", to: "lib.so")
        try FileSystem.setMode(0o666, of: path)
        #expect(try SealedFile(path: path, trust: nil).warnings == [])
    }

    @Test func `it knows its name and its size, and its memory is named after it`() throws {
        let long = String(repeating: "n", count: 252) + ".so"
        let file = try SealedFile(path: folder.write("text", to: long), trust: nil)
        #expect(file.name == long)
        #expect(file.count == 4)
        #expect(
            try SystemFile.target(of: "/proc/self/fd/\(file.descriptor)")
                == "/memfd:\(String(repeating: "n", count: 200)) (deleted)")
    }

    @Test func `a file of several mebibytes is copied whole`() throws {
        let bytes = (0..<3 << 20 + 7).map { UInt8(truncatingIfNeeded: $0 >> 4) }
        let file = try SealedFile(path: folder.write(bytes, to: "lib.so"), trust: nil)
        #expect(file.count == bytes.count)
        #expect(unsafe try file.withBytes { unsafe $0.elementsEqual(bytes) })
    }

    @Test func `a file of more than 512 MiB is refused`() throws {
        let path = try folder.write("", to: "lib.so")
        try FileSystem.setSize(512 << 20 + 1, of: path)
        #expect(
            refusal(path) == "\(path): 536870913 bytes, a plugin library has at most 536870912")
    }

    @Test func `warnings on the way come before that of the file`() throws {
        let inner = try folder.makeFolder("inner")
        let path = try folder.write("abc", to: "inner/real.so")
        try FileSystem.link(folder("lib.so"), to: "inner/real.so")
        try FileSystem.setMode(0o770, of: inner)
        try FileSystem.setMode(0o660, of: path)
        let file = try SealedFile(path: folder("lib.so"), trust: FileTrust(isStrict: false))
        #expect(
            file.warnings == [
                "\(inner): its group may write to it (mode 770); take that away with chmod g-w",
                "\(path): its group may write to it (mode 660); take that away with chmod g-w",
            ])
    }
}
