// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseReload

/// Which changes of files are noticed by what the system says of them.
@Suite(.timeLimit(.minutes(10))) struct FileStampsTests {
    /// The configuration's folder, in which the libraries are too.
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("{}", to: "plugins.json")
        try folder.write("a", to: "liba.so")
    }

    /// The files as they are now.
    private func stamps() -> FileStamps { FileStamps(of: folder("plugins.json"), folder: folder.path) }

    @Test func `files that stay are the same at each look`() {
        #expect(stamps() == stamps())
        #expect(FileStamps(of: nil, folder: folder.path) == FileStamps(of: nil, folder: folder.path))
        #expect(FileStamps(of: nil, folder: folder.path) != stamps())
    }

    @Test func `another size is another file, whatever its times`() throws {
        let before = stamps()
        try folder.write("{ }", to: "plugins.json")
        #expect(stamps() != before)
    }

    @Test(arguments: ["plugins.json", "liba.so"])
    func `another file with the same name is noticed, and one whose times have changed`(name: String) throws {
        let before = stamps()
        try FileSystem.setAge(days: 1, of: folder(name))
        let aged = stamps()
        #expect(aged != before)
        try FileSystem.write(FileSystem.read(folder(name)), to: folder("other"))
        try FileSystem.setAge(days: 1, of: folder("other"))
        try FileSystem.rename(folder("other"), to: folder(name))
        #expect(stamps() != aged)
    }

    @Test func `a mode that changes is noticed by the time of the status`() throws {
        let before = stamps()
        try FileSystem.setMode(0o600, of: folder("plugins.json"))
        #expect(stamps() != before)
    }

    @Test func `a file that comes or goes is noticed, if it is the configuration or a library`() throws {
        let before = stamps()
        try folder.write("text", to: "README.md")
        try folder.write("text", to: "libb.so.old")
        #expect(stamps() == before)
        try folder.write("b", to: "libb.so")
        let more = stamps()
        #expect(more != before)
        FileSystem.remove(folder("libb.so"))
        #expect(stamps() == before)
        FileSystem.remove(folder("plugins.json"))
        let missing = stamps()
        #expect(missing != before)
        #expect(missing == stamps())
    }

    @Test func `a link is what it leads to`() throws {
        let other = try TemporaryFolder()
        try other.write("1", to: "one")
        try other.write("1", to: "two")
        try FileSystem.link(folder("linked.json"), to: other("one"))
        let before = FileStamps(of: folder("linked.json"), folder: folder.path)
        try other.write("12", to: "one")
        let written = FileStamps(of: folder("linked.json"), folder: folder.path)
        #expect(written != before)
        FileSystem.remove(folder("linked.json"))
        try FileSystem.link(folder("linked.json"), to: other("two"))
        #expect(FileStamps(of: folder("linked.json"), folder: folder.path) != written)
    }

    @Test func `where there is no folder there are no libraries`() {
        #expect(
            FileStamps(of: folder("plugins.json"), folder: folder("no"))
                == FileStamps(of: folder("plugins.json"), folder: folder("neither")))
    }
}
