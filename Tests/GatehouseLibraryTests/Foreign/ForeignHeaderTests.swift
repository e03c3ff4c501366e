// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseHostTesting
import Testing

/// The header that plugins in other languages copy, as their compilers see it.
@Suite(.timeLimit(.minutes(10))) struct ForeignHeaderTests {
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

    /// A plugin that has work wait where the host can do that, and an old host, whose table ends before it and which fails when it is
    /// asked for more.
    private static let oldHost = """
        #include <stdlib.h>
        #include <string.h>
        #include "gatehouse_foreign.h"
        static const struct gatehouse_foreign_host_v1 *host;
        static gatehouse_work begin(gatehouse_instance instance, struct gatehouse_text token, uint32_t kind) {
            return instance == 7 && token.count == 0 && kind == GATEHOUSE_FOREGROUND ? 1 : 0;
        }
        static uint32_t handle(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
            struct gatehouse_text none = { NULL, 0 };
            (void)self;
            if (GATEHOUSE_OFFERS(host, begin_when_kept))
                return host->begin_when_kept(instance, none, GATEHOUSE_FOREGROUND, action->payload) != 0;
            return GATEHOUSE_OFFERS(host, begin) && host->begin(instance, none, GATEHOUSE_FOREGROUND) != 0;
        }
        static struct gatehouse_foreign_plugin_v1 plugin;
        const struct gatehouse_foreign_plugin_v1 *GATEHOUSE_ENTRY(const struct gatehouse_foreign_host_v1 *table) {
            host = table;
            plugin.size = sizeof plugin;
            plugin.handle = handle;
            return &plugin;
        }
        int main(void) {
            size_t size = offsetof(struct gatehouse_foreign_host_v1, begin_when_kept);
            struct gatehouse_foreign_host_v1 *old = malloc(sizeof *old);
            struct gatehouse_action action;
            if (!old) return 2;
            memset(&action, 0, sizeof action);
            // Whatever lies past a table that ends before the function.
            memset(old, 0xFF, sizeof *old);
            old->size = (uint32_t)size;
            old->begin = begin;
            return size == 120 && GATEHOUSE_ENTRY(old)->handle(NULL, 7, &action) == 1 ? 0 : 1;
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

    @Test func `a plugin finds by the size of the table what an older host does not have`() throws {
        let compiler = try #require(Self.path(of: "cc"))
        let folder = try TemporaryFolder()
        try folder.write(Self.oldHost, to: "host.c")
        let compiled = try ChildProcess(
            compiler, ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", Self.folder, "host.c", "-o", "host"],
            in: folder.path
        ).finish()
        #expect(compiled.errors == "")
        #expect(try ChildProcess(folder("host"), [], in: folder.path).finish().exitCode == 0)
    }
}
