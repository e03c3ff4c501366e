// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Builds C libraries while a test runs, with given linker options.
public enum Workshop {
    /// The first C compiler on the path; nil when there is none.
    public static let compiler: String? = ["clang", "gcc"].first(where: has)

    /// Whether a program is on the path.
    public static func has(_ program: String) -> Bool {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { unsafe access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Compiles and links a library; returns the compiler's messages when that fails.
    ///
    /// - Parameters:
    ///   - path: of the library, from the folder.
    ///   - options: for compiler and linker.
    public static func build(
        _ path: String, of source: String, in folder: TemporaryFolder, with compiler: String? = compiler,
        _ options: [String]
    ) throws -> String? {
        let headers = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        try folder.write(source, to: "source.c")
        defer { FileSystem.remove(folder("source.c")) }
        let words =
            [
                compiler ?? "cc", "-w", "-shared", "-fPIC", "-I/\(headers)/Fixtures/CFixture/include",
                "source.c",
            ]
            + ["-o", path, "-Wl,-z,noexecstack", "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]
            + options
        let outcome = try ChildProcess.run("/usr/bin/env", arguments: words, in: folder.path)
        return outcome.exitCode == 0 ? nil : outcome.errors
    }

    /// The options that link a library against the SDK, as a plugin must be.
    public static var sdk: [String] { ["-L\(BuiltProducts.folder)", "-lGatehouseSDK"] }
}
