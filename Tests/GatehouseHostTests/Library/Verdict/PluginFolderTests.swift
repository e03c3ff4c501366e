// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseHost

@Suite struct PluginFolderTests {
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

    @Test func `a link among the libraries is refused by itself`() throws {
        try folder.copyLibrary("CounterPlugin")
        try FileSystem.link(folder("libZ.so"), to: "libCounterPlugin.so")
        let found = try PluginFolder(path: folder.path, trust: FileTrust(isStrict: true))
        #expect(found.candidates.map(\.verdict.isAccepted) == [true, false])
        #expect(
            found.candidates[1].verdict.refusals.map(\.description) == [
                "not a plain file; links, folders and devices are not loaded, put the library itself here"
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
}
