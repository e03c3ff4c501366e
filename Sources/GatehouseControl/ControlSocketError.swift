// SPDX-License-Identifier: Apache-2.0

package import GatehouseRuntime

/// Why a control socket could not be opened.
package enum ControlSocketError: Error, Equatable, Sendable {
    /// A socket cannot listen at a path, or something beside it cannot be made.
    case obstacle(LocalSocket.Obstacle, at: String)
    /// Others can write to the folder.
    case foreignFolder(String)
}

extension ControlSocketError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .obstacle(.alive, let path):
            "a host is running at \(path); end it with gatehouse ctl stop, or give this one another name with --name"
        case .obstacle(.occupied, let path):
            "\(path): expected nothing or the socket of a host that has ended, found something else; remove it"
        case .obstacle(.tooLong(let bytes), let path):
            "\(path): expected a path of at most 107 bytes for a socket, found \(bytes); choose a shorter one"
        case .foreignFolder(let folder):
            "\(folder): expected a folder that belongs to this user and that nobody else may write to, found another; remove it, or name the control socket with \"control\": \"unix:PATH\""
        case .obstacle(.system(let reason), let path):
            "\(path): \(reason); name the control socket with \"control\": \"unix:PATH\", or do without it by --no-control"
        }
    }
}
