// SPDX-License-Identifier: Apache-2.0

extension ChildProcess {
    /// The number of open descriptors of the child.
    public var descriptors: Int { FileSystem.names(in: "/proc/\(identifier)/fd").count }

    /// The number of threads of the child.
    public var threads: Int { FileSystem.names(in: "/proc/\(identifier)/task").count }

    /// The path, for the test, of the child's root folder, which may be in another file system.
    public var root: String { "/proc/\(identifier)/root" }
}
