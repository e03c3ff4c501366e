// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Unix sockets that listen at a path.
package enum LocalSocket {
    /// Why listening at a path fails.
    package enum Obstacle: Error, Equatable {
        /// Another process listens at the path.
        case alive
        /// The path holds something other than the socket of a process that has ended.
        case occupied
        /// The path has this many bytes, more than the system's limit.
        case tooLong(bytes: Int)
        /// The system refused; `reason` is its own message.
        case system(reason: String)
    }

    /// Refuses a path that exceeds the system's limit.
    package static func check(_ path: String) throws(Obstacle) {
        let bytes = path.utf8.count
        guard bytes <= Int(GATEHOUSE_LOCAL_PATH_BYTES) else { throw .tooLong(bytes: bytes) }
    }

    /// Returns the path that a socket is bound to; nil when it has none.
    package static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size)
            }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return unsafe withUnsafeBytes(of: address.sun_path) { bytes in
            let text = unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            return text.isEmpty ? nil : text
        }
    }

    /// Listens at a path, replacing the socket of a killed process.
    ///
    /// The caller ensures that nobody else replaces it at the same time.
    ///
    /// - Returns: the descriptor, which does not block and is the caller's to close.
    package static func listen(at path: String, mode: Int) throws(Obstacle) -> Int32 {
        for _ in 0..<2 {
            let descriptor = unsafe gatehouse_local_listen(path, Int32(mode))
            if descriptor >= 0 { return descriptor }
            guard descriptor == -EADDRINUSE else {
                throw .system(reason: SystemReason.text(of: -descriptor))
            }
            switch ListeningAddress.clear(path) {
            case .nobody: continue
            case .listener: throw .alive
            case .other: throw .occupied
            }
        }
        throw .occupied
    }
}
