// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// The fixture in Rust, which cargo builds once in a process of tests.
enum RustFixture {
    /// The two versions of it.
    enum Version: String, CaseIterable {
        case first, second
    }

    /// The folder of the package.
    static var package: String {
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Fixtures/RustProbe"
    }

    /// The paths of the libraries, or what cargo has said.
    private static let built: [Version: Result<String, BuildFailure>] = Dictionary(
        uniqueKeysWithValues: Version.allCases.map { version in
            (version, Result { () throws(BuildFailure) in try build(version) })
        })

    /// Why there is no library.
    struct BuildFailure: Error, CustomStringConvertible {
        /// What cargo has said.
        let description: String
    }

    /// The path of a version's library.
    static func library(_ version: Version = .first) throws -> String {
        try #require(built[version]).get()
    }

    /// Builds a version as its author does, with every warning as an error; each has a folder of its own.
    private static func build(_ version: Version) throws(BuildFailure) -> String {
        let target = BuiltProducts.folder + "/rust-\(version)"
        let features = version == .second ? ["--features", "second"] : []
        do {
            let outcome = try ChildProcess.run(
                "/usr/bin/env",
                arguments: ["cargo", "build", "--quiet", "--offline", "--release"] + features, in: package,
                environment: ["CARGO_TARGET_DIR": target, "RUSTFLAGS": "-D warnings"])
            guard outcome.exitCode == 0 else { throw BuildFailure(description: outcome.errors) }
        } catch {
            throw BuildFailure(description: "\(error)")
        }
        return target + "/release/librust_probe.so"
    }
}
