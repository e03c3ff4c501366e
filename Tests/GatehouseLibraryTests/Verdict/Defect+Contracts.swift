// SPDX-License-Identifier: Apache-2.0

import GatehouseLibraryTesting
import GatehouseManifest

@testable import GatehouseLibrary

extension Defect {
    /// Files that are no library of this machine.
    static let files = [
        Defect("an empty file") { library in
            library.bytes = []
            return [
                "expected an ELF file starting with 7f 45 4c 46, found an empty file; name a shared library built for Linux"
            ]
        },
        Defect("a script") { library in
            library.bytes = Array("#!/bin/sh\n".utf8)
            return [
                "expected an ELF file starting with 7f 45 4c 46, found 23 21 2f 62; name a shared library built for Linux"
            ]
        },
        Defect("32 bits") { library in
            library.bytes[4] = 1
            return ["expected a 64-bit ELF file, found a 32-bit one; build the plugin for a 64-bit target"]
        },
        Defect("the other byte order") { library in
            library.bytes[5] = 2
            return [
                "expected a little-endian ELF file, found a big-endian one; build the plugin for the host's architecture"
            ]
        },
        Defect("an unknown version of ELF") { library in
            library.bytes[6] = 9
            return ["expected ELF version 1 at offset 6, found 9" + damaged]
        },
        Defect("a program") { library in
            library.bytes[16] = 2
            return ["expected a shared library, found an executable; build a dynamic library product"]
        },
        Defect("another machine") { library in
            let other = ELFMachine.current == .riscv ? ELFMachine.aarch64 : .riscv
            library.write(other.rawValue, at: 18)
            let own = ELFMachine.current.map { "\($0)" } ?? ""
            return ["built for \(other), this host runs on \(own); rebuild the plugin for this machine"]
        },
        Defect("a missing last byte") { library in
            library.bytes.removeLast()
            let start = library.number(at: 40)
            let size = UInt64(library.number(UInt16.self, at: 60)) * 64
            return [
                "the section header table needs \(size) bytes at offset \(start), found \(size - 1); the file is cut off or damaged, build or copy it again"
            ]
        },
        Defect("a missing half") { library in
            library.bytes.removeLast(library.bytes.count / 2)
            let header = try library.programHeader(1, 1)
            let (start, size) = (library.number(at: header + 8), library.number(at: header + 32))
            let left = UInt64(library.bytes.count) > start ? "\(UInt64(library.bytes.count) - start)" : "none"
            if UInt64(library.bytes.count) < start + size {
                return [
                    "a loaded segment needs \(size) bytes at offset \(start), found \(left); the file is cut off or damaged, build or copy it again"
                ]
            }
            let table = library.number(at: 40)
            return [
                "the section header table needs \(UInt64(library.number(UInt16.self, at: 60)) * 64) bytes at offset \(table), found none; the file is cut off or damaged, build or copy it again"
            ]
        },
    ]

    /// Libraries that are no plugins of this host, or dangerous ones.
    static let contracts = [
        Defect(
            "no need of the SDK", in: "NoSDK",
            reason:
                "does not link libGatehouseSDK.so; depend on the product GatehouseSDK of the SDK package"),
        Defect(
            "a copy of the SDK", in: "SecondSDKCopyPlugin",
            reason:
                "carries its own copy of the SDK (it defines $s12GatehouseSDK13PluginExportsCMa); link the SDK as the dynamic library libGatehouseSDK.so"
        ),
        Defect("an entry that is not there") { library in
            try library.changeNote("v1_SilentEntry", to: "v1_LoudEntry")
            return [
                "does not export its entry gatehouse_plugin_v1_LoudEntry; do not strip or hide the symbols of a plugin"
            ]
        },
        Defect(
            "a hidden entry", in: "HiddenEntry",
            reason:
                "does not export its entry gatehouse_plugin_v1_HiddenEntry; do not strip or hide the symbols of a plugin"
        ),
        Defect(
            "a variable as entry", in: "DataEntry",
            reason:
                "its entry gatehouse_plugin_v1_DataEntry is not a function that others can call; build it with this host's SDK"
        ),
        Defect("a needed library that is not there") { library in
            try library.replace("libc.so.6\0", with: "libx.so.6\0")
            return [
                "needs libx.so.6, which is neither part of this host nor where the system's loader looks; install it, or link it statically"
            ]
        },
        Defect(
            "a relative run path", in: "RelativeRunPath",
            reason:
                "its run path has \"libraries\", relative to wherever the host is started; link the plugin without it"
        ),
        Defect("a run path that others may write to", in: "RelativeRunPath") { library in
            try library.replace("libraries\0", with: "/tmp/none\0")
            return [
                "its run path has \"/tmp/none\", a folder below /tmp, which others may write to; link the plugin without it"
            ]
        },
        Defect(
            "addresses in the code", in: "TextRelocations",
            reason: "the relocations: change the code itself; compile everything in the plugin with -fPIC"),
        Defect(
            "a symbol of the whole process", in: "UniqueSymbol",
            reason:
                "the dynamic symbol table: has shared_thing as one for the whole process (STB_GNU_UNIQUE), which another library may already be; compile everything in the library with -fno-gnu-unique"
        ),
        Defect(
            "a stack that may run", in: "ExecutableStack",
            reason:
                "the stack: asks for memory that may be both written and run; link the plugin with -z noexecstack"
        ),
        Defect("no word about the stack") { library in
            library.write(UInt32(0), at: try library.programHeader(0x6474_e551))
            return [
                "the stack: asks for memory that may be both written and run; link the plugin with -z noexecstack"
            ]
        },
        Defect("code that may be written") { library in
            library.write(UInt32(7), at: try library.programHeader(1) + 4)
            return [
                "a loaded segment: memory at 0x0 may be both written and run; link the plugin without -z execstack, -N or a script that joins code and data"
            ]
        },
    ]
}
