// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Plugin folders that somebody else can put files into, and what stands above a plugin folder.
@Suite(.timeLimit(.minutes(10))) struct SharedFolderTests {
    private let increment = #"{"type":"counter/increment"}"#
    private let counted = "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n"

    /// A counter in a folder that everybody may add to.
    private func shared(_ members: String = "") throws -> Scene {
        let scene = try Scene.counter(members)
        try FileSystem.setMode(0o1777, of: scene.folder("plugins"))
        return scene
    }

    /// The warning about a file of the stranger.
    private func warning(_ name: String) -> String {
        "gatehouse: warning: ./plugins/\(name): refused: belongs to user 54321, expected root or the user of this process; change its owner with chown\n"
    }

    @Test(
        .enabled(if: Stranger.canOwn, "needs root, to give files to another user"),
        arguments: ["libACounter.so", "libZCounter.so"])
    func `a stranger's copy of a plugin loses against the one that is ours`(name: String) throws {
        let scene = try shared()
        try scene.addLibrary("CounterPlugin", as: name)
        try Stranger.own(scene.folder("plugins/" + name))
        let outcome = try scene.run(input: increment)
        #expect(outcome.errors == warning(name) + "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(outcome.output == counted)
        #expect(outcome.exitCode == 0)
        let discovered = try scene.run(["--plugins", "plugins"], input: increment)
        #expect(discovered.errors == outcome.errors)
        #expect(discovered.output == counted)
        #expect(discovered.exitCode == 0)
    }

    @Test(.enabled(if: Stranger.canOwn, "needs root, to give files to another user"))
    func `a stranger's link to a library that is ours is refused`() throws {
        let scene = try shared()
        try FileSystem.link(scene.folder("plugins/libLink.so"), to: "libCounterPlugin.so")
        try Stranger.own(scene.folder("plugins/libLink.so"))
        let outcome = try scene.run(input: increment)
        #expect(outcome.errors == warning("libLink.so") + "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }

    @Test(.enabled(if: Stranger.canOwn, "needs root, to give files to another user"))
    func
        `a stranger's library that an entry names is refused, and one that only declares its id is not there`()
        throws
    {
        let scene = try shared()
        try Stranger.own(scene.folder("plugins/libCounterPlugin.so"))
        #expect(
            try scene.run(input: increment).errors
                == "plugins.json:1:23: /plugins/0/id: no library in ./plugins declares the plugin id \"counter\"; put the library there, or name its file with \"library\"\n"
                + warning("libCounterPlugin.so"))
        try scene.folder.write(
            #"{ "plugins": [{ "id": "counter", "library": "libCounterPlugin.so" }] }"#, to: "plugins.json")
        let named = try scene.run(input: increment)
        #expect(
            named.errors
                == "./plugins/libCounterPlugin.so: refused for the instance counter: belongs to user 54321, expected root or the user of this process; change its owner with chown\n"
        )
        #expect(named.exitCode == 69)
    }

    @Test(.enabled(if: Stranger.canOwn, "needs root, to give files to another user"))
    func `a stranger's library in the place of a needed one is passed over`() throws {
        let scene = try shared()
        try scene.addLibrary("PersistencePlugin")
        try scene.folder.write("no library", to: "plugins/libsqlite3.so.0")
        try Stranger.own(scene.folder("plugins/libsqlite3.so.0"))
        let outcome = try scene.run(input: increment)
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }

    @Test(.enabled(if: Stranger.canOwn, "needs root, to give files to another user"))
    func `nothing is read of large files of a stranger`() throws {
        let scene = try shared()
        for number in 1...6 {
            let path = try scene.folder.write(
                FileSystem.read(BuiltProducts.library("CounterPlugin")), to: "plugins/libBig\(number).so")
            try FileSystem.setSize(511 << 20, of: path)
            try Stranger.own(path)
        }
        #expect(try peak(of: scene) < 200 << 20)
    }

    @Test func `with discovery ignore nothing is read but what the entries name`() throws {
        let scene = try Scene(
            #"{ "discovery": "ignore", "plugins": [{ "id": "c", "library": "libCounterPlugin.so" }, { "id": "probe" }] }"#,
            libraries: ["CounterPlugin", "ProbePlugin"])
        for number in 1...6 {
            let path = try scene.folder.write(
                FileSystem.read(BuiltProducts.library("RulesPlugin")), to: "plugins/libBig\(number).so")
            try FileSystem.setSize(511 << 20, of: path)
        }
        try scene.folder.write("no library", to: "plugins/libBroken.so")
        #expect(try peak(of: scene) < 200 << 20)
        let outcome = try scene.run(input: #"{"type":"c/increment"}"#)
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(outcome.output.contains("\"count\": 1"))
        #expect(try scene.call("list").output.contains("libB") == false)
    }

    /// The most memory that a run has had when it has taken a line, memory files included.
    private func peak(of scene: Scene) throws -> Int {
        let child = try ChildProcess(
            BuiltProducts.program, ["run"], in: scene.folder.path, keeping: scene.folder)
        child.write("no JSON\n")
        try child.waitForErrors("standard input:1:1: ")
        let peak = try child.peakMemory()
        child.closeInput()
        #expect(try child.finish().exitCode == 65)
        return peak
    }

    // MARK: - Above the plugin folder

    /// A counter in `above/plugins`.
    private func below(_ mode: UInt32) throws -> Scene {
        let scene = try Scene(#"{ "directory": "above/plugins", "plugins": [{ "id": "counter" }] }"#)
        _ = try scene.folder.makeFolder("above")
        _ = try scene.folder.makeFolder("above/plugins")
        try scene.folder.copyLibrary("CounterPlugin", as: "above/plugins/libCounterPlugin.so")
        try FileSystem.setMode(mode, of: scene.folder("above"))
        return scene
    }

    @Test func `a folder above that everybody may write to ends with 78`() throws {
        let scene = try below(0o777)
        let outcome = try scene.run(input: increment)
        #expect(
            outcome.errors
                == "plugins.json:1:16: /directory: \(scene.folder("above")): everybody may write to it (mode 777); take that away with chmod o-w\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `a folder above that its group may write to is a warning, and refused when strict`() throws {
        let scene = try below(0o775)
        let lenient = try scene.run(input: increment)
        #expect(
            lenient.errors
                == "gatehouse: warning: \(scene.folder("above")): its group may write to it (mode 775); take that away with chmod g-w\ngatehouse: 1 line, 1 action, 0 rejected\n"
        )
        #expect(lenient.exitCode == 0)
        let strict = try scene.run(["--strict"], input: increment)
        #expect(
            strict.errors
                == "plugins.json:1:16: /directory: \(scene.folder("above")): its group may write to it (mode 775), refused with --strict; take that away with chmod g-w\n"
        )
        #expect(strict.exitCode == 78)
    }

    @Test func `a folder above with the sticky bit is none to worry about`() throws {
        let outcome = try below(0o1777).run(input: increment)
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }

    @Test(.enabled(if: Stranger.canOwn, "needs root, to give files to another user"))
    func `a folder above, or a link on the way, of a stranger ends with 78`() throws {
        let scene = try below(0o755)
        try Stranger.own(scene.folder("above"))
        let foreign =
            "belongs to user 54321, expected root or the user of this process; change its owner with chown\n"
        let outcome = try scene.run(input: increment)
        #expect(outcome.errors == "plugins.json:1:16: /directory: \(scene.folder("above")): \(foreign)")
        #expect(outcome.exitCode == 78)

        let other = try below(0o755)
        try FileSystem.link(other.folder("link"), to: "above")
        try Stranger.own(other.folder("link"))
        try other.folder.write(
            #"{ "directory": "link/plugins", "plugins": [{ "id": "counter" }] }"#, to: "plugins.json")
        let linked = try other.run(input: increment)
        #expect(linked.errors == "plugins.json:1:16: /directory: \(other.folder("link")): \(foreign)")
        #expect(linked.exitCode == 78)
    }
}
