// SPDX-License-Identifier: Apache-2.0

/// A clock that a test can set ahead and back, for programs that read it instead of the machine's.
///
/// Only the time of day is false; clocks that measure durations are unaffected, as on a machine whose clock is
/// set.
public struct FalseClock: Sendable {
    /// The file that contains the offset of the clock.
    private let path: String

    /// Creates a correct clock, controlled by a file of a name in a folder.
    public init(_ name: String, in folder: TemporaryFolder) throws {
        path = folder(name)
        try set(by: 0)
    }

    /// The environment variables that make a program read this clock.
    public var environment: [String: String] {
        ["LD_PRELOAD": BuiltProducts.folder + "/libFalseClock.so", "FALSE_CLOCK": path]
    }

    /// Sets the clock ahead of the machine's by a number of seconds, or behind it.
    public func set(by seconds: Int) throws {
        // Replaces the file in one step, because the programs read it all the time.
        try FileSystem.write(Array("\(seconds)\n".utf8), to: path + ".new")
        try FileSystem.rename(path + ".new", to: path)
    }
}
