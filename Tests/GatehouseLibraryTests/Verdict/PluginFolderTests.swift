// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import Glibc
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct PluginFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `libraries are judged in the order of their names, other files are not looked at`() throws {
        try folder.copyLibrary("CounterPlugin", as: "libb.so")
        try folder.write("no library", to: "liba.so")
        try folder.write("no library", to: "notes.txt")
        let found = try PluginFolder(path: folder.path, trust: FileTrust(isStrict: true))
        #expect(found.candidates.map(\.fileName) == ["liba.so", "libb.so"])
        #expect(found.candidates.map(\.pluginID) == [nil, "counter"])
        #expect(found.candidates.map(\.verdict.isAccepted) == [false, true])
    }

    @Test func `only what is selected is judged, by file name or by the id it declares`() throws {
        for (name, file) in [
            ("CounterPlugin", "liba.so"), ("ProbePlugin", "libb.so"), ("RulesPlugin", "libc.so"),
        ] {
            try folder.copyLibrary(name, as: file)
        }
        func select(_ files: Set<String>, _ ids: Set<String>) throws -> PluginFolder {
            try PluginFolder(
                path: folder.path, trust: FileTrust(isStrict: true),
                selecting: PluginFolder.Selection(files: files, ids: ids, isOnly: true))
        }
        let byName = try select(["liba.so", "none.so"], [])
        #expect(byName.fileNames == ["liba.so", "libb.so", "libc.so"])
        #expect(byName.candidates.map(\.fileName) == ["liba.so"])
        #expect(byName.pluginIDs == ["counter"])
        let byID = try select(["libc.so"], ["probe"])
        #expect(byID.candidates.map(\.fileName) == ["libb.so", "libc.so"])
        #expect(byID.pluginIDs == ["counter", "probe", "rules"])
    }

    @Test func `a library that is refused holds no descriptor`() throws {
        try folder.copyLibrary("CounterPlugin", as: "libgood.so")
        try folder.copyLibrary("NoNote", as: "libjunk.so")
        let found = try PluginFolder(path: folder.path, trust: FileTrust(isStrict: true))
        #expect(found.candidates.map { $0.file != nil } == [true, false])
        #expect(found.candidates.allSatisfy { $0.digest != nil })
    }

    @Test func `libraries take at most half of the files that may be open, and further ones are refused`()
        async
    {
        // In a process of its own, with a limit of its own.
        await #expect(processExitsWith: .exitCode(7)) {
            var limit = rlimit(rlim_cur: 132, rlim_max: 132)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            let folder = try TemporaryFolder()
            let library = try FixtureLibrary("SilentEntry").bytes
            for number in 100..<167 { try folder.write(library, to: "lib\(number).so") }
            let found = try PluginFolder(path: folder.path, trust: FileTrust(isStrict: true)).candidates
            FileSystem.removeFolder(folder.path)
            guard found.count == 67, found.dropLast().allSatisfy({ $0.file != nil }) else { exit(2) }
            exit(found[66].verdict.refusals == [.tooMany(limit: 66)] ? 7 : 3)
        }
    }

    @Test func `a library that is refused for its mode is still told by its id`() throws {
        try FileSystem.setMode(0o666, of: try folder.copyLibrary("CounterPlugin"))
        let found = try PluginFolder(path: folder.path, trust: FileTrust(isStrict: false))
        #expect(found.candidates.map(\.pluginID) == ["counter"])
        #expect(found.candidates.map(\.verdict.isAccepted) == [false])
    }

    @Test func `links to libraries are followed, also through other links and folders`() throws {
        let store = try TemporaryFolder()
        try store.copyLibrary("CounterPlugin", as: "real.bin")
        _ = try folder.makeFolder("versions")
        try FileSystem.link(folder("versions/1"), to: store.path)
        try FileSystem.link(folder("current"), to: "versions/../versions/1")
        try FileSystem.link(folder("libA.so"), to: "./current/real.bin")
        let found = try PluginFolder(path: folder.path, trust: FileTrust(isStrict: true))
        #expect(found.candidates.map(\.verdict.isAccepted) == [true])
        #expect(found.candidates.map(\.path) == [folder("libA.so")])
        #expect(found.warnings == [])
    }

    /// Why the one library of the folder is refused.
    private func refusals(isStrict: Bool = false) throws -> [String] {
        try PluginFolder(path: folder.path, trust: FileTrust(isStrict: isStrict)).candidates
            .flatMap { $0.verdict.refusals.map(\.description) }
    }

    @Test func `a link through a folder that everybody may write to is refused`() throws {
        let store = try folder.makeFolder("store")
        try folder.copyLibrary("CounterPlugin", as: "store/real.bin")
        try FileSystem.link(folder("libA.so"), to: "store/real.bin")
        try FileSystem.setMode(0o777, of: store)
        #expect(
            try refusals() == [
                "it is a link, which leads to \(store): everybody may write to it (mode 777); take that away with chmod o-w"
            ])
    }

    @Test
    func `a link through a folder that its group may write to gives a warning, and is refused when strict`()
        throws
    {
        let store = try folder.makeFolder("store")
        try folder.copyLibrary("CounterPlugin", as: "store/real.bin")
        try FileSystem.link(folder("libA.so"), to: "store/real.bin")
        try FileSystem.setMode(0o775, of: store)
        #expect(
            try PluginFolder(path: folder.path, trust: FileTrust(isStrict: false)).warnings == [
                "\(store): its group may write to it (mode 775); take that away with chmod g-w"
            ])
        #expect(
            try refusals(isStrict: true) == [
                "it is a link, which leads to \(store): its group may write to it (mode 775), refused with --strict; take that away with chmod g-w"
            ])
    }

    @Test func `a link to something that everybody may write to is refused`() throws {
        let target = try folder.copyLibrary("CounterPlugin", as: "real.bin")
        try FileSystem.setMode(0o666, of: target)
        try FileSystem.link(folder("libA.so"), to: "real.bin")
        #expect(try refusals() == ["everybody may write to it (mode 666); take that away with chmod o-w"])
    }

    @Test func `a link that leads nowhere, to a folder, or to itself is refused`() throws {
        try FileSystem.link(folder("libA.so"), to: "none/real.bin")
        try FileSystem.link(folder("libB.so"), to: "/")
        try FileSystem.link(folder("libC.so"), to: "libC.so")
        #expect(
            try refusals() == [
                "it is a link, which leads to \(folder("none")): there is no such file or folder",
                "it is a link, which leads to /: not a plain file; folders, pipes and devices are not loaded, put the library itself here",
                "it is a link, which leads to \(folder("libC.so")): open failed: Too many levels of symbolic links",
            ])
    }

    @Test func `a folder that is not there is an error`() {
        #expect(throws: LibraryFileError.missing(path: folder("plugins"))) {
            try PluginFolder(path: folder("plugins"), trust: FileTrust(isStrict: false))
        }
    }

    @Test func `a file instead of a folder is an error`() throws {
        try folder.write("", to: "plugins")
        let error = #expect(throws: LibraryFileError.self) {
            try PluginFolder(path: folder("plugins"), trust: FileTrust(isStrict: false))
        }
        #expect(error?.description == "\(folder("plugins")): expected a folder, found something else")
    }

    @Test func `a folder that everybody may write to is refused`() throws {
        try FileSystem.setMode(0o777, of: folder.path)
        #expect(throws: LibraryFileError.worldWritable(path: folder.path, mode: 0o40777)) {
            try PluginFolder(path: folder.path, trust: FileTrust(isStrict: false))
        }
    }

    @Test func `a folder that its group may write to gives a warning, and is refused when strict`() throws {
        try FileSystem.setMode(0o775, of: folder.path)
        #expect(
            try PluginFolder(path: folder.path, trust: FileTrust(isStrict: false)).warnings
                == ["\(folder.path): its group may write to it (mode 775); take that away with chmod g-w"])
        #expect(throws: LibraryFileError.groupWritable(path: folder.path, mode: 0o40775)) {
            try PluginFolder(path: folder.path, trust: FileTrust(isStrict: true))
        }
    }

    @Test
    func `a folder above it that its group may write to gives a warning too, and is refused when strict`()
        throws
    {
        let plugins = try folder.makeFolder("plugins")
        for path in [plugins, folder.path] { try FileSystem.setMode(0o775, of: path) }
        #expect(
            try PluginFolder(path: plugins, trust: FileTrust(isStrict: false)).warnings
                == [plugins, folder.path].map {
                    "\($0): its group may write to it (mode 775); take that away with chmod g-w"
                })
        try FileSystem.setMode(0o755, of: plugins)
        #expect(throws: LibraryFileError.groupWritable(path: folder.path, mode: 0o40775)) {
            try PluginFolder(path: plugins, trust: FileTrust(isStrict: true))
        }
    }
}
