// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
package import GatehouseSDK
internal import GatehouseSupport

/// Where the slice of an instance in quarantine stands, and what the instance has missed since.
///
/// The missed actions are found again in the journal: those of the types that the instance hears, in the spans in which its gate
/// was open.
package struct Standing: Equatable, Sendable {
    /// The most spans that are remembered.
    package static let mostSpans = 10_000

    /// The last action that the slice has seen; 0 for none.
    package let at: UInt64
    /// The actions that its gate has let pass since then.
    package private(set) var missed: Int
    /// The missed actions lie in these, each of which begins and ends with one; nil when the gate has moved too often for all to be
    /// remembered.
    package private(set) var open: [ClosedRange<UInt64>]?
    /// Whether the gate has been open since the last missed action.
    private var goesOn = false

    /// An instance that stands where an action left it, and may have missed some already.
    package init(at: UInt64, missed: Int = 0, open: [ClosedRange<UInt64>]? = []) {
        self.at = at
        self.missed = missed
        self.open = open
    }

    /// An instance that has missed nothing before an action; 0 for one without a number.
    package init(before sequence: UInt64) { self.init(at: max(sequence, 1) - 1) }

    /// Takes note of an action that would have come to the instance.
    package mutating func miss(_ sequence: UInt64) {
        missed += 1
        guard var spans = open.take() else { return }
        if goesOn, let last = spans.popLast() {
            spans.append(last.lowerBound...max(last.upperBound, sequence))
        } else {
            guard spans.count < Self.mostSpans else { return }
            goesOn = true
            spans.append(sequence...sequence)
        }
        open = spans
    }

    /// Takes note that the gate has moved, or hears other types from here on.
    package mutating func interrupt() { goesOn = false }

    /// Whether both stand at the same place and have missed the same.
    package static func == (one: Standing, other: Standing) -> Bool {
        one.at == other.at && one.missed == other.missed && one.open == other.open
    }
}

extension Standing {
    /// How operators are told of it: `stands at action 1,000, 37 missed`.
    ///
    /// - Parameter keepsState: whether there is a slice that could stand.
    package func words(keepsState: Bool) -> String {
        (keepsState ? "stands at action \(at.grouped), " : "") + "\(missed.grouped) missed"
    }

    /// The members for programs.
    package var members: Value { ["at": .unsigned(at), "missed": Value(missed)] }

    /// The standing as it goes from one run to the next.
    package var value: Value {
        var members: Members = ["at": .unsigned(at), "missed": Value(missed)]
        if let open {
            members["open"] = .array(open.map { [.unsigned($0.lowerBound), .unsigned($0.upperBound)] })
        }
        return .object(members)
    }

    /// Reads a standing; nil for what no host writes.
    package init?(_ value: Value) {
        guard let at = value["at"]?.wholeNumber, let missed = value["missed"]?.wholeNumber else { return nil }
        var open: [ClosedRange<UInt64>]?
        if let spans = value["open"] {
            guard case .array(let spans) = spans else { return nil }
            var read: [ClosedRange<UInt64>] = []
            for span in spans {
                guard case .array(let ends) = span, ends.count == 2, let first = ends[0].wholeNumber,
                    let last = ends[1].wholeNumber, first <= last
                else { return nil }
                read.append(first...last)
            }
            open = read
        }
        self.init(at: at, missed: Int(missed), open: open)
    }
}
