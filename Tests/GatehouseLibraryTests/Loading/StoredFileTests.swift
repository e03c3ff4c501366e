// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct StoredFileTests {
    private let folder: TemporaryFolder
    private let place: PrivateFolder
    private let library: SealedFile

    init() throws {
        folder = try TemporaryFolder()
        place = try PrivateFolder("place", below: folder.path, trust: FileTrust(isStrict: false)) { _ in }
        library = try SealedFile(path: folder.write("judged", to: "lib$.so"), trust: nil)
    }

    /// What is under a name of the place.
    private func look(at name: String = "lib.so") throws -> StoredFile.Comparison {
        try StoredFile.look(at: name, in: place, for: library)
    }

    /// Writes a text under the usual name, of the right mode.
    private func put(_ text: String, mode: UInt32 = 0o500) throws {
        try folder.write(text, to: "place/lib.so")
        try FileSystem.setMode(mode, of: folder("place/lib.so"))
    }

    /// What is said of other bytes.
    private static let difference = StoredFile.Comparison.different(
        "it differed from the library that was judged")

    @Test func `what was written is the same, for its owner alone, and nothing is left beside it`() throws {
        #expect(try look() == .missing)
        for isLasting in [false, true] {
            try StoredFile.write(library, as: "lib.so", in: place, lastingOn: isLasting ? .system : nil)
            #expect(try look() == .same)
            #expect(try FileSystem.mode(of: folder("place/lib.so")) == 0o500)
            #expect(try folder.read("place/lib.so") == "judged")
            #expect(place.names == ["lib.so"])
        }
    }

    @Test func `other bytes are a difference, by size or one by one`() throws {
        for text in ["judge", "judged!", "judgeD", "Judged", ""] {
            try? FileSystem.setMode(0o700, of: folder("place/lib.so"))
            try put(text)
            #expect(try look() == Self.difference)
        }
    }

    @Test func `what is no plain file of the right mode is another`() throws {
        try FileSystem.link(folder("place/link"), to: "../lib$.so")
        #expect(try look(at: "link") == .different("it was a link"))
        _ = try folder.makeFolder("place/folder")
        #expect(try look(at: "folder") == .different("it was no plain file"))
        let long = String(repeating: "n", count: 256)
        #expect(
            try look(at: long) == .different("it could not be opened (File name too long)"))
        for (mode, text) in [(0o600, "600"), (0o4500, "4500"), (0o501, "501"), (0o700, "700")]
            as [(UInt32, String)]
        {
            try put("judged", mode: mode)
            #expect(try look() == .different("its mode was \(text) instead of 500"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `a file of somebody else is another`() throws {
        try put("judged")
        try FileSystem.setOwner(12_345, of: folder("place/lib.so"))
        #expect(try look() == .different("it belonged to user 12345"))
    }

    @Test func `what cannot be written is told, and no draft is left`() throws {
        _ = try folder.makeFolder("place/lib.so")
        #expect(
            throws: ImageStoreError.file(
                .system(path: folder("place/lib.so"), call: "rename", reason: "Is a directory"))
        ) { try StoredFile.write(library, as: "lib.so", in: place) }
        #expect(place.names == ["lib.so"])
        FileSystem.removeFolder(place.path)
        let error = #expect(throws: ImageStoreError.self) {
            try StoredFile.write(library, as: "lib.so", in: place)
        }
        guard case .file(.system(let path, call: "open", reason: "No such file or directory")) = error else {
            Issue.record("found \(String(describing: error))")
            return
        }
        #expect(path.hasPrefix(place.path + "/"))
        #expect(path.hasSuffix(".new"))
    }

    @Test func `bytes that cannot be copied are told, and what was there stays`() throws {
        try StoredFile.write(library, as: "lib.so", in: place)
        let other = try SealedFile(path: folder.write("other", to: "other.so"), trust: nil)
        // From here on nothing can be read from its descriptor.
        let nothing = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        try #require(nothing >= 0)
        defer { close(nothing) }
        try #require(dup2(nothing, other.descriptor) == other.descriptor)
        let error = #expect(throws: ImageStoreError.self) {
            try StoredFile.write(other, as: "lib.so", in: place)
        }
        guard case .file(.system(_, call: "sendfile", reason: "Bad file descriptor")) = error else {
            Issue.record("found \(String(describing: error))")
            return
        }
        #expect(place.names == ["lib.so"])
        #expect(try look() == .same)
    }

    @Test(.enabled(if: geteuid() == 0, "only root acts for others"))
    func `a file that is not what was just written to it is told after three times`() async {
        // In a process of its own, which makes files for somebody else: those are never what the store wants.
        await #expect(processExitsWith: .exitCode(7)) {
            typealias ActFor = @convention(c) (uid_t) -> Int32
            guard let symbol = unsafe dlsym(nil, "setfsuid") else { exit(1) }
            let actFor = unsafe unsafeBitCast(symbol, to: ActFor.self)
            let folder = try TemporaryFolder()
            let place = try PrivateFolder(
                "place", below: folder.path, trust: FileTrust(isStrict: false), warn: { _ in })
            try FileSystem.setMode(0o777, of: place.path)
            let content = ImageContent(
                try SealedFile(path: folder.write("judged", to: "lib.so"), trust: nil))
            var warnings: [String] = []
            var found: ImageStoreError?
            _ = actFor(12_345)
            do throws(ImageStoreError) {
                _ = try StoredFile.keep(content, in: place) { warnings.append($0) }
            } catch {
                found = error
            }
            _ = actFor(0)
            FileSystem.removeFolder(folder.path)
            guard found == .unsteady(path: place.path + "/lib.so") else { exit(2) }
            let warning =
                "\(place.path)/lib.so: it belonged to user 12345, and was replaced; only gatehouse should write there"
            exit(warnings == [warning, warning] ? 7 : 3)
        }
    }

    @Test(arguments: [false, true])
    func `a library and its companions are kept, and what differs is replaced with a word`(isLasting: Bool)
        throws
    {
        let side = try SealedFile(path: folder.write("side", to: "side"), trust: nil)
        let content = ImageContent(
            library,
            with: [Companion(name: "inner/deep/side.so", file: side), Companion(name: "near.so", file: side)])
        func keep() throws -> (path: String, warnings: [String]) {
            var warnings: [String] = []
            let path = try StoredFile.keep(content, in: place, lastingOn: isLasting ? .system : nil) {
                warnings.append($0)
            }
            return (path, warnings)
        }
        let path = folder("place/lib_.so")
        #expect(try keep() == (path, []))
        let texts = {
            try ["place/lib_.so", "place/near.so", "place/inner/deep/side.so"].map { try folder.read($0) }
        }
        #expect(try texts() == ["judged", "side", "side"])
        let identity = try FileSystem.identity(of: path)
        #expect(try keep() == (path, []))
        #expect(try FileSystem.identity(of: path) == identity)
        for name in ["lib_.so", "near.so", "inner/deep/side.so"] {
            try FileSystem.setMode(0o700, of: folder("place/\(name)"))
            #expect(
                try keep() == (
                    path,
                    [
                        "\(folder("place/\(name)")): its mode was 700 instead of 500, and was replaced; only gatehouse should write there"
                    ]
                ))
            #expect(try texts() == ["judged", "side", "side"])
        }
    }

    @Test func `a name has nothing that the loader would expand`() {
        #expect(StoredFile.name(of: library) == "lib_.so")
    }
}
