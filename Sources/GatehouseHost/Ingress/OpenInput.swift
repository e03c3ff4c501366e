// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// An input that takes turns with others on the thread that dispatches, which alone has it.
final class OpenInput {
    /// The input as it was opened.
    let opened: OpenedInput
    /// The lines that come from the input.
    var lines: ActionInput
    /// What its writer is told; nil where it is told nothing.
    var answers: Acknowledgement?
    /// The file that is followed; nil for an input that is what it is.
    let file: FollowedFile?
    /// Takes its lines where it has rules of its own; nil where it has none.
    var taker: OwnTaker?
    /// Whether there is nothing more to read, and only answers are left to be written.
    var isRead = false
    /// How many lines, and rejected ones, its account knows of.
    private var counted = (lines: 0, rejected: 0)

    /// An input of which nothing has been read.
    init(_ opened: OpenedInput, maximumLineBytes: Int) {
        self.opened = opened
        file = nil
        lines = ActionInput(
            descriptor: opened.descriptor, name: opened.name, kind: opened.kind,
            maximumLineBytes: maximumLineBytes)
        answers = opened.acknowledges ? Acknowledgement() : nil
    }

    /// A file that is followed.
    init(_ opened: OpenedInput, following file: FollowedFile, maximumLineBytes: Int) {
        self.opened = opened
        self.file = file
        lines = file.begin(maximumLineBytes: maximumLineBytes)
        counted = (lines.lines, lines.rejected)
        answers = nil
    }

    /// Goes over to the file that has taken the place of the one that was read to its end.
    ///
    /// - Returns: whether there is something to read at once.
    func goOn(maximumLineBytes: Int, _ report: (HostReport) -> Void) -> Bool {
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

    /// Counts what was read since the last time.
    func count() {
        opened.account.add(
            lines: lines.lines - counted.lines, rejected: lines.rejected - counted.rejected)
        counted = (lines.lines, lines.rejected)
    }

    /// Tells the writer what was done since the last time, as far as that can be said without waiting.
    func acknowledge() -> Acknowledgement.Outcome {
        answers?.note(lines: lines.lines, rejected: lines.rejected + lines.refused)
        return answers?.send(to: opened.descriptor) ?? .sent
    }

    /// Writes answers that the writer has not taken so far.
    func send() -> Acknowledgement.Outcome { answers?.send(to: opened.descriptor) ?? .sent }

    /// Is told again when there is something to read.
    ///
    /// - Returns: whether it is to be asked again at once, because it can always be read.
    func rearm() -> Bool {
        opened.watch?.rearm()
        return opened.watch == nil
    }

    /// Is told when answers can be written.
    func waitForRoom() {
        guard let watch = opened.watch else { return }
        EventLoop.perform { watch.change(to: [.writable, .once]) }
    }

    /// Lets the loop close it.
    func close() { EventLoop.perform(opened.close) }
}

/// Takes the lines of one input, which may carry less than others.
final class OwnTaker {
    /// Takes a line.
    var taker: ActionTaker

    /// Holds the taker of an input's lines.
    init(_ taker: consuming ActionTaker) { self.taker = taker }
}
