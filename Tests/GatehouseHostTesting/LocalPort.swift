// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Finds TCP ports of this machine.
public enum LocalPort {
    /// Returns a port that nobody listens at.
    public static func free() throws -> Int {
        let (made, port) = try bindToAny()
        close(made)
        return port
    }

    /// Listens at a free port; returns the socket, the caller's to close.
    static func listen() throws -> (socket: Int32, port: Int) {
        let made = try bindToAny()
        guard Glibc.listen(made.socket, 128) == 0 else { throw SystemFailure("listen") }
        return made
    }

    /// Creates a socket at an unused port.
    private static func bindToAny() throws -> (socket: Int32, port: Int) {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(made, $0, size) == 0 && getsockname(made, $0, &size) == 0
            }
        }
        guard named else {
            close(made)
            throw SystemFailure("bind")
        }
        return (made, Int(in_port_t(bigEndian: address.sin_port)))
    }

    /// Whether somebody listens at a port.
    public static func isHeld(_ port: Int) -> Bool {
        guard let made = try? connect(port) else { return false }
        close(made)
        return true
    }

    /// Connects to the listener at a port; returns the socket, the caller's to close.
    static func connect(_ port: Int) throws -> Int32 {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = self.address(port)
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(made)
            throw SystemFailure("connect to port \(port)")
        }
        return made
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
