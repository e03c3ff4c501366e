// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseValue
import Testing

@testable import GatehouseLibrary

@Suite(.enabled(if: Workshop.compiler != nil, "needs clang or gcc"), .timeLimit(.minutes(10)))
struct LibraryNeedsTests {
    private let scene: NeedyPlugin

    init() throws {
        scene = try NeedyPlugin()
    }

    /// Where a test has put something.
    private func path(_ name: String) -> String { scene.folder(name) }

    /// The plugin, needing one library in a folder of its run path.
    private func needing(_ library: String, runPath: String, _ options: [String] = []) throws {
        try scene.plugin([path(library)] + NeedyPlugin.runPath(runPath) + options)
    }

    @Test func `a library in the plugin folder is a companion, with its digest`() throws {
        let library = try scene.library("plugins/libside.so", NeedyPlugin.name("libside.so"))
        try needing("plugins/libside.so", runPath: "$ORIGIN")
        let verdict = try scene.verdict()
        #expect(verdict.refusals == [])
        #expect(verdict.companions.map(\.name) == ["libside.so"])
        #expect(verdict.companions.map(\.path) == [library])
        #expect(verdict.companions.map(\.digest) == [SHA256.digest(try FileSystem.read(library))])
    }

    @Test func `what companions bring along are companions too, also from folders in the plugin folder`()
        throws
    {
        _ = try scene.folder.makeFolder("plugins/lib")
        try scene.library("plugins/lib/libdeep.so", NeedyPlugin.name("libdeep.so"))
        try scene.library(
            "plugins/libside.so",
            NeedyPlugin.name("libside.so") + [path("plugins/lib/libdeep.so")]
                + NeedyPlugin.runPath("${ORIGIN}/./lib"))
        try needing("plugins/libside.so", runPath: "$ORIGIN")
        let verdict = try scene.verdict()
        #expect(verdict.refusals == [])
        #expect(verdict.companions.map(\.name) == ["libside.so", "lib/libdeep.so"])
        #expect(verdict.needs.libraries.filter { $0.asker != nil }.map(\.asker) == ["libside.so"])
    }

    @Test func `a companion is read once for all plugins that need it`() throws {
        try scene.library("plugins/libside.so", NeedyPlugin.name("libside.so"))
        try needing("plugins/libside.so", runPath: "$ORIGIN")
        try scene.plugin(
            [path("plugins/libside.so")] + NeedyPlugin.runPath("$ORIGIN"), as: "libOther.so")
        let found = try PluginFolder(path: path("plugins"), trust: FileTrust(isStrict: false)).candidates
        let files = found.flatMap(\.verdict.companions).map(\.file)
        #expect(files.count == 2)
        #expect(files[0] === files[1])
    }

    @Test func `another companion, or another file of the system, is another digest of all that comes along`()
        throws
    {
        _ = try scene.folder.makeFolder("good")
        try scene.library("plugins/libside.so", NeedyPlugin.name("libside.so"))
        try scene.library("good/libfar.so", NeedyPlugin.name("libfar.so"))
        try scene.plugin(
            [path("plugins/libside.so"), path("good/libfar.so")]
                + NeedyPlugin.runPath("$ORIGIN:" + path("good")))
        let first = try scene.verdict().broughtAlong
        #expect(try scene.verdict().broughtAlong == first)
        try scene.library(
            "plugins/libside.so", NeedyPlugin.name("libside.so") + ["-Wl,--build-id=none", "-g"])
        let second = try scene.verdict().broughtAlong
        #expect(second != first)
        try scene.library("good/libfar.so", NeedyPlugin.name("libfar.so") + ["-g"])
        #expect(try scene.verdict().broughtAlong != second)
    }

