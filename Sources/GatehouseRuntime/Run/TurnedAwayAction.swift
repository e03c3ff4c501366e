// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseSDK

/// An action that came to nothing at some place, or a line that is no action.
package struct TurnedAwayAction: Sendable {
    /// What became of it, in the words of dead letters where these have one.
    package enum Kind: String, Sendable {
        /// An interceptor stopped it, or the quarantine of its library did.
        case stopped
        /// Instances that would have heard it have closed gates; others may have taken it.
        case gated
        /// The line is no action.
        case rejected
        /// Input may not carry it.
        case refusedInput = "refused-input"
        /// The instance may not emit it.
        case refusedOutput = "refused-output"
        /// The host cannot do what it asks for.
        case refusedRequest = "refused-request"
        /// Its payload does not fit the instance that hears it; others may have taken it.
        case misfit
        /// It has ended the host too often.
        case setAside = "set-aside"
        /// It led to more outputs than the limits allow, of which some were dropped.
        case cut
    }

    /// What became of it.
    package let kind: Kind
    /// Its global type; nil for a line that is no action, and for what has only a local name.
    package let type: String?
    /// The action itself, under its global type; nil where only its type is known.
    package let action: AnyAction?
    /// The input that it came from; empty for an output.
    package let input: String
    /// The number of the line in the input.
    package let line: UInt
    /// The instance that emitted it; nil for input.
    package let emitter: String?
    /// The instance that it came to nothing at; nil for the host, and for several.
    package let instance: String?
    /// The instances that it came to nothing at, in chain order, where they are several; only closed gates keep it from so many.
    package let instances: [String]
    /// Why, in words.
    package let reason: String

    /// An action that an instance stopped.
    init(stopped action: AnyAction, from source: ActionSource, by instance: String, because reason: String) {
        self.init(.stopped, action.type.name, action, from: source, at: instance, because: reason)
    }

    /// An action that instances did not hear because of their gates, in chain order.
    init(gated action: AnyAction, from source: ActionSource, at instances: [String]) {
        let isOne = instances.count == 1
        self.init(
            .gated, action.type.name, action, from: source, at: isOne ? instances[0] : nil,
            among: isOne ? [] : instances, because: isOne ? Self.closedGate : "their gates are closed")
    }

    /// Why an instance does not hear an action whose gate is closed.
    static let closedGate = "its gate is closed"

    /// What a report tells of; nil for a report of something else.
    package init?(_ report: HostReport) {
        switch report {
        case .rejectedLine(let input, let line, _, let reason):
            let source = ActionSource(file: input, function: "", line: UInt(line), info: nil)
            self.init(.rejected, nil, from: source, because: reason)
        case .undecodable(let source, _, let type, let instance, let failure):
            self.init(
                .misfit, type, from: source, at: instance, because: "the payload does not fit: \(failure)")
        case .refusedInput(let source, let type, let reason):
            self.init(.refusedInput, type, from: source, because: reason)
        case .refusedHostAction(let source, let type, let reason):
            self.init(.refusedRequest, type, from: source, because: reason)
        case .setAside(let source, let type, let reason):
            self.init(.setAside, type, from: source, because: reason)
        case .cut(let cut):
            self.init(.cut, cut.type, from: cut.source, because: cut.sentence)
        case .refusedOutput(let instance, let type, let reason):
            self.init(.refusedOutput, type, by: instance, at: instance, because: reason)
        default: return nil
        }
    }

    /// Something from a source, or for an output from an instance.
    private init(
        _ kind: Kind, _ type: String?, _ action: AnyAction? = nil, from source: ActionSource? = nil,
        by instance: String? = nil, at place: String? = nil, among places: [String] = [],
        because reason: String
    ) {
        self.kind = kind
        self.type = type
        self.action = action
        self.reason = reason
        emitter = instance ?? source?.instance
        input = emitter == nil ? source?.file ?? "" : ""
        line = emitter == nil ? source?.line ?? 0 : 0
        self.instance = place
        instances = places
    }
}
