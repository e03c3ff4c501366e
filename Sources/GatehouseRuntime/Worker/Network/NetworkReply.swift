// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The host's answer to a `NetworkRequest`, beside which there is a descriptor where there is a connection or a socket that listens.
struct NetworkReply: Equatable, Sendable {
    /// The longest sentence, in bytes; longer ones are cut.
    private static let longestSentence = 1_024
    /// The shortest message, in bytes: the number, and a zero for a connection that was made.
    static let shortest = 5
    /// The longest message, in bytes.
    static let longest = shortest + longestSentence

    /// The number of the request.
    let number: UInt32
    /// Why there is none; nil where there is one.
    let failure: ConnectionFailure?

    /// Wraps an answer.
    init(number: UInt32, failure: ConnectionFailure?) {
        self.number = number
        self.failure = failure
    }

    /// The message.
    var bytes: [UInt8] {
        number.storedBytes + [failure?.reason.rawValue ?? 0]
            + Array((failure?.sentence ?? "").utf8.prefix(Self.longestSentence))
    }

    /// Reads a message of the host; nil for one that no host writes.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= Self.shortest else { return nil }
        number = UInt32(storedBytes: bytes[..<4])
        if bytes[4] == 0 {
            failure = nil
        } else {
            guard let reason = ConnectionFailure.Reason(rawValue: bytes[4]) else { return nil }
            failure = ConnectionFailure(reason, String(decoding: bytes[5...], as: UTF8.self))
        }
    }
}
