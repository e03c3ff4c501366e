// SPDX-License-Identifier: Apache-2.0

extension ChildProcess {
    /// How many descriptors the child has open.
    public var descriptors: Int { FileSystem.names(in: "/proc/\(identifier)/fd").count }

    /// How many threads the child has.
    public var threads: Int { FileSystem.names(in: "/proc/\(identifier)/task").count }

    /// The folder of the child's file systems, which may be others than those of the test, as seen from the test.
    public var root: String { "/proc/\(identifier)/root" }
}
