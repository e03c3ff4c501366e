// SPDX-License-Identifier: Apache-2.0

/// The reason why images cannot be mapped from the cache folder.
package enum ImageStoreError: Error, Equatable, Sendable {
    /// A system failure, an owner or a mode prevents it.
    case file(LibraryFileError)
    /// A folder of the store belongs to somebody else.
    case foreign(path: String, owner: UInt32)
    /// The system maps no code from there; `reason` is its own message.
    case noCode(path: String, reason: String)
    /// The loader would expand a part of the path.
    case dollar(path: String)
    /// The bytes read differ from those written.
    case unsteady(path: String)
}

extension ImageStoreError: CustomStringConvertible {
    /// The place and the problem, without a remedy.
    package var description: String {
        switch self {
        case .file(let error): error.description
        case .foreign(let path, let owner):
            "\(path): belongs to user \(owner), expected the user of this process"
        case .noCode(let path, let reason):
            "\(path): code may not be mapped from there (\(reason)), as on a file system that is mounted noexec"
        case .dollar(let path): "\(path): the dynamic loader would replace what follows the \"$\""
        case .unsteady(let path): "\(path): it does not hold what was just written to it"
        }
    }
}
