// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// What a worker has to tell besides what its instance emits: lines of its log, its health, what does not fit, and dead letters.
///
/// Callable from any thread.
package final class WorkerNotes: DeadLetterStore, Sendable {
    /// What is told of one thing; the raw values stand in the messages.
    enum Kind: UInt8 {
        /// A line of the log.
        case log
        /// The instance is failing, or no longer is.
        case health
        /// A payload does not fit.
        case undecodable
        /// A state does not fit.
        case unusableState
        /// An output has no wire form.
        case unwritable
        /// An action was not done.
        case failed
        /// A number is not kept.
        case refusedNumber
        /// Anything else, as a sentence.
        case sentence
        /// A dead letter.
        case letter
    }

    /// The frames.
    private let frames = Mutex(FrameWriter())
    /// Called when there is something after there was nothing.
    private let onArrival: @Sendable () -> Void

    /// No notes.
    init(onArrival: @escaping @Sendable () -> Void) { self.onArrival = onArrival }

    /// Whether there is none.
    var isEmpty: Bool { frames.withLock { $0.bytes.isEmpty } }

    /// Takes all frames.
    func takeFrames() -> [UInt8] {
        frames.withLock { frames in
            defer { frames = FrameWriter() }
            return frames.bytes
        }
    }

    package func bury(_ letter: DeadLetter) {
        guard let value = try? Value(encoding: letter) else { return }
        add(.letter) { $0.put(value) }
    }

    package func remove(deadLetters: [Int64]) {}

    /// Adds what is reported of the instance.
    func add(_ report: HostReport) {
        switch report {
        case .log(let level, _, let line):
            add(.log) {
                $0.put(level.rawValue)
                $0.put(line)
            }
        case .health(let health, _):
            add(.health) {
                if case .failing(let reason) = health {
                    $0.put(optional: reason)
                } else {
                    $0.put(optional: nil)
                }
            }
        case .undecodable(let source, _, let type, _, let failure):
            add(.undecodable) { $0.put(source, type, failure) }
        case .unusableState(let source, let type, _, let failure):
            add(.unusableState) { $0.put(source, type, failure) }
        case .unwritable(_, let failure): add(.unwritable) { $0.put(failure) }
        case .failed(let action, _, let reason):
            add(.failed) {
                $0.put(action)
                $0.put(reason)
            }
        case .refusedNumber(_, let name, let reason):
            add(.refusedNumber) {
                $0.put(name)
                $0.put(reason)
            }
        default: add(.sentence) { $0.put("\(report)") }
        }
    }

    /// Adds a frame.
    private func add(_ kind: Kind, _ body: (inout FrameWriter) -> Void) {
        let isFirst = frames.withLock { frames in
            let isFirst = frames.bytes.isEmpty
            frames.begin(WorkerNews.report.rawValue)
            frames.put(kind.rawValue)
            body(&frames)
            frames.end()
            return isFirst
        }
        if isFirst { onArrival() }
    }
}

extension FrameWriter {
    /// Adds what does not fit, and where it came from.
    fileprivate mutating func put(_ source: ActionSource, _ type: String, _ failure: CodingFailure) {
        put(source)
        put(UInt64(source.line))
        put(type)
        put(failure)
    }
}

extension WorkerNotes {
    /// What is told to the host.
    package enum Note: Sendable {
        /// Something that is told to people.
        case report(HostReport)
        /// An action that came to nothing.
        case letter(DeadLetter)
    }

    /// Reads a note about an instance.
    ///
    /// - Parameter global: gives the global type of one that has the prefix of the instance.
    static func read(_ frame: inout Frame, of instance: String, _ global: (String) -> String)
        throws(FrameFailure) -> Note
    {
        switch Kind(rawValue: try frame.number()) {
        case .log:
            guard let level = PluginLog.Level(rawValue: try frame.text()) else { throw .badNumber("a level") }
            return .report(.log(level, instance: instance, line: try frame.text()))
        case .health:
            return .report(.health(try frame.optionalText().map { .failing($0) } ?? .ok, instance: instance))
        case .undecodable:
            let (source, type, failure) = try frame.misfit()
            return .report(
                .undecodable(
                    source: source, column: nil, type: global(type), instance: instance, failure: failure))
        case .unusableState:
            let (source, type, failure) = try frame.misfit()
            return .report(
                .unusableState(source: source, type: global(type), instance: instance, failure: failure))
        case .unwritable: return .report(.unwritable(instance: instance, failure: try frame.failure()))
        case .failed:
            return .report(.failed(action: try frame.text(), instance: instance, reason: try frame.text()))
        case .refusedNumber:
            return .report(
                .refusedNumber(instance: instance, name: try frame.text(), reason: try frame.text()))
        case .sentence: return .report(.worker(instance: instance, try frame.text()))
        case .letter:
            let value = try frame.value()
            guard let letter = try? value.decode(DeadLetter.self) else { throw .badNumber("a dead letter") }
            return .letter(letter)
        case nil: throw .badNumber("a kind of note")
        }
    }
}

extension Frame {
    /// Takes what does not fit, and where it came from.
    fileprivate mutating func misfit() throws(FrameFailure) -> (ActionSource, String, CodingFailure) {
        let source = try source().at(line: UInt(try number(UInt64.self)))
        return (source, try text(), try failure())
    }
}
