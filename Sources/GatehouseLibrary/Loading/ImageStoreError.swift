// SPDX-License-Identifier: Apache-2.0

/// Why images cannot be mapped from the cache folder.
package enum ImageStoreError: Error, Equatable, Sendable {
    /// The system, an owner or a mode stands in the way.
    case file(LibraryFileError)
    /// A folder of the store belongs to somebody else.
    case foreign(path: String, owner: UInt32)
    /// The system maps no code from there; `reason` is its own word.
    case noCode(path: String, reason: String)
    /// The loader would put something else in place of a part of the path.
    case dollar(path: String)
    /// What was written there is not what is read.
    case unsteady(path: String)
}

extension ImageStoreError: CustomStringConvertible {
    /// The place and what is wrong there, without what to do about it all.
    package var description: String {
        switch self {
        case .file(let error): error.description
        case .foreign(let path, let owner):
            "\(path): belongs to user \(owner), expected the user of this process"
        case .noCode(let path, let reason):
            "\(path): code may not be mapped from there (\(reason)), as on a file system that is mounted noexec"
        case .dollar(let path): "\(path): the dynamic loader would replace what stands behind the \"$\""
        case .unsteady(let path): "\(path): it does not hold what was just written to it"
        }
    }
}
