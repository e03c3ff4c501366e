// SPDX-License-Identifier: Apache-2.0

/// A clock that a test can set ahead and back, for programs that ask it instead of the machine's.
///
/// Only the time of day is false; what measures durations goes on as it is, as on a machine whose clock is set.
public struct FalseClock: Sendable {
    /// The file that says how false the clock is.
    private let path: String

    /// A clock that is right, and is set by a file of a name in a folder.
    public init(_ name: String, in folder: TemporaryFolder) throws {
        path = folder(name)
        try set(by: 0)
    }

    /// What a program needs in its environment to ask this clock.
    public var environment: [String: String] {
        ["LD_PRELOAD": BuiltProducts.folder + "/libFalseClock.so", "FALSE_CLOCK": path]
    }

    /// Lets the clock be so many seconds ahead of the machine's, or behind it.
    public func set(by seconds: Int) throws {
        // In place of the file at once, because the programs read it all the time.
        try FileSystem.write(Array("\(seconds)\n".utf8), to: path + ".new")
        try FileSystem.rename(path + ".new", to: path)
    }
}
