// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// The line of input whose action is being dispatched, to find the column that a payload's error is in.
///
/// `@unchecked Sendable`: `line` is touched only by the thread whose number is in `reader`, the one that reads the
/// input; every other thread compares the number and leaves. The bytes are valid while that thread dispatches the line.
final class CurrentLine: @unchecked Sendable {
    /// The number of the thread that set a line, 0 before.
    private let reader = Atomic<UInt>(0)
    /// The line in hand, nil between lines.
    private var line: InputLine?

    /// No line yet.
    init() {}

    /// Sets the line; called by the thread that reads the input.
    func set(_ line: InputLine?) {
        reader.store(Drain.thread, ordering: .relaxed)
        self.line = line
    }

    /// The report with the column of the value that does not fit, when it is about the line in hand.
    func locating(_ report: HostReport) -> HostReport {
        guard reader.load(ordering: .relaxed) == Drain.thread, let line,
            case .undecodable(let source, nil, let type, let instance, let failure) = report,
            source.info == nil, source.line == UInt(line.number),
            let text = unsafe try? JSONText.parseLocated([UInt8](line.bytes))
        else { return report }
        var value = text
        for token in ["payload"] + failure.pointer.tokens {
            guard let next = value.child(token) else { break }
            value = next
        }
        return .undecodable(
            source: source, column: value.position.column, type: type, instance: instance, failure: failure)
    }
}

extension LocatedValue {
    /// The member or element that a pointer token names.
    fileprivate func child(_ token: String) -> LocatedValue? {
        switch content {
        case .object(let members): return members.last { $0.key == token }?.value
        case .array(let elements):
            guard let index = Int(token), elements.indices.contains(index) else { return nil }
            return elements[index]
        default: return nil
        }
    }
}
