// SPDX-License-Identifier: Apache-2.0

package import GatehouseControl
internal import GatehouseSupport

/// A request to a child to try a candidate on the past, against the generation that the journal has last.
package struct TrialRequest: Equatable, Sendable, ChildMessage {
    /// Where to find the candidate's configuration, and the journal.
    package let source: HistorySource
    /// The file of the child's flight recorder.
    package let flightRecorder: Int32
    /// What to do.
    package let work: Work

    /// What a child is asked for.
    package enum Work: Equatable, Sendable, Codable {
        /// A trial on the past.
        case trial(Terms)
        /// A shadow of the configuration that hears what is recorded.
        case shadow(Listening)
    }

    /// What is tried, and how.
    package struct Terms: Equatable, Sendable, Codable {
        /// The path of a library that replaces those with its plugin id; nil for none.
        package let library: String?
        /// The part of the past to go over.
        package let extent: TrialExtent
        /// Whether instructions may be counted.
        package let countsInstructions: Bool
        /// Whether both sides work at the same time.
        package let isParallel: Bool
    }

    /// A shadow, and from where on it hears.
    package struct Listening: Equatable, Sendable, Codable {
        /// The id of the shadow.
        package let shadow: String
        /// The last action before the generation that it belongs to.
        package let sequence: UInt64
        /// What the comparison has led to before, which goes on; nil for a new one.
        package let account: ShadowAccount?
    }
}
