// SPDX-License-Identifier: Apache-2.0

/// The instances that one action type concerns, or all types below a pattern that have no route of their own.
public struct PlannedRoute: Sendable {
    /// One instance on the way.
    public struct Stop: Sendable {
        /// Its place in the chain, from 1.
        public let place: Int
        /// The instance.
        public let instance: PlannedInstance
        /// The local name or pattern that it hears; nil when only its gate is concerned.
        public let local: String?
        /// Whether the type may move its gate.
        public let isControl: Bool
        /// Whether it may change or stop the action before anybody's middleware sees it.
        public let intercepts: Bool
    }

    /// The type, or a pattern.
    public let type: String
    /// The instances concerned, in chain order.
    public let stops: [Stop]
    /// The instances that declare to emit it, in chain order.
    public let senders: [PlannedInstance]
}
