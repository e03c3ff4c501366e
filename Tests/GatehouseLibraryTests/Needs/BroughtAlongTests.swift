// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseLibrary

/// Libraries that would let others put code into the host through what they need, as the built program meets them.
///
/// Each of the needed libraries ends the process with 42 when it is loaded.
@Suite(.enabled(if: Workshop.compiler != nil, "needs clang or gcc"), .timeLimit(.minutes(10)))
struct BroughtAlongTests {
    private let scene: NeedyPlugin

    init() throws {
        scene = try NeedyPlugin()
        try scene.folder.copyLibrary("CounterPlugin", as: "plugins/libCounterPlugin.so")
        for name in ["good", "open"] { _ = try scene.folder.makeFolder(name) }
        try FileSystem.setMode(0o777, of: path("open"))
        try scene.library("open/libevil.so", NeedyPlugin.name("libevil.so"))
        try scene.library("good/libevil.so", NeedyPlugin.name("libevil.so"))
    }

    /// Where a test has put something.
    private func path(_ name: String) -> String { scene.folder(name) }

    /// Runs the program with the plugin named, and then only found.
    private func expectRefusal(
        _ reasons: [String], environment: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let list =
            reasons.count == 1
            ? " " + reasons[0] + "\n" : "\n" + reasons.map { "  - \($0)\n" }.joined()
        try scene.folder.write(
            #"{ "plugins": [{ "id": "counter" }, { "id": "needy", "library": "libNeedy.so" }] }"#,
            to: "plugins.json")
        let named = try run(environment)
        #expect(
            named.errors == "./plugins/libNeedy.so: refused for the instance needy:" + list,
            sourceLocation: sourceLocation)
        #expect(named.exitCode == 69, sourceLocation: sourceLocation)

