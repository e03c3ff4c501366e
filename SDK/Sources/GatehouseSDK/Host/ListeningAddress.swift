// SPDX-License-Identifier: Apache-2.0

/// The address of a listening socket.
public enum ListeningAddress: Hashable, Sendable {
    /// A numeric address of this machine, of either family, and a port; 0 for any free port.
    case port(host: String, UInt16)
    /// The path of a Unix socket; a relative one starts at the current folder.
    case path(String)
}

extension ListeningAddress: CustomStringConvertible {
    /// The text in configurations: `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/http.sock`.
    public var description: String {
        switch self {
        case .port(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .path(let path): "unix:\(path)"
        }
    }
}

/// Why an instance cannot listen at an address.
public struct ListeningFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// One sentence for the operator; it begins with the address.
    public let sentence: String

    /// Creates a failure with its sentence.
    public init(_ sentence: String) { self.sentence = sentence }

    /// The sentence.
    public var description: String { sentence }
}
