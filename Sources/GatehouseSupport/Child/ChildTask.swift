// SPDX-License-Identifier: Apache-2.0

/// What the one program is asked to do that runs code of plugins apart from a host: `gatehouse child`, the two words of
/// `ChildProtocol`, and the task.
///
/// A host starts it, and nobody else; what it works on stands on its standard input. The raw values are the words of the command. The
/// program of another version is asked to rehearse, probe and work; for the other tasks a host asks its own program.
package enum ChildTask: String, CaseIterable, Sendable {
    /// To try libraries and the instances that are to be made of them.
    case rehearse
    /// To check one thing of a plugin.
    case probe
    /// To try a configuration on the past.
    case replay
    /// To make a state of the past.
    case lookBack = "look-back"
    /// To let the reducers of a generation go over recorded actions.
    case reduce
    /// To let instances that were in quarantine reduce what they have missed.
    case catchUp = "catch-up"
    /// To run an instance in the host's place.
    case work
}
