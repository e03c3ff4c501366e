// SPDX-License-Identifier: Apache-2.0

package import GatehouseControl
internal import GatehouseSupport

/// A request to a child to try a candidate on the past, against the generation that the journal has last.
package struct TrialRequest: Equatable, Sendable, ChildMessage {
    /// Where to find the candidate's configuration, and the journal.
    package let source: HistorySource
    /// The path of a library that replaces those with its plugin id; nil for none.
    package var library: String?
    /// The part of the past to go over.
    package let extent: TrialExtent
    /// The file of the child's flight recorder.
    package let flightRecorder: Int32
    /// Whether instructions may be counted.
    package var countsInstructions = true
}
