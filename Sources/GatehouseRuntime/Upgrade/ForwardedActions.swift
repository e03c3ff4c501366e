// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Takes what the instances of the process before still bring from their clients, and answers when it is kept and processed.
///
/// The counterpart of `ForwardingAdmission`. It lasts until that process ends, and the run does not end before it: a third process may go on
/// by then, to which this one hands on what still comes.
package struct ForwardedActions {
    /// What the other process hears of an action; a process before this distinction takes each for `kept`.
    enum Answer: UInt8 {
        /// It is kept and processed.
        case kept = 1
        /// An action of the same id was kept before, and this one is dropped.
        case duplicate
    }

    /// Closes the connection when the last answer is sent.
    private final class Connection: Sendable {
        /// The connection from the other process.
        let descriptor: Int32

        /// Takes a connection over.
        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// Ends it; who waits for answers at the other end learns that none come.
        func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        /// Answers the first action that has no answer yet.
        func answer(_ answer: Answer) {
            var byte = answer.rawValue
            _ = unsafe send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL))
        }
    }

    /// The connection from the other process.
    private let connection: Connection
    /// Where the actions go.
    private let posted: PostedActions
    /// Counts the other process among what holds the run open.
    private let activity: Activity

    /// Takes actions of a connection, which belongs to this from here on, on a thread of its own.
    ///
    /// Where the system refuses a thread, the other process answers its clients that nothing was taken.
    package static func take(from descriptor: Int32, into host: Host) {
        let actions = ForwardedActions(
            connection: Connection(descriptor), posted: host.store.dependencies.posted,
            activity: host.queue.activity)
        actions.activity.begin(.finishing)
        let isStarted = BackgroundThread.start {
            actions.run()
            actions.activity.end(.finishing)
        }
        if !isStarted { actions.activity.end(.finishing) }
    }

    /// Reads until the other process ends.
    private func run() {
        var reader = LineReader(descriptor: connection.descriptor, name: "the process before")
        var lines = RecordedLines()
        var place: Value?
        reading: while let event = try? reader.next() {
            switch event {
            case .line(let line):
                let bytes = unsafe Array(line.bytes)
                guard let source = place else {
                    place = try? JSONText.parse(bytes)
                    continue
                }
                place = nil
                // Only a process of another form could send anything else; it is not answered, and says so to its clients.
                guard let action = lines.action(bytes) else {
                    connection.end()
                    break reading
                }
                take(action, from: source)
            case .tooLong, .end: break reading
            case .interrupted, .dry: break
            }
        }
    }

    /// Posts an action, and answers when it is processed.
    private func take(_ action: AnyAction, from place: Value) {
        let source = ActionSource(
            file: place["file"]?.stringValue ?? "", function: "",
            line: UInt(clamping: place["line"]?.intValue ?? 0),
            info: place["info"]?.stringValue)
        posted.bring(action, from: source) { [connection] result in
            switch result {
            case .success(let receipt): connection.answer(receipt.duplicates > 0 ? .duplicate : .kept)
            case .failure: connection.end()
            }
        }
    }
}
