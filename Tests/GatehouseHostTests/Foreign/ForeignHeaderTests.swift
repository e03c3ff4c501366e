// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseHostTesting
import Testing

/// The header that plugins in other languages copy, as their compilers see it.
@Suite struct ForeignHeaderTests {
    /// The folder of the header.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../SDK/Sources/CGatehouse/include").standardized.path

    /// The source of a whole plugin in C.
    private static let plugin = """
        #include "gatehouse_foreign.h"
        GATEHOUSE_MANIFEST({ "id": "hello", "version": "1.0.0", "summary": "Says \\"hello\\"", "consumes": ["hello"] });
        static void hear(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
            (void)self, (void)instance, (void)action;
        }
        static struct gatehouse_foreign_plugin_v1 plugin;
        const struct gatehouse_foreign_plugin_v1 *GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *host) {
            plugin.size = sizeof plugin;
            plugin.run_after = hear;
            return host->abi == GATEHOUSE_FOREIGN_ABI ? &plugin : NULL;
        }
        """

    /// Where a compiler is; nil when it is not installed.
    private static func path(of compiler: String) -> String? {
        ["/usr/bin/", "/usr/local/bin/"].map { $0 + compiler }.first(where: FileSystem.exists)
    }

    @Test(arguments: [
        ("cc", "c", "c11"), ("cc", "c", "c17"), ("c++", "c++", "c++17"), ("gcc", "c", "c11"),
        ("g++", "c++", "c++17"), ("clang", "c", "c11"), ("clang++", "c++", "c++17"),
    ])
    func `a plugin compiles without a warning, and its note survives stripping`(
        compiler: String, language: String, standard: String
    ) throws {
        guard let path = Self.path(of: compiler) else {
            // Not every machine has every compiler; some are always there, because the build needs them.
            try #require(compiler != "cc" && compiler != "c++", "\(compiler) is not installed")
            return
        }
        let folder = try TemporaryFolder()
        try folder.write(Self.plugin, to: "plugin.source")
        let compiled = try ChildProcess(
            path,
            [
                "-x", language, "-std=" + standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2",
                "-fPIC",
                "-shared", "-Wl,--gc-sections", "-s", "-I", Self.folder, "plugin.source", "-o", "libHello.so",
            ], in: folder.path
        ).finish()
        #expect(compiled.errors == "")
        #expect(compiled.exitCode == 0)
        let inspected = try ChildProcess.run(arguments: ["inspect", "libHello.so"], in: folder.path)
        #expect(inspected.output.contains("\n  summary      Says \"hello\"\n"))
        #expect(inspected.output.contains("\n  contract     foreign 1\n"))
        #expect(inspected.output.hasSuffix("\nverdict: accepted\n"))
    }
}
