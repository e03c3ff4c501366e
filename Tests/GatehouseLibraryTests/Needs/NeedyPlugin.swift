// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import GatehouseManifest
import Testing

@testable import GatehouseLibrary

/// A folder with a plugin that needs other libraries, all of them made while the test runs.
struct NeedyPlugin {
    /// Where everything is; the plugin folder is `plugins` in it.
    let folder: TemporaryFolder

    /// An empty plugin folder.
    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.makeFolder("plugins")
    }

    /// A library that ends the process when it is loaded, which no test here wants.
    ///
    /// - Parameter options: for the linker; without a `-soname` others ask for the library by its path.
    @discardableResult
    func library(_ path: String, _ options: [String] = []) throws -> String {
        let source = "void _exit(int); __attribute__((constructor)) static void end(void) { _exit(42); }"
        #expect(try Workshop.build(path, of: source, in: folder, options) == nil)
        return folder(path)
    }

    /// A plugin with a note that fits this host, whose entry returns nothing.
    ///
    /// - Parameter declarations: C that stands in it too.
    func plugin(
        _ options: [String], as name: String = "libNeedy.so", declaring declarations: String = ""
    ) throws {
        let source = """
            \(declarations)
            #include "gatehouse_fixture.h"
            GATEHOUSE_FIXTURE_NOTE(note_of_the_fixture, "gatehouse_plugin_v1_Needy");
            void *gatehouse_plugin_v1_Needy(const void *host) { return 0; }
            """
        #expect(try Workshop.build("plugins/" + name, of: source, in: folder, Workshop.sdk + options) == nil)
        let library = try FixtureLibrary(reading: folder("plugins/" + name), module: "Needy")
        try folder.write(library.bytes, to: "plugins/" + name)
    }

    /// The verdict on the plugin.
    func verdict(isStrict: Bool = false) throws -> Verdict {
        let found = try PluginFolder(path: folder("plugins"), trust: FileTrust(isStrict: isStrict))
        return try #require(found.candidates.first { $0.fileName == "libNeedy.so" }).verdict
    }

    /// The words of the linker for a folder of the run path.
    static func runPath(_ text: String, isOld: Bool = false) -> [String] {
        ["-Wl,-rpath,\(text)", "-Wl,--\(isOld ? "disable" : "enable")-new-dtags"]
    }

    /// The words of the linker for a library's own name.
    static func name(_ text: String) -> [String] { ["-Wl,-soname,\(text)"] }
}
