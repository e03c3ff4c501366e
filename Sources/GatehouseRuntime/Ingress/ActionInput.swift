// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// On which terms all inputs of a run are read.
package struct ReadingTerms {
    /// The longest line.
    let maximumLineBytes: Int
    /// Ends the reading; lines already read are still returned. Nil where nobody does.
    let stop: StopRequest?
}

/// One input, read as actions, which counts and reports all other lines; not thread-safe.
package struct ActionInput: ~Copyable {
    /// The result of `next`.
    package enum Event {
        /// An action, whose line is the input's `source`, and its text, which is valid until the next call.
        case action(AnyAction, ActionText)
        /// A line with nothing to dispatch; it is counted, and reported if it was wrong.
        case nothing
        /// The wake descriptor became readable while no complete line was available; the input can continue afterwards.
        case interrupted
        /// Nothing more is available, and the input is one that does not wait.
        case dry
        /// The input is finished.
        case end
    }

    /// How far an input is read, for another process that goes on with it.
    package struct Place: Equatable, Sendable {
        /// Lines so far, including blank ones.
        package var lines = 0
        /// Blank lines.
        package var blank = 0
        /// Lines that are not actions.
        package var rejected = 0
        /// Lines with an action that is not admitted.
        package var refused = 0
        /// What is read of the next lines.
        package var remainder = LineReader.Remainder()

        /// The beginning of an input.
        package init() {}
    }

    /// Lines so far, including blank ones and those read earlier by others.
    package private(set) var lines: Int
    /// Blank lines.
    package private(set) var blank = 0
    /// Lines that are not actions.
    package private(set) var rejected = 0
    /// Lines with an action that is not admitted.
    package private(set) var refused = 0

    /// The input's name in messages.
    package let name: String
    /// The input's name as a source.
    private let start: ActionSource
    /// Whether another run with the same input reads the same lines: a file opened by name.
    package let isReadAgain: Bool
    /// The reader that splits the input into lines.
    private var reader: LineReader
    /// The kind of input.
    private let kind: LineReader.Kind

    /// Creates an input that has not been read.
    ///
    /// - Parameters:
    ///   - linesBefore: how many lines others have read before.
    ///   - place: where the process before has stopped, instead of `linesBefore`; nil for an input that it has not read.
    ///   - onWait: called with true before waiting for input, with false when that is over; only with a wake descriptor.
    package init(
        descriptor: Int32, name: String, kind: LineReader.Kind = .awaited, on terms: ReadingTerms,
        wakeDescriptor: Int32? = nil, linesBefore: Int = 0, from place: Place? = nil,
        onWait: ((Bool) -> Void)? = nil
    ) {
        self.name = name
        self.kind = kind
        lines = place?.lines ?? linesBefore
        blank = place?.blank ?? 0
        rejected = place?.rejected ?? 0
        refused = place?.refused ?? 0
        isReadAgain = kind == .growing || Self.isNamedFile(descriptor)
        start = ActionSource(file: name, function: "", line: 0, info: nil)
        reader = LineReader(
            descriptor: descriptor, name: name, kind: kind, wakeDescriptor: wakeDescriptor,
            maximumLineBytes: terms.maximumLineBytes, linesBefore: place?.lines ?? linesBefore,
            continuing: place?.remainder, stop: terms.stop)
        reader.onWait = onWait
    }

    /// Whether a descriptor is a file, other than an open one the program was given, whose reading continues where it was.
    private static func isNamedFile(_ descriptor: Int32) -> Bool {
        var (file, given) = (stat(), stat())
        guard unsafe fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return false }
        return unsafe fstat(STDIN_FILENO, &given) != 0 || file.st_dev != given.st_dev
            || file.st_ino != given.st_ino
    }

    /// Returns the next line or event; waits for input when there is none, if the input is one that waits.
    ///
    /// Release the action before the next call, unless it must be kept: its memory then serves the next one.
    ///
    /// - Throws: when the input cannot be read.
    @inline(__always)
    package mutating func next(_ taker: inout ActionTaker) throws(IngressError) -> Event {
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

    /// The source of the last line's action.
    package var source: ActionSource { start.at(line: UInt(lines)) }

    /// How far it is read.
    var place: Place {
        var place = Place()
        (place.lines, place.blank, place.rejected, place.refused) = (lines, blank, rejected, refused)
        place.remainder = reader.remainder
        return place
    }

    /// Whether `next` has a line without reading more.
    var hasLine: Bool { mutating get { reader.hasLine } }

    /// The number of bytes of complete lines that were returned.
    var bytesDone: Int { reader.bytesDone }

    /// The number of bytes read.
    var bytesRead: Int { reader.bytesRead }

    /// A report that the current line will not be completed; nil when there is none, or when it can be read again.
    var unfinishedLine: HostReport? {
        let bytes = reader.unfinishedBytes
        guard bytes > 0 else { return nil }
        guard reader.isStopped else { return .abandonedLine(input: name, line: lines + 1, bytes: bytes) }
        return kind == .growing ? nil : .unfinishedLine(input: name, line: lines + 1, bytes: bytes)
    }

    // MARK: - Implementation details

    /// Turns a line into an event.
    @inline(__always)
    private mutating func take(_ line: InputLine, _ taker: inout ActionTaker) -> Event {
        switch taker.take(line) {
        case .action(let action), .hostAction(let action):
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

    /// Returns the text of the current line; of a long one only its action is kept.
    private mutating func text(of line: InputLine, isPayload: Bool) -> ActionText {
        var bytes = unsafe line.bytes
        if bytes.count > ActionText.longestReadWhole {
            reader.release()
            unsafe bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe ActionText(bytes: bytes, isPayload: isPayload)
    }

    /// Counts and reports a line that is not an action.
    private mutating func reject(_ rejection: ActionRejection, _ reports: Reporter) -> Event {
        rejected += 1
        reports.send(
            .rejectedLine(
                input: name, line: rejection.line, column: rejection.column,
                reason: rejection.reason.description))
        return .nothing
    }
}
