// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport

/// An event that a child reports to the host during a rehearsal: one JSON object a line, and a word at the end; images and instances
/// by number in the request.
enum RehearsalEvent: Equatable, Sendable, ChildMessage {
    /// A step begins, for an instance or for the image as a whole.
    case step(LoadingStep, image: Int, instance: Int?)
    /// An objection, to an instance or to the image as a whole.
    case objection(RehearsalObjection, image: Int, instance: Int?)
    /// An image is finished.
    case done(image: Int)
    /// The request is finished.
    case end

    /// The event as it is told.
    var line: String { self == .end ? HostChild.lastLine : json }

    /// Reads an event; nil for a line that no rehearsal tells.
    init?(line: some StringProtocol) {
        if line == HostChild.lastLine { self = .end } else { self.init(json: line) }
    }
}

/// An objection of a plugin itself, or a contradiction found in it, during a rehearsal.
enum RehearsalObjection: Equatable, Sendable, Codable {
    /// The settings of an instance do not fit, as a `CodingFailure` says.
    case settings(pointer: JSONPointer, expected: String, found: String)
    /// Anything else, in one sentence or several.
    case reasons([String])
}
