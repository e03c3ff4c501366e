// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import Testing

@testable import GatehouseLibrary

/// Plugins as every linker makes them are accepted, however they are packed.
@Suite(.timeLimit(.minutes(10))) struct LinkersTests {
    /// Those that come with Debian or with Swift.
    private static let compilers = ["gcc", "clang"].filter(Workshop.has)

    /// What any linker can be asked for.
    private static let options: [[String]] = [
        [], ["-g"], ["-Wl,-s"], ["-Wl,--gc-sections", "-ffunction-sections"], ["-Wl,-z,norelro"],
        ["-Wl,-z,relro,-z,now"], ["-Wl,-z,lazy"], ["-Wl,--hash-style=sysv"], ["-Wl,--hash-style=gnu"],
        ["-Wl,--hash-style=both"], ["-Wl,-z,max-page-size=65536"], ["-Wl,--build-id=none", "-Os"],
    ]

    @Test(.enabled(if: Workshop.has("ld.bfd"), "needs binutils"), arguments: compilers)
    func `plugins of the GNU linker are accepted`(compiler: String) throws {
        let own = [
            ["-Wl,-z,noseparate-code"], ["-Wl,-z,separate-code"], ["-Wl,-z,combreloc"],
            ["-Wl,-z,nocombreloc"],
            ["-Wl,-z,pack-relative-relocs"],
        ]
        try build(with: compiler, linker: "bfd", Self.options + own)
    }

    @Test(
        .enabled(if: Workshop.has("ld.gold"), "needs gold, which comes with binutils"), arguments: compilers)
    func `plugins of gold are accepted`(compiler: String) throws {
        try build(with: compiler, linker: "gold", Self.options + [["-Wl,--icf=all"], ["-Wl,--rosegment"]])
    }

    @Test(
        .enabled(if: Workshop.has("ld.lld"), "needs lld, which comes with Swift"),
        arguments: compilers)
    func `plugins of lld are accepted`(compiler: String) throws {
        let own = [
            ["-Wl,-z,separate-loadable-segments"], ["-Wl,-z,separate-code"], ["-Wl,-z,noseparate-code"],
            ["-Wl,--pack-dyn-relocs=relr"], ["-Wl,--no-rosegment"], ["-Wl,--icf=all"], ["-Wl,-O2"],
        ]
        try build(with: compiler, linker: "lld", Self.options + own)
    }

    /// Builds the same plugin once for each list of options, and judges it.
    private func build(with compiler: String, linker: String, _ builds: [[String]]) throws {
        let folder = try TemporaryFolder()
        for options in builds {
            let failure = try Workshop.build(
                "libLinked.so", of: Self.source, in: folder, with: compiler,
                ["-fuse-ld=\(linker)"] + Workshop.sdk + options)
            // What this version of a linker does not know it does not make either.
            if let failure {
                #expect(failure.contains("unknown"), "\(options): \(failure)")
                continue
            }
            let library = try FixtureLibrary(reading: folder("libLinked.so"), module: "Linked")
            #expect(library.verdict.refusals.map(\.description) == [], "\(options)")
            FileSystem.remove(folder("libLinked.so"))
        }
    }

    /// A plugin with some of everything that a linker arranges: constants that are relocated, zeros, thread-local numbers,
    /// functions that run first and last, tables of functions.
    private static let source = """
        #include "gatehouse_fixture.h"
        #include <stdio.h>
        #include <stdlib.h>

        GATEHOUSE_FIXTURE_NOTE(note_of_the_fixture, "gatehouse_plugin_v1_Linked");

        static __thread int counted = 7;
        static __thread int zero;
        static char room[100000];
        static int numbers[2000] = {1, 2, 3};
        static const char *const words[] = {"one", "two", "three"};
        int (*const table[])(const char *) = {puts, atoi};
        extern int somewhere(int) __attribute__((weak));

        __attribute__((constructor)) static void first(void) { room[0] = (char)counted; }
        __attribute__((destructor)) static void last(void) { zero = room[0]; }

        void *gatehouse_plugin_v1_Linked(const void *host) {
            puts(words[zero % 3]);
            if (somewhere) numbers[5] = somewhere(table[1](words[1]));
            return (void *)&numbers[counted];
        }
        """
}
