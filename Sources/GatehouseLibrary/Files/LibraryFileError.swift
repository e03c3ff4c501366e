// SPDX-License-Identifier: Apache-2.0

/// The reason why a file cannot be judged: a system failure, its owner or its mode.
package enum LibraryFileError: Error, Equatable, Sendable {
    /// There is no such file.
    case missing(path: String)
    /// Its name is not UTF-8; the path has those bytes as `\xFF`.
    case unnamed(path: String)
    /// The system refused a call; `reason` is its own message.
    case system(path: String, call: String, reason: String)
    /// The path of the plugin folder leads to something else.
    case notAFolder(path: String)
    /// Not a plain file: a folder, a device, or a link to one.
    case notARegularFile(path: String)
    /// It belongs neither to root nor to the user of this process.
    case foreignOwner(path: String, owner: UInt32)
    /// Everybody may write to it.
    case worldWritable(path: String, mode: UInt32)
    /// Its group may write to it, and the rules are strict.
    case groupWritable(path: String, mode: UInt32)
    /// A folder that the system generates for each process.
    case processFolder(path: String)
    /// It is larger than a plugin may be.
    case tooLarge(path: String, bytes: Int, limit: Int)
    /// It is a link, and something on the way to its target prevents the judgement.
    indirect case behindLink(path: String, LibraryFileError)
}

extension LibraryFileError: CustomStringConvertible {
    package var description: String { "\(path): \(reason)" }

    /// The path that the error is about.
    package var path: String {
        switch self {
        case .missing(let path), .unnamed(let path), .system(let path, _, _), .notAFolder(let path),
            .notARegularFile(let path),
            .foreignOwner(let path, _), .worldWritable(let path, _), .groupWritable(let path, _),
            .processFolder(let path), .tooLarge(let path, _, _), .behindLink(let path, _):
            path
        }
    }

    /// The sentence without the path, for messages that have named it.
    package var reason: String {
        switch self {
        case .missing:
            "there is no such file or folder"
        case .unnamed: "its name is not UTF-8, so nothing can name it; rename it"
        case .system(_, let call, let reason):
            "\(call) failed: \(reason)"
        case .notAFolder:
            "expected a folder, found something else"
        case .notARegularFile:
            "not a plain file; folders, pipes and devices are not loaded, put the library itself here"
        case .foreignOwner(_, let owner):
            "belongs to user \(owner), expected root or the user of this process; change its owner with chown"
        case .worldWritable(_, let mode):
            "everybody may write to it (mode \(Self.octal(mode))); take that away with chmod o-w"
        case .groupWritable(_, let mode):
            "its group may write to it (mode \(Self.octal(mode))), refused with --strict; take that away with chmod g-w"
        case .processFolder:
            "it is another folder in each process; name the folder that it stands for"
        case .tooLarge(_, let bytes, let limit):
            "\(bytes) bytes, a plugin library has at most \(limit)"
        case .behindLink(_, let error):
            "it is a link, which leads to \(error)"
        }
    }

    /// The error without the link that led to it.
    package var cause: LibraryFileError {
        if case .behindLink(_, let error) = self { error.cause } else { self }
    }

    /// Whether owner or mode are wrong.
    package var isAboutTrust: Bool {
        switch cause {
        case .foreignOwner, .worldWritable, .groupWritable, .processFolder: true
        default: false
        }
    }

    /// Whether only strict rules make it an error.
    var isAboutStrictness: Bool {
        switch self {
        case .groupWritable: true
        case .behindLink(_, let error): error.isAboutStrictness
        default: false
        }
    }

    /// The permission bits in octal, as `chmod` takes them.
    private static func octal(_ mode: UInt32) -> String { String(mode & 0o7777, radix: 8) }
}
