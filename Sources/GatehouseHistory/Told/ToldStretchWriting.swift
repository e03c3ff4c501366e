// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Writes told lines into a journal, as the host would have that did what they tell; used from one thread.
///
/// After the first wrong line nothing more is written, and the others are only looked at.
struct ToldStretchWriting: ~Copyable {
    /// The name of the input.
    private let input: String
    /// Writes the journal.
    private let writer: JournalWriter
    /// The time that this writer is told, in seconds since 1970.
    private let clock: Clock
    /// Parses actions.
    private var lines = RecordedLines()
    /// The actions that are not handed over yet, all written at one time.
    private var batch = JournalBatch(generation: 1, firstSequence: 1)
    /// That time; nil before the first action.
    private var time: Double?
    /// The new number of each action of the past by its old one.
    private var numbers: [UInt64: UInt64] = [:]
    /// The same of inputs.
    private var inputNumbers: [UInt64: UInt64] = [:]
    /// The number of the last action.
    private var sequence: UInt64 = 0
    /// How many actions there are.
    private(set) var count = 0
    /// The number of the last input.
    private var inputs: UInt64 = 0
    /// Whether every line so far tells an action of the past.
    private var isRecorded = true
    /// The sentences about the first wrong lines.
    private var sentences: [String] = []
    /// How many lines are wrong.
    private var wrong = 0

    /// How many wrong lines are told.
    private static let most = 20
    /// How many actions are handed over at once.
    private static let batchSize = 1_024

    /// The time that a writer is told; callable from any thread.
    private final class Clock: Sendable {
        /// In seconds since 1970.
        private let time = Mutex(0.0)

        /// The time.
        var now: Double {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }
    }

    /// Makes an empty journal, or one that begins with a state from after an action.
    init(folder: String, input: String, from state: SavedState? = nil, behind sequence: UInt64 = 0)
        throws(JournalFailure)
    {
        self.input = input
        let clock = Clock()
        var options = JournalWriter.Options(mode: .relaxed)
        options.window = 0
        options.clock = { clock.now }
        options.firstAction = sequence + 1
        writer = try JournalWriter(folder: folder, options)
        self.clock = clock
        guard let state else { return }
        writer.write(JournalSnapshot(sequence: sequence, generation: 1) { state })
        self.sequence = sequence
        batch = JournalBatch(generation: 1, firstSequence: sequence + 1)
    }

    // MARK: - Lines

    /// Takes a line without its end.
    mutating func take(_ bytes: [UInt8], _ number: Int) {
        let isLikelyRecord = bytes.starts(with: Array(#"{"sequence":"#.utf8))
        let outcome = isLikelyRecord ? nil : lines.outcome(bytes, number: number)
        switch outcome {
        case .blank: return
        case .action, .hostAction: return append(bytes, number)
        case .rejected, .refused, nil: break
        }
        do {
            let told = try JSONText.parse(bytes)
            if let record = try ToldRecord(told) { return append(record, number) }
        } catch let failure as CodingFailure {
            return refuse(
                number, "expected \(failure.expected) at \(failure.pointer), found \(failure.found)")
        } catch {
            // The parser of actions knows better what is wrong.
        }
        guard case .rejected(let rejection) = outcome ?? lines.outcome(bytes, number: number) else {
            return refuse(number, "expected an action, or one that gatehouse history --json tells")
        }
        refuse("\(input):\(rejection)")
    }

    /// Takes an action that came in at a time, in seconds since 1970.
    mutating func take(_ action: [UInt8], at time: Double) {
        begin(at: time)
        append(
            input: action, ActionSource(file: input, function: "", line: UInt(sequence + 1), info: nil),
            time: nil)
    }

    /// Refuses a line that is longer than an input may have.
    mutating func refuse(line: Int, bytes: Int) {
        let limit = LineReader.defaultMaximumLineBytes
        refuse(line, "expected at most \(limit) bytes in a line, found \(bytes)")
    }

    /// Refuses a line for a reason.
    private mutating func refuse(_ line: Int, _ reason: String) { refuse("\(input):\(line): \(reason)") }

    /// Counts a wrong line, and keeps its sentence while there are few.
    private mutating func refuse(_ sentence: String) {
        wrong += 1
        if sentences.count < Self.most { sentences.append(sentence) }
    }

    // MARK: - Actions

    /// Appends an action that came in as a line.
    private mutating func append(_ line: [UInt8], _ number: Int) {
        isRecorded = false
        begin(at: time ?? JournalWriter.now())
        let source = ActionSource(file: input, function: "", line: UInt(number), info: nil)
        append(input: line, source, time: nil)
    }

    /// Appends an action of the past.
    private mutating func append(_ record: ToldRecord, _ number: Int) {
        if let misfit = record.misfit {
            return refuse(
                number,
                "expected a whole action, found one whose payload was not recorded (\(misfit)); remove the line to replay the others"
            )
        }
        let line = Array(record.action.json().utf8)
        switch lines.outcome(line, number: number) {
        case .action, .hostAction: break
        case .rejected(let rejection): return refuse(number, "action: \(rejection.reason)")
        case .blank, .refused: return refuse(number, "action: expected an action")
        }
        begin(at: record.time ?? time ?? JournalWriter.now())
        let source = ActionSource(
            file: record.file, function: "", line: record.line, info: record.instance)
        numbers[record.sequence] = sequence + 1
        if record.kind == .input {
            if let number = record.inputNumber { inputNumbers[number] = inputs + 1 }
            return append(input: line, source, time: record.toldTime)
        }
        let number =
            record.kind == .interception
            ? record.inputNumber.flatMap { inputNumbers[$0] } : record.cause.flatMap { numbers[$0] }
        let cause = ActionCause(record.kind, number ?? 0)
        batch.lines += line
        append(
            JournalEntry(
                action: nil, lineLength: line.count, source: source.caused(by: cause), time: record.toldTime))
    }

    /// Appends an input, which is done at once.
    private mutating func append(input line: [UInt8], _ source: ActionSource, time: Double?) {
        inputs += 1
        batch.inputs.append(JournalInput(number: inputs, source: source, line: line))
        batch.done.append(inputs)
        append(
            JournalEntry(action: nil, source: source.caused(by: ActionCause(.input, inputs)), time: time))
    }

    /// Appends an action, whose line is in the batch.
    private mutating func append(_ entry: JournalEntry) {
        sequence += 1
        count += 1
        batch.entries.append(entry)
        if batch.entries.count >= Self.batchSize { handOver() }
    }

    /// Has the next actions written at a time.
    private mutating func begin(at next: Double) {
        guard next != time else { return }
        handOver()
        time = next
        writer.between { [clock] in clock.now = next }
    }

    /// Hands over what waits, unless a line was wrong.
    private mutating func handOver() {
        var full = JournalBatch(generation: 1, firstSequence: sequence + 1)
        swap(&full, &batch)
        if wrong == 0, !full.isEmpty { writer.submit(full) }
    }

    // MARK: - The end

    /// Ends the journal before its time, in the place of `end`.
    func abandon() { writer.close() }

    /// Ends the journal, and tells whether every line was an action of the past.
    ///
    /// - Throws: what is wrong with the lines, or why they cannot be written.
    mutating func end() throws(ToldStretchFailure) -> Bool {
        handOver()
        writer.close()
        guard wrong == 0 else { throw .lines(sentences, more: wrong - sentences.count) }
        if let failure = writer.failure { throw .journal(failure) }
        return isRecorded
    }
}
