// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc

/// A socket to which a host tells what a service manager wants to know.
final class ServiceManager {
    /// What the host finds in its environment.
    let address: String
    /// Where messages come in.
    private let socket: Int32

    /// Listens in a folder, or under a name without a file.
    init(in folder: TemporaryFolder, isAbstract: Bool = false) throws {
        address = isAbstract ? "@" + folder.path : folder("notify")
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(address.utf8)
        if isAbstract { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let size = socklen_t(2 + bytes.count)
        let result = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(socket, $0, size) }
        }
        guard result == 0 else { throw SystemFailure("bind \(address)") }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        unsafe setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// The next message; waits for it.
    func next() throws -> String {
        guard let message = receive(0) else { throw SystemFailure("recv \(address)") }
        return message
    }

    /// The messages that are there already.
    var rest: [String] {
        var all: [String] = []
        while let message = receive(Int32(MSG_DONTWAIT)) { all.append(message) }
        return all
    }

    /// A message, nil when none has come.
    private func receive(_ flags: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe recv(socket, &bytes, bytes.count, flags)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
