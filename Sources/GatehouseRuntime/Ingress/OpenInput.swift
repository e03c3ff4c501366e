// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

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
    private var counted = (lines: 0, rejected: 0)

    /// Creates an input that has not been read.
    package init(_ opened: OpenedInput, maximumLineBytes: Int) {
        self.opened = opened
        file = nil
        lines = ActionInput(
            descriptor: opened.descriptor, name: opened.name, kind: opened.kind,
            maximumLineBytes: maximumLineBytes)
        answers = opened.acknowledges ? Acknowledgement() : nil
    }

    /// Creates the input of a followed file.
    package init(_ opened: OpenedInput, following file: FollowedFile, maximumLineBytes: Int) {
        self.opened = opened
        self.file = file
        lines = file.begin(maximumLineBytes: maximumLineBytes)
        counted = (lines.lines, lines.rejected)
        answers = nil
    }

    /// Switches to the file that has replaced the one read to its end.
    ///
    /// - Returns: whether there is something to read at once.
    package func goOn(maximumLineBytes: Int, _ report: (HostReport) -> Void) -> Bool {
        guard let file else { return false }
        switch file.next(after: lines.bytesRead) {
        case .none: return false
        case .rest: return true
        case .other:
            if let left = lines.unfinishedLine { report(left) }
            lines = file.begin(maximumLineBytes: maximumLineBytes)
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
