// SPDX-License-Identifier: Apache-2.0

private import CLinux

/// How a child that tries plugins has ended.
enum RehearsalEnd: Equatable, Sendable {
    /// It has tried everything.
    case finished
    /// A signal ended it.
    case signal(Int32)
    /// Something called `exit`, with this status.
    case exit(Int32)
    /// It did not come back from a step within so long.
    case hung(Duration)
    /// It tells nothing any more, although it goes on: somebody closed what it tells through.
    case silent
    /// The host is asked to end, and has ended it.
    case stopped

    /// What happened, as the end of "in a rehearsal it …"; nil where nothing did.
    var text: String? {
        switch self {
        case .finished, .stopped: nil
        case .signal(let number): "died by \(Self.name(of: number))"
        case .exit(let status): "called exit(\(status))"
        case .hung(let limit): "did not come back within \(Self.seconds(limit))"
        case .silent: "closed descriptors that it had not opened"
        }
    }

    /// What an author or an operator can do about it.
    var advice: String {
        switch self {
        case .hung: "correct the plugin, or allow more time with \"limits\"/\"rehearsal\""
        default: "correct the plugin"
        }
    }

    /// A signal's name, such as SIGILL.
    private static func name(of number: Int32) -> String {
        guard let name = unsafe gatehouse_signal_name(number) else { return "signal \(number)" }
        return unsafe "SIG" + String(cString: name)
    }

    /// A time, such as `10 s`.
    private static func seconds(_ time: Duration) -> String {
        let number = time / .seconds(1)
        return (number == number.rounded() ? "\(Int(number))" : "\(number)") + " s"
    }
}

extension LoadingStep {
    /// When, as the end of a sentence.
    func text(for instance: String?) -> String {
        switch self {
        case .load: "while it was loaded, in code that runs before its entry"
        case .entry: "in its entry"
        case .names: "when it was asked which actions it knows"
        case .parts: "while the parts of the instance \(instance ?? "") were made"
        case .state: "while the state of the instance \(instance ?? "") was written and read again"
        case .handover: "while the state of the instance \(instance ?? "") was taken over"
        case .end: "when it was let go of, as at the end of a run"
        }
    }
}
