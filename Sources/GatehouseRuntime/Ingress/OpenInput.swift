// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// An input that takes turns with others; belongs to the thread that dispatches.
package final class OpenInput {
    /// The input as it was opened.
    package let opened: OpenedInput
    /// Reads the lines of the input.
    package var lines: ActionInput
    /// Acknowledgements to the writer; nil for none.
    package var answers: Acknowledgement?
    /// The followed file; nil for other inputs.
    package let file: FollowedFile?
    /// The taker for an input with its own rules; nil without any.
    package var taker: OwnTaker?
    /// Whether everything is read, and only answers are left to write.
    package var isRead = false
    /// The lines, and rejected ones, already counted by the account.
    private var counted: (lines: Int, rejected: Int)

    /// Creates an input that has not been read.
    package init(_ opened: OpenedInput, following file: FollowedFile?, on terms: ReadingTerms) {
        self.opened = opened
        self.file = file
        if let file {
            lines = file.begin(on: terms)
        } else {
            lines = ActionInput(
                descriptor: opened.descriptor, name: opened.name, kind: opened.kind, on: terms,
                from: opened.handed?.place)
        }
        counted = (lines.lines, lines.rejected)
        answers = opened.acknowledges ? opened.handed?.answers ?? Acknowledgement() : nil
        isRead = opened.handed?.isRead ?? false
    }

    /// Switches to the file that has replaced the one read to its end.
    ///
    /// - Returns: whether there is something to read at once.
    package func goOn(on terms: ReadingTerms, _ reports: Reporter) -> Bool {
        guard let file else { return false }
        switch file.next(after: lines.bytesRead) {
        case .none: return false
        case .rest: return true
        case .other:
            if let left = lines.unfinishedLine { reports.send(left) }
            lines = file.begin(on: terms)
            counted = (lines.lines, lines.rejected)
            return file.isThere
        }
    }

    /// Counts the lines read since the last time.
    package func count() {
        opened.account.add(
            lines: lines.lines - counted.lines, rejected: lines.rejected - counted.rejected)
        counted = (lines.lines, lines.rejected)
    }

    /// Acknowledges the lines finished since the last time, as far as possible without blocking.
    package func acknowledge() -> Acknowledgement.Outcome {
        answers?.note(lines: lines.lines, rejected: lines.rejected + lines.refused)
        return answers?.send(to: opened.descriptor) ?? .sent
    }

    /// Writes waiting answers.
    package func send() -> Acknowledgement.Outcome { answers?.send(to: opened.descriptor) ?? .sent }

    /// Asks for the next readiness notification.
    ///
    /// - Returns: whether to give it a turn at once, because it can always be read.
    package func rearm() -> Bool {
        opened.watch?.rearm()
        return opened.watch == nil
    }

    /// Asks for notification when answers can be written.
    package func waitForRoom() {
        guard let watch = opened.watch else { return }
        EventLoop.perform { watch.change(to: [.writable, .once]) }
    }

    /// Closes the input on the loop.
    package func close() { EventLoop.perform(opened.close) }
}

/// Takes the lines of one input with stricter rules.
package final class OwnTaker {
    /// The taker.
    package var taker: ActionTaker

    /// Wraps the taker of an input's lines.
    package init(_ taker: consuming ActionTaker) { self.taker = taker }
}

/// Answers to the writer of a connection: how many of its lines are finished.
package struct Acknowledgement: Equatable, Sendable {
    /// The outcome of the last answer.
    package enum Outcome {
        /// The answer is sent.
        case sent
        /// The writer does not read its answers; there is no room for more.
        case blocked
        /// The writer has closed the connection.
        case gone
    }

    /// The number of lines in the last answer.
    package private(set) var told = 0
    /// The unwritten bytes of answers.
    package private(set) var waiting: [UInt8] = []

    /// Creates an acknowledgement without answers.
    init() {}

    /// Goes on with the answers of another process.
    package init(told: Int, waiting: [UInt8]) { (self.told, self.waiting) = (told, waiting) }

    /// Answers for a number of lines, some of them rejected, unless already answered.
    mutating func note(lines: Int, rejected: Int) {
        guard lines > told else { return }
        told = lines
        let answer = rejected > 0 ? "{\"ok\":\(lines),\"rejected\":\(rejected)}\n" : "{\"ok\":\(lines)}\n"
        waiting += Array(answer.utf8)
    }

    /// Writes waiting answers without blocking.
    mutating func send(to descriptor: Int32) -> Outcome {
        while !waiting.isEmpty {
            let count = unsafe Glibc.send(
                descriptor, waiting, waiting.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            switch count < 0 ? errno : 0 {
            case 0: waiting.removeFirst(count)
            case EINTR: continue
            case EAGAIN: return .blocked
            default:
                waiting = []
                return .gone
            }
        }
        return .sent
    }
}
