// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Old images are removed, unless somebody uses them.
@Suite(.timeLimit(.minutes(10))) struct ClearedImagesTests {
    /// A store in which a host that runs has its image, and this test an old one of nobody's.
    private struct Store {
        let scene: Scene
        let host: ChildProcess
        let abandoned: String
        private let increment = #"{"type":"counter/increment"}"# + "\n"

        init() throws {
            scene = try Scene.counter()
            host = try scene.start(["--print", "actions"])
            host.write(increment)
            try host.waitForOutput("counter/increment")
            abandoned = scene.folder("cache/images/" + String(repeating: "ab", count: 32))
            try FileSystem.makeFolder(abandoned)
            try FileSystem.write([1], to: abandoned + "/libGone.so")
            try FileSystem.write([1], to: abandoned + "/1f.new")
            try FileSystem.makeFolder(abandoned + "/inner")
            try FileSystem.write([1], to: abandoned + "/inner/libSide.so")
            try FileSystem.setAge(days: 31, of: abandoned)
        }

        /// The folder of the image that the host has mapped.
        var used: String {
            get throws {
                let image = try scene.image("libCounterPlugin.so")
                return String(image.prefix(upTo: try #require(image.lastIndex(of: "/"))))
            }
        }

        /// Lets another host begin, with a plugin of its own, so many days after somebody looked for old images.
        func beginAnother(after days: Int) throws {
            try FileSystem.setAge(days: days, of: scene.folder("cache/images/lock"))
            let other = try Scene("{}", libraries: ["ProbePlugin"])
            let outcome = try ChildProcess.run(
                arguments: ["run"], in: other.folder.path, environment: scene.environment)
            #expect(outcome.errors == "gatehouse: 0 lines, 0 actions, 0 rejected\n")
        }

        /// Lets the host go on to its end.
        func finish() throws {
            host.write(increment)
            host.closeInput()
            #expect(try host.finish().errors == "gatehouse: 2 lines, 2 actions, 0 rejected\n")
        }
    }

    @Test func `an image that nobody has used for a month is removed, one that a host has mapped is spared`()
        throws
    {
        let store = try Store()
        let used = try store.used
        try FileSystem.setAge(days: 31, of: used)
        try store.beginAnother(after: 2)
        #expect(FileSystem.names(in: store.abandoned) == [])
        #expect(FileSystem.names(in: used) == ["libCounterPlugin.so"])
        try store.finish()
        try store.beginAnother(after: 2)
        #expect(FileSystem.names(in: used) == [])
    }

    @Test func `a use makes an image young again`() throws {
        let store = try Store()
        let used = try store.used
        try FileSystem.setAge(days: 31, of: used)
        try store.finish()
        #expect(try store.scene.run().exitCode == 0)
        try store.beginAnother(after: 2)
        #expect(FileSystem.names(in: used) == ["libCounterPlugin.so"])
    }

    @Test func `old images are looked for at most once a day, and nothing else is touched`() throws {
        let store = try Store()
        let note = store.scene.folder("cache/images/notes")
        try FileSystem.write([1], to: note)
        try FileSystem.setAge(days: 400, of: note)
        try store.beginAnother(after: 0)
        #expect(FileSystem.names(in: store.abandoned) == ["1f.new", "inner", "libGone.so"])
        try store.beginAnother(after: 2)
        #expect(FileSystem.names(in: store.abandoned) == [])
        #expect(try FileSystem.read(note) == [1])
        try store.finish()
    }
}
