// SPDX-License-Identifier: Apache-2.0

/// How a child that runs code of plugins has ended.
package enum ChildEnd: Equatable, Sendable {
    /// The child has done everything.
    case finished
    /// A signal ended it.
    case signal(Int32)
    /// Something called `exit`, with this status.
    case exit(Int32)
    /// It did not come back within so long.
    case hung(Duration)
    /// It took more memory than this, in bytes.
    case grown(Int)
    /// The kernel ended it, because it reached the limit of its control group, in bytes.
    case outgrown(Int)
    /// The kernel ended it for want of memory elsewhere than in its control group.
    case starved
    /// It tells nothing any more, although it goes on: somebody closed what it tells through.
    case silent
    /// Its program speaks another protocol than this one, with this number, or names none; it was ended.
    case stranger(Int?)
    /// The host is asked to end, and has ended it.
    case stopped

    /// What happened, as the end of "it …"; nil where nothing did.
    package var text: String? {
        switch self {
        case .finished, .stopped: nil
        case .signal(let number): "died by \(SignalName.of(number))"
        case .exit(let status): "called exit(\(status))"
        case .hung(let limit): "did not return within \(limit.inSeconds)"
        case .grown(let limit): "took more than \(limit >> 20) MiB of memory"
        case .outgrown(let limit):
            "took more memory than the \(limit >> 20) MiB of its control group (\"limits\"/\"memory\")"
        case .starved: "died by SIGKILL for want of memory outside of its control group"
        case .silent: "closed descriptors that it did not open"
        case .stranger(let number): ChildProtocol.difference(from: number)
        }
    }
}
