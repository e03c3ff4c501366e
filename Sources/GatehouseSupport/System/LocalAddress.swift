// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The address of a Unix socket.
///
/// `unsafe` because the system takes addresses as memory.
package struct LocalAddress {
    /// The longest path, in bytes.
    package static let mostBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// The address as the system has it.
    private var address = sockaddr_un()
    /// The bytes of it that count.
    private var size = socklen_t(MemoryLayout<sockaddr_un>.size)

    /// An address that the system chooses when a socket is bound to it, without a file.
    package init() {
        address.sun_family = sa_family_t(AF_UNIX)
        size = socklen_t(MemoryLayout<sa_family_t>.size)
    }

    /// The address of a path; nil for one that is too long.
    package init?(_ path: String) {
        self.init(bytes: Array(path.utf8))
        size = socklen_t(MemoryLayout<sockaddr_un>.size)
    }

    /// The address in a variable such as `NOTIFY_SOCKET`: an absolute path, or `@` and a name without a file; nil for one that is
    /// too long.
    package init?(variable: String) {
        var bytes = Array(variable.utf8)
        // The zero byte is one that no variable can hold.
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        self.init(bytes: bytes)
    }

    /// The address with these bytes.
    private init?(bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes else { return nil }
        self.init()
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        size += socklen_t(bytes.count)
    }

    /// Creates a socket for such addresses; nonblocking, close-on-exec, the caller's to close; below 0 with `errno`.
    package static func makeSocket(_ kind: __socket_type) -> Int32 {
        socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }

    /// Gives a socket this address; false with `errno`.
    package func bind(_ socket: Int32) -> Bool {
        unsafe withPointer { unsafe Glibc.bind(socket, $0, size) } == 0
    }

    /// Connects a socket to whoever has this address; false with `errno`.
    package func connect(_ socket: Int32) -> Bool {
        while unsafe withPointer({ unsafe Glibc.connect(socket, $0, size) }) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// The name without a file that the system chose for a socket, as a variable has it; nil for a socket without one.
    package static func name(of socket: Int32) -> String? {
        var found = LocalAddress()
        found.size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isKnown = unsafe withUnsafeMutablePointer(to: &found.address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(socket, $0, &found.size) == 0
            }
        }
        let count = Int(found.size) - MemoryLayout<sa_family_t>.size
        let bytes = unsafe withUnsafeBytes(of: found.address.sun_path) { unsafe Array($0.prefix(count)) }
        let name = bytes.dropFirst()
        return isKnown && !name.isEmpty ? "@" + String(decoding: name, as: UTF8.self) : nil
    }

    /// Connects to the listener at a path; returns a descriptor that blocks and is the caller's to close, or the system's error
    /// below 0.
    package static func connect(to path: String) -> Int32 {
        guard let address = LocalAddress(path) else { return -ENAMETOOLONG }
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard made >= 0 else { return -errno }
        guard !address.connect(made) else { return made }
        let reason = errno
        close(made)
        return -reason
    }

    /// Passes the address as the system's calls take it.
    private func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
