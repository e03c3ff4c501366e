// SPDX-License-Identifier: Apache-2.0

package import GatehouseRuntime

/// Why a control socket could not be opened.
package enum ControlSocketError: Error, Equatable, Sendable {
    /// A host listens at the path.
    case alive(path: String)
    /// The path holds something other than a socket.
    case occupied(path: String)
    /// The path exceeds the system's limit.
    case tooLong(path: String, bytes: Int)
    /// Others can write to the folder.
    case foreignFolder(String)
    /// The system refused; `reason` is its own message.
    case system(path: String, reason: String)

    /// Wraps the obstacle at a path.
    package init(_ obstacle: LocalSocket.Obstacle, at path: String) {
        switch obstacle {
        case .alive: self = .alive(path: path)
        case .occupied: self = .occupied(path: path)
        case .tooLong(let bytes): self = .tooLong(path: path, bytes: bytes)
        case .system(let reason): self = .system(path: path, reason: reason)
        }
    }
}

extension ControlSocketError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .alive(let path):
            "a host is running at \(path); end it with gatehouse ctl stop, or give this one another name with --name"
        case .occupied(let path):
            "\(path): expected nothing or the socket of a host that has ended, found something else; remove it"
        case .tooLong(let path, let bytes):
            "\(path): expected a path of at most 107 bytes for a socket, found \(bytes); choose a shorter one"
        case .foreignFolder(let folder):
            "\(folder): expected a folder that belongs to this user and that nobody else may write to, found another; remove it, or name the control socket with \"control\": \"unix:PATH\""
        case .system(let path, let reason):
            "\(path): \(reason); name the control socket with \"control\": \"unix:PATH\", or do without it by --no-control"
        }
    }
}
