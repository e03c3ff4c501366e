// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

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
        /// The input is finished.
        case end
    }

    /// Lines so far, blank ones included.
    private(set) var lines = 0
    /// Lines without anything on them.
    private(set) var blank = 0
    /// Lines that are no action.
    private(set) var rejected = 0
    /// Lines with an action that may not come in.
    private(set) var refused = 0

    /// The input's name in messages.
    private let name: String
    /// The input's name as a source.
    private let start: ActionSource
    /// What input may contain.
    private let ingress: IngressConfiguration
    /// Decides about types that are not the host's; nil where all of them may come in.
    private var admission: Admission?
    /// Takes what is wrong.
    private let reports: ReportDesk
    /// Splits the input.
    private var reader: LineReader
    /// Reads lines.
    private var parser: ActionParser

    /// An input of which nothing has been read.
    ///
    /// - Parameter onWait: told true before the input is waited for, false when it goes on; only with a wake descriptor.
    init(
        descriptor: Int32, name: String, ingress: IngressConfiguration, reports: ReportDesk,
        wakeDescriptor: Int32?, onWait: ((Bool) -> Void)?
    ) {
        self.name = name
        start = ActionSource(file: name, function: "", line: 0, info: nil)
        self.ingress = ingress
        self.reports = reports
        reader = LineReader(
            descriptor: descriptor, name: name, wakeDescriptor: wakeDescriptor,
            maximumLineBytes: ingress.maximumLineBytes, onWait: onWait)
        parser = ActionParser(wrap: ingress.wrap)
        admission = ingress.admitsAll ? nil : Admission(ingress)
    }

    /// The next line or event; waits for input when there is none.
    ///
    /// Let go of the action before the next call, unless it is to be kept: its memory then serves the next one.
    ///
    /// - Throws: when the input cannot be read.
    mutating func next() throws(IngressError) -> Event {
        switch try reader.next() {
        case .line(let line):
            lines += 1
            return take(lines == 1 ? line.withoutByteOrderMark : line)
        case .tooLong(let line, let bytes):
            lines += 1
            return reject(
                ActionRejection(
                    line: line, column: 1, reason: .tooLong(bytes: bytes, limit: ingress.maximumLineBytes)))
        case .interrupted:
            return .interrupted
        case .end:
            if reader.unfinishedBytes > 0 {
                reports.send(
                    .unfinishedLine(input: name, line: lines + 1, bytes: reader.unfinishedBytes))
            }
            return .end
        }
    }

    /// Reads nothing more; the lines that were read are still handed out.
    mutating func stop() { reader.stop() }

    /// The last line, as the source of its action.
    var source: ActionSource { start.at(line: UInt(lines)) }

    // MARK: - Implementation details

    /// Turns a line into an action.
    private mutating func take(_ line: InputLine) -> Event {
        switch parser.parse(line) {
        case .action(let action):
            if let reason = admission?.objection(to: action.type) { return refuse(action.type, reason) }
            return .action(action, text(of: line))
        case .hostAction(let action):
            if let reason = objection(toHostAction: action.type) { return refuse(action.type, reason) }
            return .action(action, text(of: line))
        case .blank:
            blank += 1
            return .nothing
        case .rejected(let rejection):
            return reject(rejection)
        }
    }

    /// The text of the line in hand; of a long one nothing is kept but what its action holds.
    private mutating func text(of line: InputLine) -> ActionText {
        var bytes = unsafe line.bytes
        if bytes.count > ActionText.longestReadWhole {
            reader.release()
            unsafe bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe ActionText(bytes: bytes, isPayload: ingress.wrap != nil)
    }

    /// Counts a line whose action may not come in and reports it.
    private mutating func refuse(_ type: ActionType, _ reason: String) -> Event {
        refused += 1
        reports.send(.refusedInput(source: source, type: type.name, reason: reason))
        return .nothing
    }

    /// Counts a line that is no action and reports it.
    private mutating func reject(_ rejection: ActionRejection) -> Event {
        rejected += 1
        reports.send(
            .rejectedLine(
                input: name, line: rejection.line, column: rejection.column,
                reason: rejection.reason.description))
        return .nothing
    }

    /// Why input may not carry a type of the host, nil when it may.
    private func objection(toHostAction type: ActionType) -> String? {
        guard HostActions.all.contains(type) else {
            // A mistyped name would otherwise pass as an action that nobody hears.
            return "there is no such host action; expected "
                + Quotation.choice(of: HostActions.all.map(\.name))
        }
        return ingress.objection(to: type.name)
    }
}
