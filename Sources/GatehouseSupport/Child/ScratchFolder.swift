// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// A folder that goes, with all that is in it, when this goes.
package final class ScratchFolder {
    /// The path of the folder.
    package let path: String

    /// The path of the folder that the host of this child removes after its end; empty, which nothing can be granted for, without one.
    package static let ofChild = SystemFile.variable(variable) ?? ""
    /// The environment variable that names the folder for temporary files.
    static let variable = "TMPDIR"

    /// Makes a folder that only this user can enter.
    package init() throws(ChildFailure) {
        let parent = SystemFile.variable(Self.variable).flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var name = Array((parent + "/gatehouse-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&name) != nil else { throw ChildFailure("mkdtemp \(parent)", code: errno) }
        path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { _ = unsafe gatehouse_remove_tree(path) }
}
