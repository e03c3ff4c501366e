// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSDK
internal import GatehouseSupport
internal import Glibc

/// The connection between a host and the process that is to go on for it.
///
/// Messages are JSON objects of less than 64 KiB, some with a descriptor. The first one names the form of all others, which both
/// processes must know: they may be of different versions.
struct UpgradeLink: Sendable {
    /// What a message says.
    enum Word: String {
        /// Names the form, and what must be the same in both processes; the first message, from the old process.
        case hello
        /// The new process has tried and loaded everything, and has followed the journal so far; says whether it goes on with files and
        /// pipes.
        case prepared
        /// The old process stands still, and everything is in the journal.
        case still
        /// The new process has the state and its instances, which have not started.
        case ready
        /// The old process has closed the journal, and left its cluster; as many messages about connections follow as this one says.
        case over
        /// A writer's connection, or a file or pipe.
        case connection
        /// The new process has the journal, and its instances have started.
        case running
        /// From here on the new process reads, and the old one does not.
        case yours
        /// The old process was asked to end, which concerns the new one; comes after `yours`, and an older process neither sends nor hears it.
        case stop
    }

    /// A message.
    struct Message {
        /// What it says.
        let word: Word
        /// The facts that belong to it.
        let facts: Value
        /// The descriptor that came along, the receiver's to close; below 0 for none.
        let descriptor: Int32
    }

    /// Why there is no message.
    enum Silence: Error, Equatable {
        /// The other process has closed its end, or ended.
        case ended
        /// It has said nothing in the time that it had.
        case late
        /// It has said something that this process does not know.
        case unknown(String)
    }

    /// The form of the messages.
    static let form = 1

    /// This end.
    let descriptor: Int32

    /// Creates both ends, close-on-exec.
    static func pair() throws(SystemFailure) -> (own: UpgradeLink, other: UpgradeLink) {
        let ends = try sockets(SOCK_SEQPACKET)
        return (UpgradeLink(descriptor: ends.0), UpgradeLink(descriptor: ends.1))
    }

    /// Creates a pair of connected sockets, close-on-exec.
    static func sockets(_ kind: __socket_type) throws(SystemFailure) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .last
        }
        for end in ends { gatehouse_own(end) }
        return (ends[0], ends[1])
    }

    /// Sends a message; it is lost if the other process has ended, which `receive` tells.
    ///
    /// - Parameter descriptor: one that the other process gets a copy of; below 0 for none.
    func send(_ word: Word, _ facts: Members = [:], with descriptor: Int32 = -1) {
        var members = facts
        members["is"] = .string(word.rawValue)
        let bytes = Array(Value.object(members).json().utf8)
        _ = unsafe gatehouse_send_with(self.descriptor, bytes, bytes.count, descriptor)
    }

    /// Waits for the next message.
    func receive(within limit: Duration) throws(Silence) -> Message {
        let end = ContinuousClock.now + limit
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0 else { throw .late }
            let ready = unsafe poll(&watched, 1, Int32(clamping: Int(left.rounded(.up))))
            if ready > 0 { break }
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var received: Int32 = -1
        let count = unsafe gatehouse_receive_with(descriptor, &bytes, bytes.count, &received)
        guard count > 0 else { throw .ended }
        let text = Array(bytes.prefix(count))
        guard let facts = try? JSONText.parse(text), let name = facts["is"]?.stringValue,
            let word = Word(rawValue: name)
        else {
            if received >= 0 { Glibc.close(received) }
            throw .unknown(Quotation.of(String(decoding: text.prefix(64), as: UTF8.self)))
        }
        return Message(word: word, facts: facts, descriptor: received)
    }

    /// Waits for a message that must be the next one.
    func receive(_ word: Word, within limit: Duration) throws(Silence) -> Message {
        let message = try receive(within: limit)
        guard message.word == word else {
            if message.descriptor >= 0 { Glibc.close(message.descriptor) }
            throw .unknown(message.word.rawValue)
        }
        return message
    }

    /// Closes this end.
    func close() { Glibc.close(descriptor) }
}
