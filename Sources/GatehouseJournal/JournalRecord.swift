// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What led to an action, with its whole number.
package enum JournalCause: Sendable, Hashable {
    /// Nobody has told.
    case unknown
    /// It came in as the input with the number.
    case input(UInt64)
    /// An instance answered the action with the sequence; nil where that is not known.
    case output(of: UInt64?)
    /// An effect emitted it that the action with the sequence had started; nil where that is not known.
    case effect(of: UInt64?)
    /// An interceptor changed its own state by it while the action with the sequence was in hand.
    case own(of: UInt64?)
    /// An interceptor emitted it while it had the input with the number in hand; nil where that is not known.
    case interception(of: UInt64?)

    /// The sequence of the action that led to it; nil for an input, for what an interceptor emitted before it passed one, and where
    /// it is not known.
    package var sequence: UInt64? {
        switch self {
        case .unknown, .input, .interception: nil
        case .output(let sequence), .effect(let sequence), .own(let sequence): sequence
        }
    }
}

/// An action that reached the reducers, as a journal gives it back.
package struct JournalRecord: Sendable, Equatable {
    /// Its number among all actions, from 1.
    package let sequence: UInt64
    /// The number of the opening of the journal in which it was written.
    package let epoch: Int
    /// The number of the host's generation in that epoch.
    package let generation: Int
    /// When its batch was written, in seconds since 1970.
    package let batchTime: Double
    /// What led to it.
    package let cause: JournalCause
    /// The file or the input's name of its place.
    package let file: String
    /// The line of its place.
    package let line: UInt
    /// The id of the instance that emitted it; nil for an input.
    package let instance: String?
    /// What reducers that asked for the time were told; nil when nobody asked.
    package let time: Double?
    /// Its wire form: one line of valid JSON. Of an action that could not be encoded the type alone; `encodingFailure` says why.
    package let bytes: [UInt8]
    /// Why the action could not be encoded; nil for one that is whole.
    package let encodingFailure: String?

    /// Its type; read from the bytes at each call.
    package var type: String { JournalInputRecord.type(of: bytes) }
}

/// An input as a journal gives it back.
package struct JournalInputRecord: Sendable, Equatable {
    /// Its number among the inputs.
    package let number: UInt64
    /// The file or the input's name of its place.
    package let file: String
    /// The line of its place.
    package let line: UInt
    /// The id of the instance that brought it; nil for one from outside.
    package let instance: String?
    /// What its writer calls it; nil when it does not say.
    package let id: String?
    /// Its wire form: one line of valid JSON.
    package let bytes: [UInt8]
    /// Why the action could not be encoded; nil for one that is whole.
    package let encodingFailure: String?

    /// Its type; read from the bytes at each call.
    package var type: String { Self.type(of: bytes) }

    /// The type of an action in its wire form; empty for what is none.
    package static func type(of bytes: [UInt8]) -> String {
        let usual = Array(#"{"type":""#.utf8)
        if bytes.starts(with: usual) {
            let rest = bytes[usual.count...]
            if let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }),
                rest[end] == UInt8(ascii: "\"")
            {
                return String(decoding: rest[..<end], as: UTF8.self)
            }
        }
        guard let value = try? JSONText.parse(bytes), case .string(let type) = value["type"] else {
            return ""
        }
        return type
    }
}
