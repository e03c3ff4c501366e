// SPDX-License-Identifier: Apache-2.0

/// Why a file cannot be judged: the system or its owner and mode stand in the way.
public enum LibraryFileError: Error, Equatable, Sendable {
    /// There is no such file.
    case missing(path: String)
    /// The system refused a call; `reason` is its own word.
    case system(path: String, call: String, reason: String)
    /// A link, a folder, a device: anything but a plain file.
    case notARegularFile(path: String)
    /// It belongs to somebody who is neither root nor the user of this process.
    case foreignOwner(path: String, owner: UInt32)
    /// Everybody may write to it.
    case worldWritable(path: String, mode: UInt32)
    /// Its group may write to it, and strictness was asked for.
    case groupWritable(path: String, mode: UInt32)
    /// It is larger than a plugin may be.
    case tooLarge(path: String, bytes: Int, limit: Int)
}

extension LibraryFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path):
            "\(path): there is no such file"
        case .system(let path, let call, let reason):
            "\(path): \(call) failed: \(reason)"
        case .notARegularFile(let path):
            "\(path): not a plain file; links, folders and devices are not loaded, put the library itself here"
        case .foreignOwner(let path, let owner):
            "\(path): belongs to user \(owner), expected root or the user of this process; change its owner with chown"
        case .worldWritable(let path, let mode):
            "\(path): everybody may write to it (mode \(Self.octal(mode))); take that away with chmod o-w"
        case .groupWritable(let path, let mode):
            "\(path): its group may write to it (mode \(Self.octal(mode))), refused with --strict; take that away with chmod g-w"
        case .tooLarge(let path, let bytes, let limit):
            "\(path): \(bytes) bytes, a plugin library has at most \(limit)"
        }
    }

    private static func octal(_ mode: UInt32) -> String {
        String(mode & 0o7777, radix: 8)
    }
}
