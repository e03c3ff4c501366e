// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// An event that a child reports to the host during a check: one line each.
enum ValidationEvent: Equatable, Sendable, ChildMessage {
    /// The next step, as the end of "it died …".
    case step(String)
    /// Actions that the plugin accepts.
    case examples([ExampleAction])
    /// What it makes of its sample actions in a host.
    case answers(SampleAnswers)
    /// The diagnostic.
    case diagnostic(CheckDiagnostic)
    /// The request is complete.
    case end

    /// The line, without its ending; contains no line feed.
    var line: String { self == .end ? HostChild.lastLine : json }

    /// Reads a line; nil for one that no such child writes.
    init?(line: some StringProtocol) {
        if line == HostChild.lastLine { self = .end } else { self.init(json: line) }
    }
}