    @Test func `a run path of the older kind also serves what is needed further down`() throws {
        _ = try scene.folder.makeFolder("good")
        try scene.library("good/libdeep.so", NeedyPlugin.name("libdeep.so"))
        try scene.library("good/libmiddle.so", NeedyPlugin.name("libmiddle.so") + [path("good/libdeep.so")])
        try scene.plugin([path("good/libmiddle.so")] + NeedyPlugin.runPath(path("good"), isOld: true))
        #expect(try scene.verdict().refusals == [])
        try needing("good/libmiddle.so", runPath: path("good"))
        #expect(
            try scene.verdict().refusals.map(\.description) == [
                "needs libdeep.so for libmiddle.so, which is neither part of this host nor where the system's loader looks; install it, or link it statically"
            ])
    }

    @Test func `a library for another machine is passed over, as the loader does`() throws {
        _ = try scene.folder.makeFolder("good")
        _ = try scene.folder.makeFolder("better")
        let first = try scene.library("good/libfar.so", NeedyPlugin.name("libfar.so"))
        let second = try scene.library("better/libfar.so", NeedyPlugin.name("libfar.so"))
        try scene.plugin([first] + NeedyPlugin.runPath(path("good") + ":" + path("better")))
        var bytes = try FileSystem.read(first)
        bytes[18] = 243
        try FileSystem.write(bytes, to: first)
        #expect(try scene.verdict().needs.places["libfar.so"] == second)
    }

    @Test func `what stands there and is no library is named`() throws {
        _ = try scene.folder.makeFolder("good")
        try scene.library("good/libfar.so", NeedyPlugin.name("libfar.so"))
        try needing("good/libfar.so", runPath: path("good"))
        try scene.folder.write("INPUT(libelse.so)", to: "good/libfar.so")
        #expect(
            try scene.verdict().refusals.map(\.description) == [
                "needs libfar.so, which cannot be read: expected an ELF file starting with 7f 45 4c 46, found 49 4e 50 55; name a shared library built for Linux"
            ])
    }

    @Test func `where the group may write gives a warning, and is refused when strict`() throws {
        let shared = try scene.folder.makeFolder("shared")
        let library = try scene.library("shared/libfar.so", NeedyPlugin.name("libfar.so"))
        try FileSystem.setMode(0o664, of: library)
        try needing("shared/libfar.so", runPath: shared)
        #expect(
            try scene.verdict().warnings.contains(
                "\(library): its group may write to it (mode 664); take that away with chmod g-w"))
        #expect(
            try scene.verdict(isStrict: true).refusals.map(\.description) == [
                "needs libfar.so, which is not safe to load: \(library): its group may write to it (mode 664), refused with --strict; take that away with chmod g-w"
            ])
    }

    @Test func `a link among the companions is followed to what it leads to`() throws {
        try scene.library("plugins/libside.so.1", NeedyPlugin.name("libside.so"))
        try FileSystem.link(path("plugins/libside.so"), to: "libside.so.1")
        try needing("plugins/libside.so", runPath: "$ORIGIN")
        let verdict = try scene.verdict()
        #expect(verdict.refusals == [])
        #expect(verdict.companions.map(\.name) == ["libside.so"])
    }

    @Test(.enabled(if: Stranger.canOwn, "needs root, to give files to another user"))
    func `a stranger's file in the plugin folder is passed over`() throws {
        try FileSystem.setMode(0o1777, of: path("plugins"))
        _ = try scene.folder.makeFolder("good")
        let far = try scene.library("good/libfar.so", NeedyPlugin.name("libfar.so"))
        try Stranger.own(try scene.library("plugins/libfar.so", NeedyPlugin.name("libfar.so")))
        try needing("good/libfar.so", runPath: "$ORIGIN:" + path("good"))
        let verdict = try scene.verdict()
        #expect(verdict.refusals == [])
        #expect(verdict.companions.map(\.path) == [])
        #expect(verdict.needs.places["libfar.so"] == far)
    }

    @Test func `a library that this host has is not looked for, by name or by path`() throws {
        let sqlite = try #require(LoadedLibraries.host.path(of: "libc.so.6"))
        try scene.plugin(["-Wl,-soname,libNeedy.so", sqlite])
        #expect(try scene.verdict().needs.libraries.map(\.source).allSatisfy { $0 == .loaded })
        #expect(try scene.verdict().refusals == [])
    }

    @Test func `a library beside the plugin is not found unless the run path says so`() throws {
        try scene.plugin([scene.library("plugins/libside.so", NeedyPlugin.name("libside.so"))])
        #expect(
            try scene.verdict().refusals.map(\.description) == [
                "needs libside.so, which is beside it, where the loader does not look; link the plugin with -rpath '$ORIGIN', or install the library where the system's loader looks"
            ])
    }

    @Test func `inspect shows what comes along, and who asks for it`() throws {
        _ = try scene.folder.makeFolder("good")
        let far = try scene.library("good/libfar.so", NeedyPlugin.name("libfar.so"))
        let side = try scene.library(
            "plugins/libside.so", NeedyPlugin.name("libside.so") + [far] + NeedyPlugin.runPath(path("good")))
        try needing("plugins/libside.so", runPath: "$ORIGIN")
        let inspection = try LibraryInspection(path: path("plugins/libNeedy.so"))
        #expect(inspection.verdict.isAccepted)
        #expect(
            inspection.text.contains(
                "  libside.so          \(side), loaded from a copy beside the plugin's\n"))
        #expect(inspection.text.contains("  libfar.so           \(far), for libside.so\n"))
        #expect(
            inspection.value["needed"]?[3]
                == ["name": "libfar.so", "source": "file", "path": .string(far), "for": "libside.so"])
    }

    /// Words of the assembler by which g++ gives C++17's inline variables.
    private static let unique = """
        __asm__(".data\\n.type gatehouse_shared_thing, %gnu_unique_object\\n.size gatehouse_shared_thing, 4\\n"
                "gatehouse_shared_thing: .long 1\\n.text\\n");
        """

    @Test func `a plugin with a symbol that is one for the whole process is refused`() throws {
        try scene.plugin([], declaring: Self.unique)
        #expect(
            try scene.verdict().refusals.map(\.description) == [
                "the dynamic symbol table: has gatehouse_shared_thing as one for the whole process (STB_GNU_UNIQUE), which another library may already be; compile everything in the library with -fno-gnu-unique"
            ])
    }

    @Test func `a companion with a symbol that is one for the whole process is refused`() throws {
        let options = ["-Wl,-soname,libside.so"]
        #expect(try Workshop.build("plugins/libside.so", of: Self.unique, in: scene.folder, options) == nil)
        try needing("plugins/libside.so", runPath: "$ORIGIN")
        #expect(
            try scene.verdict().refusals.map(\.description) == [
                "needs libside.so, which is not safe to load: the dynamic symbol table: has gatehouse_shared_thing as one for the whole process (STB_GNU_UNIQUE), which another library may already be; compile everything in the library with -fno-gnu-unique"
            ])
    }
}
