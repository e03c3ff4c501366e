// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// What a worker asks its host for at a port of a host or of an address. One message of the socket between them.
struct NetworkRequest: Equatable, Sendable {
    /// What there is to ask for.
    enum Wish: UInt8 {
        /// A connection.
        case connect = 1
        /// A copy of the socket that listens there.
        case listen
        /// That the host takes note of a copy that is closed; there is no answer.
        case giveBack
    }

    /// How many connections a worker may have asked for at a time without having an answer.
    static let most = 32
    /// The longest time that a connection may take: one hour.
    static let longestTime: UInt32 = 3_600_000
    /// The bytes before the host: number, time, port and wish.
    private static let head = 11
    /// The longest text of a host, in bytes.
    static let longestHost = 255
    /// The longest message, in bytes.
    static let longest = head + longestHost

    /// Names it in the answer; no two that are open have the same.
    let number: UInt32
    /// How long a connection may take, in milliseconds; any number from 1 on beside another wish.
    let milliseconds: UInt32
    /// The port.
    let port: UInt16
    /// What is asked for.
    let wish: Wish
    /// The name or the address.
    let host: String

    /// Wraps what a worker asks for.
    init(number: UInt32, milliseconds: UInt32 = 1, port: UInt16, wish: Wish = .connect, host: String) {
        self.number = number
        self.wish = wish
        self.milliseconds = milliseconds
        self.port = port
        self.host = host
    }

    /// The message, in the byte order of this machine.
    var bytes: [UInt8] {
        number.storedBytes + milliseconds.storedBytes + port.storedBytes + [wish.rawValue] + Array(host.utf8)
    }

    /// Reads a message of a worker, which may have written anything.
    ///
    /// - Throws: what no honest worker writes.
    init(_ bytes: some Collection<UInt8>) throws(NetworkLie) {
        guard (Self.head + 1...Self.longest).contains(bytes.count) else {
            throw .badLength(bytes.count)
        }
        let bytes = Array(bytes)
        number = UInt32(storedBytes: bytes[..<4])
        milliseconds = UInt32(storedBytes: bytes[4..<8])
        port = UInt16(storedBytes: bytes[8..<10])
        guard let wish = Wish(rawValue: bytes[10]) else { throw .badWish(bytes[10]) }
        self.wish = wish
        guard (1...Self.longestTime).contains(milliseconds), port > 0 else { throw .badNumber }
        guard let host = String(validating: bytes[Self.head...], as: UTF8.self), !host.utf8.contains(0) else {
            throw .badHost
        }
        self.host = host
    }
}

/// What no honest worker does with the socket by which it asks for connections and for sockets that listen.
enum NetworkLie: Error, Equatable, Sendable, CustomStringConvertible {
    /// A request has this many bytes.
    case badLength(Int)
    /// A request has a time or a port that is none.
    case badNumber
    /// A request asks for something that there is not.
    case badWish(UInt8)
    /// A request names a host by something that is no text.
    case badHost
    /// It gives back a socket that it does not have.
    case notLent
    /// It asks for more connections than it may at a time, or twice under the same number.
    case tooMany
    /// It leaves its answers where they are.
    case deaf

    /// What it does, as a clause.
    var description: String {
        switch self {
        case .badLength(let count): "it asks for a connection in \(count) bytes"
        case .badNumber: "it asks for a connection with a time or a port that is none"
        case .badWish(let number): "it asks for a service with the number \(number), which is none"
        case .notLent: "it gives back a socket that it does not have"
        case .badHost: "it asks for a connection to a host that is no text"
        case .tooMany:
            "it asks for more than \(NetworkRequest.most) connections at a time, or twice under one number"
        case .deaf: "it does not take the connections that it asks for"
        }
    }
}

extension FixedWidthInteger {
    /// The bytes in memory.
    var storedBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
    }

    /// Reads the bytes of an integer, of which there must be enough.
    init(storedBytes bytes: ArraySlice<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | Self($1) }
    }
}