        try scene.folder.write(#"{ "plugins": [{ "id": "counter" }] }"#, to: "plugins.json")
        let found = try run(environment)
        #expect(
            found.errors == "gatehouse: warning: ./plugins/libNeedy.so: refused:" + list
                + "gatehouse: 1 line, 1 action, 0 rejected\n", sourceLocation: sourceLocation)
        #expect(
            found.output == "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n", sourceLocation: sourceLocation)
        #expect(found.exitCode == 0, sourceLocation: sourceLocation)
    }

    /// Runs the program on one action.
    private func run(_ environment: [String] = []) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            "/usr/bin/env", arguments: environment + [BuiltProducts.program, "run"],
            input: Array(#"{"type":"counter/increment"}"#.utf8), in: scene.folder.path)
    }

    /// The sentence about a library that nothing else leads to.
    private let missing =
        "needs libevil.so, which is neither part of this host nor where the system's loader looks; install it, or link it statically"

    @Test(arguments: ["$ORIGIN/../root", "$ORIGIN/../cwd", "${ORIGIN}/../../../.."])
    func `a run path that climbs out of the plugin folder is refused`(start: String) throws {
        let text = start + path("open")
        try scene.plugin([path("open/libevil.so")] + NeedyPlugin.runPath(text))
        try expectRefusal([
            "its run path has \"\(text)\", which leaves the plugin's folder; link the plugin without it",
            missing,
        ])
    }

    @Test func `a run path with the folder's word after a slash is refused`() throws {
        let text = "/$ORIGIN/../../../" + path("open")
        try scene.plugin([path("open/libevil.so")] + NeedyPlugin.runPath(text))
        try expectRefusal([
            "its run path has \"\(text)\", with a $ that is not $ORIGIN at its start; link the plugin without it",
            missing,
        ])
    }

    @Test(arguments: ["$LIB", "${PLATFORM}"])
    func `a run path with a word for the machine's folders is refused`(word: String) throws {
        let text = path("good/") + word
        try scene.plugin([path("open/libevil.so")] + NeedyPlugin.runPath(text))
        try expectRefusal([
            "its run path has \"\(text)\", with a $ that is not $ORIGIN at its start; link the plugin without it",
            missing,
        ])
    }

    @Test func `a run path through the folders of processes is refused`() throws {
        let text = "/proc/self/cwd/open"
        try scene.plugin([path("open/libevil.so")] + NeedyPlugin.runPath(text))
        try expectRefusal([
            "its run path has \"\(text)\", which is another folder in each process; link the plugin without it",
            missing,
        ])
    }

    @Test func `an open folder for newer processors in a good one is refused`() throws {
        let newer = path("good/glibc-hwcaps/x86-64-v2")
        _ = try scene.folder.makeFolder("good/glibc-hwcaps")
        try FileSystem.setMode(0o777, of: scene.folder.makeFolder("good/glibc-hwcaps/x86-64-v2"))
        try scene.plugin([path("good/libevil.so")] + NeedyPlugin.runPath(path("good")))
        try expectRefusal([
            "its run path has \"\(path("good"))\", a folder above \(newer), which others may write to; link the plugin without it",
            missing,
        ])
    }

    @Test func `a file that everybody may write to is refused, needed by its path or its name`() throws {
        let library = try scene.library("good/libopen.so")
        try FileSystem.setMode(0o666, of: library)
        try scene.plugin([library])
        let reason =
            "which is not safe to load: \(library): everybody may write to it (mode 666); take that away with chmod o-w"
        try expectRefusal(["needs \(library), \(reason)"])
        try scene.library("good/libopen.so", NeedyPlugin.name("libopen.so"))
        try FileSystem.setMode(0o666, of: library)
        try scene.plugin([library] + NeedyPlugin.runPath(path("good")))
        try expectRefusal(["needs libopen.so, \(reason)"])
    }

    @Test func `a path to a needed library through an open folder is refused`() throws {
        let library = try scene.library("open/libpath.so")
        try scene.plugin([library])
        try expectRefusal([
            "needs \(library), a folder that others may write to; install it where the system's loader looks, or link it statically"
        ])
    }

    @Test(arguments: [
        ("sub/libx.so", "relative to wherever the host is started"),
        ("$ORIGIN/../libx.so", "which leaves the plugin's folder"),
        ("/usr/$LIB/libx.so", "with a $ that is not $ORIGIN at its start"),
        ("${ORIGIN}libx.so", "with a $ that is not $ORIGIN at its start"),
        ("/proc/self/cwd/open/libevil.so", "which is another folder in each process"),
    ])
    func `a path to a needed library that others choose is refused`(name: String, reason: String) throws {
        // The linker takes a library's own name for what is needed.
        try scene.library("good/libnamed.so", NeedyPlugin.name(name))
        try scene.plugin([path("good/libnamed.so")])
        try expectRefusal([
            "needs \(name), \(reason); install it where the system's loader looks, or link it statically"
        ])
    }

    @Test func `what a needed library needs is judged like its own`() throws {
        try scene.library(
            "good/libmiddle.so",
            NeedyPlugin.name("libmiddle.so") + [path("open/libevil.so")] + NeedyPlugin.runPath(path("open")))
        try scene.plugin([path("good/libmiddle.so"), "-Wl,-rpath,\(path("good"))"])
        let outcome = try scene.verdict().refusals.map(\.description)
        #expect(
            outcome == [
                "needs libmiddle.so, whose run path has \"\(path("open"))\", a folder that others may write to; link that library without it",
                "needs libevil.so for libmiddle.so, which is neither part of this host nor where the system's loader looks; install it, or link it statically",
            ])
    }

    @Test(.enabled(if: Stranger.canOwn, "needs root, to give files to another user"))
    func `a needed library of another user is refused, and one behind such a user's link`() throws {
        let library = path("good/libevil.so")
        try scene.plugin([library] + NeedyPlugin.runPath(path("good")))
        try Stranger.own(library)
        let foreign =
            "belongs to user 54321, expected root or the user of this process; change its owner with chown"
        let reason = "needs libevil.so, which is not safe to load: \(library): \(foreign)"
        #expect(try scene.verdict().refusals.map(\.description) == [reason])
        FileSystem.remove(library)
        try scene.library("good/libreal.so", NeedyPlugin.name("libevil.so"))
        try FileSystem.link(library, to: "libreal.so")
        #expect(try scene.verdict().refusals == [])
        try Stranger.own(library)
        #expect(try scene.verdict().refusals.map(\.description) == [reason])
    }

    @Test func `an open folder in the loader's own variable is refused where the search comes to it`() throws
    {
        try scene.plugin([path("good/libevil.so")] + NeedyPlugin.runPath(path("good")))
        try expectRefusal(
            [
                "LD_LIBRARY_PATH, where the loader looks for what it needs, has \"\(path("open"))\", a folder that others may write to; start the host without it"
            ], environment: ["LD_LIBRARY_PATH=\(path("open"))"])
    }

    @Test func `an empty place in the loader's own variable, which is the current folder, is refused`() throws
    {
        try scene.plugin([path("good/libevil.so")] + NeedyPlugin.runPath(path("good")))
        try expectRefusal(
            [
                "LD_LIBRARY_PATH, where the loader looks for what it needs, has \"\", relative to wherever the host is started; start the host without it"
            ], environment: ["LD_LIBRARY_PATH=:/usr/lib"])
    }

    @Test func `a library that calls itself like one of the host is refused`() throws {
        try scene.plugin(NeedyPlugin.name("libc.so.6"))
        try expectRefusal([
            "it calls itself libc.so.6, and this host needs another library of that name; link it with -soname and a name of its own"
        ])
        try scene.library("plugins/libside.so", NeedyPlugin.name("libGatehouseSDK.so"))
        try scene.library("good/libside.so", NeedyPlugin.name("libside.so"))
        try scene.plugin([path("good/libside.so")] + NeedyPlugin.runPath("$ORIGIN"))
        #expect(
            try scene.verdict().refusals.map(\.description) == [
                "needs \(path("plugins/libside.so")), which calls itself libGatehouseSDK.so, and this host needs another library of that name; link it with -soname and a name of its own"
            ])
    }

    @Test
    func `a library that calls itself like one that another plugin needs is refused, and the other is not`()
        throws
    {
        try scene.library("good/libside.so", NeedyPlugin.name("libside.so"))
        try scene.plugin([path("good/libside.so")] + NeedyPlugin.runPath(path("good")), as: "libZ.so")
        try scene.plugin(NeedyPlugin.name("libside.so"))
        let found = try PluginFolder(path: path("plugins"), trust: FileTrust(isStrict: false)).candidates
        #expect(found.map(\.fileName) == ["libCounterPlugin.so", "libNeedy.so", "libZ.so"])
        #expect(found.map(\.verdict.isAccepted) == [true, false, true])
        #expect(
            try scene.verdict().refusals.map(\.description) == [
                "it calls itself libside.so, and libZ.so needs another library of that name; link it with -soname and a name of its own"
            ])
    }

    @Test func `a library that calls itself like what it needs is refused`() throws {
        try scene.plugin(
            [path("good/libevil.so")] + NeedyPlugin.runPath(path("good")) + NeedyPlugin.name("libevil.so"))
        try expectRefusal([
            "it calls itself libevil.so, and it needs another library of that name; link it with -soname and a name of its own"
        ])
    }

    @Test func `two plugins may have one name, as a plugin and its successor do`() throws {
        for name in ["libNeedy.so", "libOther.so"] {
            try scene.plugin(NeedyPlugin.name("libNeedy.so"), as: name)
        }
        let found = try PluginFolder(path: path("plugins"), trust: FileTrust(isStrict: false)).candidates
        #expect(found.map(\.verdict.isAccepted) == [true, true, true])
    }
}
