// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A clock that a test can set forward and back, for programs that ask it instead of the machine's: what `libfaketime` makes of one.
///
/// Only the time of day is false; what measures durations goes on as it is, as on a machine whose clock is set.
public struct FalseClock: Sendable {
    /// The library, where Debian has it; nil when it is not installed.
    private static let library: String? =
        ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { unsafe access($0, R_OK) == 0 }

    /// Whether this machine has the library.
    public static var isInstalled: Bool { library != nil }

    /// The file that says how false the clock is.
    private let path: String

    /// A clock that is right, and is set by a file of a name in a folder.
    public init(_ name: String, in folder: TemporaryFolder) throws {
        path = folder(name)
        try set(by: 0)
    }

    /// What a program needs in its environment to ask this clock.
    public var environment: [String: String] {
        [
            "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": path, "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        ]
    }

    /// Lets the clock be so many seconds ahead of the machine's, or behind it.
    public func set(by seconds: Int) throws {
        // In place of the file at once, because the programs read it all the time.
        try FileSystem.write(Array("\(seconds < 0 ? "" : "+")\(seconds)\n".utf8), to: path + ".new")
        try FileSystem.rename(path + ".new", to: path)
    }
}
