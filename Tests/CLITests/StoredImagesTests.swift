// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Images in the cache folder: who may reach them, where that is, and what happens to those that were changed.
@Suite(.timeLimit(.minutes(10))) struct StoredImagesTests {
    private let increment = #"{"type":"counter/increment"}"# + "\n"
    private let state = "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n"
    private let summary = "gatehouse: 1 line, 1 action, 0 rejected"

    /// A scene with one counter, whose image is in the store.
    private func stored() throws -> (scene: Scene, image: String) {
        let scene = try Scene.counter()
        #expect(try scene.run(input: increment).errors == summary + "\n")
        return (scene, try scene.image())
    }

    /// Runs with variables of one's own.
    private func run(_ environment: [String: String], in scene: Scene) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["run"], input: Array(increment.utf8), in: scene.folder.path, environment: environment)
    }

    // MARK: - In the store

    @Test func `an image has the judged bytes, under its digest, for nobody but this user`() throws {
        let (scene, image) = try stored()
        #expect(
            try FileSystem.read(image) == FileSystem.read(scene.folder("plugins/libCounterPlugin.so")))
        #expect(try FileSystem.mode(of: image) == 0o500)
        let folder = String(image.prefix(upTo: try #require(image.lastIndex(of: "/"))))
        #expect(try FileSystem.mode(of: folder) == 0o700)
        #expect(try FileSystem.mode(of: scene.folder("cache/images")) == 0o700)
        let digest = try ChildProcess.run("/usr/bin/sha256sum", arguments: [image]).output.prefix(64)
        #expect(folder == scene.folder("cache/images/\(digest)"))
    }

    @Test func `what a library needs from the plugin folder is copied beside its image, and found there`()
        throws
    {
        let scene = try Scene(
            #"{ "discovery": "ignore", "plugins": [{ "id": "counter", "library": "libCounterPlugin.so" }] }"#,
            libraries: ["CounterPlugin"])
        let library = scene.folder("plugins/libCounterPlugin.so")
        let (name, other) = (Array("libswift_RegexParser.so".utf8), Array("libcompanionOfPlugin.so".utf8))
        try FileSystem.write(FileSystem.read(library).replacing(name, with: other), to: library)
        let alone = try scene.run(input: increment)
        #expect(
            alone.errors
                == "./plugins/libCounterPlugin.so: refused for the instance counter: needs libcompanionOfPlugin.so, which is neither part of this host nor where the system's loader looks; install it, or link it statically\n"
        )
        #expect(alone.exitCode == 69)
        try scene.folder.copyLibrary("NoNote", as: "plugins/libcompanionOfPlugin.so")
        let outcome = try scene.run(input: increment)
        #expect(outcome.errors == summary + "\n")
        #expect(outcome.output == state)
        let images = scene.folder("cache/images/")
        let folder = try #require(FileSystem.names(in: images).first { $0 != "lock" })
        #expect(FileSystem.names(in: images + folder) == ["libCounterPlugin.so", "libcompanionOfPlugin.so"])
        // Its bytes are part of what was tried.
        #expect(FileSystem.names(in: scene.folder("cache/rehearsals")).count == 1)
        try FileSystem.write(
            FileSystem.read(scene.folder("plugins/libcompanionOfPlugin.so")) + [0],
            to: scene.folder("plugins/libcompanionOfPlugin.so"))
        #expect(try scene.run(input: increment).output == state)
        #expect(FileSystem.names(in: scene.folder("cache/rehearsals")).count == 2)
        let fromMemory = try run([:], in: scene)
        #expect(
            fromMemory.errors
                == "./plugins/libCounterPlugin.so: refused for the instance counter: it needs libcompanionOfPlugin.so of its own folder, which only an image in the cache folder finds; let \"images\" be \"cache\", or put that where the system's loader looks\n"
        )
        #expect(fromMemory.exitCode == 69)
    }

    @Test func `what comes along is pinned too, by the object that a warning gives`() throws {
        let scene = try Scene("{}", libraries: ["CounterPlugin"])
        let library = scene.folder("plugins/libCounterPlugin.so")
        let (name, other) = (Array("libswift_RegexParser.so".utf8), Array("libcompanionOfPlugin.so".utf8))
        try FileSystem.write(FileSystem.read(library).replacing(name, with: other), to: library)
        try scene.folder.copyLibrary("NoNote", as: "plugins/libcompanionOfPlugin.so")
        let digest = { (name: String) in
            try String(
                ChildProcess.run("/usr/bin/sha256sum", arguments: [scene.folder("plugins/" + name)]).output
                    .prefix(64))
        }
        let (own, brought) = (try digest("libCounterPlugin.so"), try digest("libcompanionOfPlugin.so"))
        let run = { (pin: String) in
            try scene.folder.write(
                #"{ "discovery": "ignore", "plugins": [{ "id": "counter", "sha256": \#(pin) }] }"#,
                to: "plugins.json")
            return try scene.run(input: increment)
        }
        let alone = try run(#""\#(own)""#)
        let whole = #"{"libCounterPlugin.so":"\#(own)","libcompanionOfPlugin.so":"\#(brought)"}"#
        #expect(
            alone.errorLines.first
                == #"plugins.json:1:67: warning: /plugins/0/sha256: the bytes of what comes along with libCounterPlugin.so are not pinned: libcompanionOfPlugin.so; if you trust them, write "sha256": \#(whole)"#
        )
        #expect(alone.output == state)
        #expect(try run(whole).errors == summary + "\n")
        let none = try run(#"{"libCounterPlugin.so":"\#(own)","libold.so":"\#(own)"}"#)
        #expect(
            none.errors
                == "./plugins/libCounterPlugin.so: refused for the instance counter: SHA-256 of libcompanionOfPlugin.so, which comes along: plugins.json pins none, found \(brought); if you trust these bytes, pin the found one\n"
        )
        #expect(none.exitCode == 69)
        try FileSystem.write(
            FileSystem.read(scene.folder("plugins/libcompanionOfPlugin.so")) + [0],
            to: scene.folder("plugins/libcompanionOfPlugin.so"))
        #expect(
            try run(whole).errors.hasPrefix(
                "./plugins/libCounterPlugin.so: refused for the instance counter: SHA-256 of libcompanionOfPlugin.so, which comes along: plugins.json pins \(brought), found "
            ))
    }

    @Test func `a policy of placement lists a library with all that it brings along`() throws {
        let scene = try Scene("{}", libraries: ["CounterPlugin"])
        let library = scene.folder("plugins/libCounterPlugin.so")
        let (name, other) = (Array("libswift_RegexParser.so".utf8), Array("libcompanionOfPlugin.so".utf8))
        try FileSystem.write(FileSystem.read(library).replacing(name, with: other), to: library)
        try scene.folder.copyLibrary("NoNote", as: "plugins/libcompanionOfPlugin.so")
        let own = try ChildProcess.run("/usr/bin/sha256sum", arguments: [library]).output.prefix(64)
        let check = { (digest: String) in
            try scene.folder.write(
                #"{ "placement": { "default": "worker", "host": ["\#(digest)"] }, "plugins": [{ "id": "counter" }], "discovery": "ignore" }"#,
                to: "plugins.json")
            return try scene.call("check").errorLines
        }
        let alone = try check(String(own))
        let start =
            "plugins.json:1:48: warning: /placement/host/0: this is the digest of libCounterPlugin.so alone, which brings along libcompanionOfPlugin.so; for the bytes of all of them, write \""
        let advice = try #require(alone.first)
        #expect(advice.hasPrefix(start) && advice.hasSuffix("\""), "\(advice)")
        #expect(alone.contains("gatehouse: counter runs in a worker (by default)"))
        let whole = try check(String(advice.dropFirst(start.count).dropLast()))
        #expect(
            whole == [
                "gatehouse: plugins.json: OK (1 instance, 1 library)",
                "gatehouse: counter runs in the host (its digest is listed)",
                "gatehouse: a run ends when its input does",
            ])
    }

    @Test func `an image that is there is used again`() throws {
        let (scene, image) = try stored()
        let identity = try FileSystem.identity(of: image)
        #expect(try scene.run(input: increment).errors == summary + "\n")
        #expect(try FileSystem.identity(of: image) == identity)
    }

    @Test(arguments: ["000", "077"])
    func `modes are as they should be whatever others may do with new files`(mask: String) throws {
        let (scene, image) = try stored()
        FileSystem.removeFolder(scene.folder("cache"))
        let outcome = try ChildProcess.run(
            "/bin/sh", arguments: ["-c", #"umask \#(mask); exec "$0" run"#, BuiltProducts.program],
            input: Array(increment.utf8), in: scene.folder.path, environment: scene.environment)
        #expect(outcome.errors == summary + "\n")
        for folder in ["cache", "cache/images"] {
            #expect(try FileSystem.mode(of: scene.folder(folder)) == 0o700)
        }
        #expect(try FileSystem.mode(of: image) == 0o500)
        #expect(try scene.run(input: increment).errors == summary + "\n")
    }

    @Test(arguments: [
        ("overwritten", "it differed from the library that was judged"),
        ("cut off", "it differed from the library that was judged"),
        ("link", "it was a link"), ("pipe", "it was no plain file"),
        ("writable", "its mode was 700 instead of 500"),
    ])
    func `an image that was changed is replaced, which is told`(change: String, reason: String) throws {
        let (scene, image) = try stored()
        let bytes = try FileSystem.read(image)
        switch change {
        case "overwritten":
            FileSystem.remove(image)
            try FileSystem.write([UInt8](repeating: 0xCC, count: bytes.count), to: image)
            try FileSystem.setMode(0o500, of: image)
        case "cut off":
            FileSystem.remove(image)
            try FileSystem.write(Array(bytes.dropLast()), to: image)
            try FileSystem.setMode(0o500, of: image)
        case "link":
            FileSystem.remove(image)
            try FileSystem.link(image, to: scene.folder("plugins/libCounterPlugin.so"))
        case "pipe":
            FileSystem.remove(image)
            try FileSystem.makePipe(image)
        default: try FileSystem.setMode(0o700, of: image)
        }
        try expectReplaced(image, in: scene, because: reason)
        #expect(try FileSystem.read(image) == bytes)
    }

    @Test func `a second name that a profiler gives an image disturbs nothing`() throws {
        let (scene, image) = try stored()
        _ = try ChildProcess.run("/bin/ln", arguments: [image, scene.folder("other.so")])
        #expect(try scene.run(input: increment).errors == summary + "\n")
    }

    @Test(.enabled(if: FileSystem.isRoot, "giving files away takes root"))
    func `an image of another user is replaced, which is told`() throws {
        let (scene, image) = try stored()
        try FileSystem.setOwner(12_345, of: image)
        try expectReplaced(image, in: scene, because: "it belonged to user 12345")
    }

    /// Runs twice: the image is replaced with a warning, and then as it should be.
    private func expectReplaced(_ image: String, in scene: Scene, because reason: String) throws {
        let outcome = try scene.run(input: increment)
        #expect(outcome.output == state)
        #expect(
            outcome.errorLines == [
                "gatehouse: warning: \(image): \(reason), and was replaced; only gatehouse should write there",
                summary,
            ])
        #expect(outcome.exitCode == 0)
        #expect(try FileSystem.mode(of: image) == 0o500)
        #expect(try scene.run(input: increment).errors == summary + "\n")
    }

    @Test func `a store that others could use is closed to them, and its images are compared as ever`() throws
    {
        let (scene, image) = try stored()
        try FileSystem.setMode(0o777, of: scene.folder("cache/images"))
        #expect(try scene.run(input: increment).errors == summary + "\n")
        #expect(try FileSystem.mode(of: scene.folder("cache/images")) == 0o700)
        #expect(try FileSystem.mode(of: image) == 0o500)
    }

    @Test func `a file name that the loader would expand is loaded all the same`() throws {
        let scene = try Scene("{}")
        try scene.addLibrary("CounterPlugin", as: "lib$LIB$ORIGIN.so")
        let outcome = try scene.run(input: increment)
        #expect(outcome.output == state)
        #expect(outcome.errors == summary + "\n")
        #expect(try scene.image().hasSuffix("/lib_LIB_ORIGIN.so"))
    }

    @Test func `hosts that begin at the same time share one image`() throws {
        let scene = try Scene.counter()
        let hosts = try (0..<6).map { _ in try scene.start() }
        for host in hosts {
            host.write(increment)
            host.closeInput()
        }
        for host in hosts {
            let outcome = try host.finish()
            #expect(outcome.output == state)
            #expect(outcome.errors == summary + "\n")
        }
        let image = try scene.image()
        let folder = String(image.prefix(upTo: try #require(image.lastIndex(of: "/"))))
        #expect(FileSystem.names(in: folder) == ["libCounterPlugin.so"])
    }

    // MARK: - Where the store is

    @Test func `systemd's folder comes before that of the session, which comes before that in the home`()
        throws
    {
        let scene = try Scene.counter()
        let home = ["HOME": scene.folder("home")]
        let session = home.merging(["XDG_CACHE_HOME": scene.folder("session")]) { $1 }
        let system = session.merging(["CACHE_DIRECTORY": scene.folder("a") + ":" + scene.folder("b")]) { $1 }
        for (environment, folder) in [
            (system, "a"), (session, "session/gatehouse"), (home, "home/.cache/gatehouse"),
        ] {
            #expect(try run(environment, in: scene).errors == summary + "\n")
            #expect(FileSystem.names(in: scene.folder(folder + "/images")).count == 2, "\(folder)")
            FileSystem.removeFolder(scene.folder(folder))
        }
        #expect(FileSystem.names(in: scene.folder("b")) == [])
        #expect(FileSystem.names(in: scene.folder("session")) == [])
    }

    @Test func `without a home, and where the configuration says so, images are mapped from memory`() throws {
        let scene = try Scene.counter()
        let loader = ["LD_DEBUG": "files"]
        let homeless = try run(loader, in: scene)
        #expect(homeless.errors.contains("calling init: /proc/self/fd/"))
        let relative = try run(loader.merging(["HOME": "home", "XDG_CACHE_HOME": "x"]) { $1 }, in: scene)
        #expect(relative.errors.contains("calling init: /proc/self/fd/"))
        try scene.folder.write(
            #"{ "images": "memory", "plugins": [{ "id": "counter" }] }"#, to: "plugins.json")
        let asked = try run(loader.merging(scene.environment) { $1 }, in: scene)
        #expect(asked.errors.contains("calling init: /proc/self/fd/"))
        #expect(FileSystem.names(in: scene.folder.path) == ["plugins", "plugins.json"])
        for outcome in [homeless, relative, asked] {
            #expect(outcome.output == state)
            #expect(outcome.errorLines.contains(summary))
            #expect(!outcome.errors.contains("gatehouse: warning"))
        }
    }

    @Test func `check, list and plan make no store`() throws {
        let scene = try Scene.counter()
        for command in ["check", "list", "plan"] { #expect(try scene.call(command).exitCode == 0) }
        #expect(FileSystem.names(in: scene.folder.path) == ["plugins", "plugins.json"])
    }
}
