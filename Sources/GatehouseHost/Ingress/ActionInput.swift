// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Glibc

/// One input, read as actions; what is no action is counted and reported here. Not thread-safe.
struct ActionInput: ~Copyable {
    /// What `next` came back with.
    enum Event {
        /// An action, whose line is the input's `source`, and its text, which is there until the next call.
        case action(AnyAction, ActionText)
        /// A line that gives nothing to dispatch; it is counted, and reported if it was wrong.
        case nothing
        /// The wake descriptor became readable while no complete line was at hand; the input can go on afterwards.
        case interrupted
        /// Nothing more is at hand, and the input is one that is not waited for.
        case dry
        /// The input is finished.
        case end
    }

    /// Lines so far, blank ones included, and those that others have read before.
    private(set) var lines: Int
    /// Lines without anything on them.
    private(set) var blank = 0
    /// Lines that are no action.
    private(set) var rejected = 0
    /// Lines with an action that may not come in.
    private(set) var refused = 0

    /// The input's name in messages.
    let name: String
    /// The input's name as a source.
    private let start: ActionSource
    /// Whether another run that is given the same input reads the same lines: a file that is opened by its name.
    let isReadAgain: Bool
    /// The reader that splits the input into lines.
    private var reader: LineReader
    /// What the input is like.
    private let kind: LineReader.Kind
    /// Whether the end of the run is the end of the input.
    private var isStopped = false

    /// An input of which nothing has been read.
    ///
    /// - Parameters:
    ///   - linesBefore: how many lines were read before by others.
    ///   - onWait: told true before the input is waited for, false when it goes on; only with a wake descriptor.
    init(
        descriptor: Int32, name: String, kind: LineReader.Kind = .awaited, maximumLineBytes: Int,
        wakeDescriptor: Int32? = nil, linesBefore: Int = 0, onWait: ((Bool) -> Void)? = nil
    ) {
        self.name = name
        self.kind = kind
        lines = linesBefore
        isReadAgain = kind == .growing || Self.isNamedFile(descriptor)
        start = ActionSource(file: name, function: "", line: 0, info: nil)
        reader = LineReader(
            descriptor: descriptor, name: name, kind: kind, wakeDescriptor: wakeDescriptor,
            maximumLineBytes: maximumLineBytes, linesBefore: linesBefore, onWait: onWait)
    }

    /// Whether a descriptor leads to a file, and not to one that the program was given open, whose reading goes on where it was.
    private static func isNamedFile(_ descriptor: Int32) -> Bool {
        var (file, given) = (stat(), stat())
        guard unsafe fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return false }
        return unsafe fstat(STDIN_FILENO, &given) != 0 || file.st_dev != given.st_dev
            || file.st_ino != given.st_ino
    }

    /// The next line or event; waits for input when there is none, if it is an input that is waited for.
    ///
    /// Let go of the action before the next call, unless it is to be kept: its memory then serves the next one.
    ///
    /// - Throws: when the input cannot be read.
    @inline(__always)
    mutating func next(_ taker: inout ActionTaker) throws(IngressError) -> Event {
        switch try reader.next() {
        case .line(let line):
            lines += 1
            return take(lines == 1 ? line.withoutByteOrderMark : line, &taker)
        case .tooLong(let line, let bytes):
            lines += 1
            return reject(
                ActionRejection(
                    line: line, column: 1,
                    reason: .tooLong(bytes: bytes, limit: taker.ingress.maximumLineBytes)),
                taker.reports)
        case .interrupted:
            return .interrupted
        case .dry:
            reader.rest()
            return .dry
        case .end:
            if let report = unfinishedLine { taker.reports.send(report) }
            return .end
        }
    }

    /// Reads nothing more; the lines that were read are still handed out.
    mutating func stop() {
        isStopped = true
        reader.stop()
    }

    /// The last line, as the source of its action.
    var source: ActionSource { start.at(line: UInt(lines)) }

    /// Bytes of complete lines that were handed out.
    var bytesDone: Int { reader.bytesDone }

    /// Bytes that were read.
    var bytesRead: Int { reader.bytesRead }

    /// Says that the line at hand will not come to its end; nil when there is none, or when it can be read again.
    var unfinishedLine: HostReport? {
        let bytes = reader.unfinishedBytes
        guard bytes > 0 else { return nil }
        if isStopped {
            if case .growing = kind { return nil }
            return .unfinishedLine(input: name, line: lines + 1, bytes: bytes)
        }
        return .abandonedLine(input: name, line: lines + 1, bytes: bytes)
    }

    // MARK: - Implementation details

    /// Turns a line into an action.
    @inline(__always)
    private mutating func take(_ line: InputLine, _ taker: inout ActionTaker) -> Event {
        switch taker.take(line) {
        case .action(let action):
            return .action(action, text(of: line, isPayload: taker.ingress.wrap != nil))
        case .refused(let action, let reason):
            refused += 1
            taker.keep(action, from: source, because: reason)
            taker.reports.send(.refusedInput(source: source, type: action.type.name, reason: reason))
            return .nothing
        case .blank:
            blank += 1
            return .nothing
        case .rejected(let rejection):
            return reject(rejection, taker.reports)
        }
    }

    /// The text of the line in hand; of a long one nothing is kept but what its action holds.
    private mutating func text(of line: InputLine, isPayload: Bool) -> ActionText {
        var bytes = unsafe line.bytes
        if bytes.count > ActionText.longestReadWhole {
            reader.release()
            unsafe bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe ActionText(bytes: bytes, isPayload: isPayload)
    }

    /// Counts a line that is no action and reports it.
    private mutating func reject(_ rejection: ActionRejection, _ reports: ReportDesk) -> Event {
        rejected += 1
        reports.send(
            .rejectedLine(
                input: name, line: rejection.line, column: rejection.column,
                reason: rejection.reason.description))
        return .nothing
    }
}
