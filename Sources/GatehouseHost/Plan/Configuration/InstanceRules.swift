// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

/// What must hold between the entries of one file: unique ids, explicit slices apart from each other.
struct InstanceRules {
    /// Where the problems go.
    private let log: ProblemLog
    /// For each id the line of the first entry that has it.
    private var lines: [String: Int] = [:]
    /// The explicit slices so far.
    private var slices = SliceOwners()

    /// Rules for a file of which no entry was looked at.
    init(log: ProblemLog) {
        self.log = log
    }

    /// Compares an entry with all before it, and remembers it.
    mutating func check(_ instance: InstanceConfiguration, at place: ConfigurationPlace) {
        let idPart = JSONPointer(tokens: [InstanceConfiguration.Key.id.rawValue])
        let line = place.position(of: idPart).line
        if let first = lines[instance.id] {
            log.report(place.problem(at: idPart, .duplicateIdentifier(instance.id, firstLine: first)))
        } else {
            lines[instance.id] = line
        }
        guard let slice = instance.lift.state else { return }
        let part = JSONPointer(
            tokens: [InstanceConfiguration.Key.lift.rawValue, LiftConfiguration.Key.state.rawValue])
        let claim = SliceOwners.Claim(slice: slice, id: instance.id, line: place.position(of: part).line)
        if let earlier = slices.add(claim) {
            log.report(
                place.problem(
                    at: part,
                    .overlappingSlice(slice, with: earlier.slice, of: earlier.id, line: earlier.line)))
        }
    }
}
