// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// A writer's connection, or a file or pipe that is read to its end, between two processes: one has stopped reading it, and the other goes
/// on at the same byte.
package struct HandedConnection: Equatable, Sendable {
    /// The connection, file or pipe, open in this process.
    package var descriptor: Int32
    /// The location of the socket that accepted it, or the name of the file or pipe, as an operator knows it.
    package let socket: String
    /// Its place among the connections of the socket, or among the files and pipes, from 0.
    package let number: Int
    /// How far it is read.
    package var place: ActionInput.Place
    /// Answers to the writer; nil for none.
    package var answers: Acknowledgement?
    /// Whether the writer has finished, and only answers are left to write.
    package let isRead: Bool
    /// Whether it is a file or pipe.
    package var isStream = false
}

extension HandedConnection {
    /// A file or pipe that is read so far.
    init(stream descriptor: Int32, named name: String, number: Int, at place: ActionInput.Place) {
        self.init(
            descriptor: descriptor, socket: name, number: number, place: place, answers: nil, isRead: false,
            isStream: true)
    }

    /// The facts for the other process, but for the bytes that wait: of those only the counts.
    package var value: Value {
        var members: Members = [
            "socket": .string(socket), "number": Value(number), "lines": Value(place.lines),
            "blank": Value(place.blank), "rejected": Value(place.rejected), "refused": Value(place.refused),
            "unread": Value(place.remainder.bytes.count), "isRead": .bool(isRead),
        ]
        if isStream { members["isStream"] = true }
        if let skipped = place.remainder.skipped {
            members["skipped"] = Value(skipped)
            members["endsInReturn"] = .bool(place.remainder.endsInReturn)
        }
        if let answers {
            members["told"] = Value(answers.told)
            members["unsent"] = Value(answers.waiting.count)
        }
        return .object(members)
    }

    /// The bytes that wait: answers, then what is read and not returned.
    package var bytes: [UInt8] { (answers?.waiting ?? []) + place.remainder.bytes }

    /// Reads what another process has written; nil for anything else.
    ///
    /// - Parameter bytes: what waits of all connections; those of this one are taken off its front.
    package init?(_ value: Value, _ bytes: inout ArraySlice<UInt8>, descriptor: Int32) {
        guard let socket = value["socket"]?.stringValue, let number = value.count("number"),
            let lines = value.count("lines"), let blank = value.count("blank"),
            let rejected = value.count("rejected"), let refused = value.count("refused"),
            let unread = value.count("unread"), let isRead = value["isRead"]?.boolValue, number < 1 << 20
        else { return nil }
        self.descriptor = descriptor
        (self.socket, self.number, self.isRead) = (socket, number, isRead)
        isStream = value["isStream"]?.boolValue ?? false
        place = ActionInput.Place()
        (place.lines, place.blank, place.rejected, place.refused) = (lines, blank, rejected, refused)
        if let told = value.count("told"), let unsent = value.count("unsent") {
            guard bytes.count >= unsent else { return nil }
            answers = Acknowledgement(told: told, waiting: Array(bytes.prefix(unsent)))
            bytes = bytes.dropFirst(unsent)
        }
        guard bytes.count >= unread else { return nil }
        place.remainder.bytes = Array(bytes.prefix(unread))
        place.remainder.skipped = value.count("skipped")
        place.remainder.endsInReturn = value["endsInReturn"]?.boolValue ?? false
        bytes = bytes.dropFirst(unread)
    }
}

extension Value {
    /// A member that counts something; nil for anything else.
    fileprivate func count(_ name: String) -> Int? { self[name]?.intValue.flatMap { $0 >= 0 ? $0 : nil } }
}
