// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
internal import GatehouseValue

/// What must hold between the entries of one file: unique ids, explicit slices apart from each other.
struct InstanceRules {
    /// For each id the line of the first entry that has it.
    private var lines: [String: Int] = [:]
    /// The explicit slices so far.
    private var slices = SliceOwners()

    /// Compares an entry with all before it, and remembers it.
    mutating func check(_ instance: InstanceConfiguration, _ entry: LocatedNode) {
        let members = entry.object
        if let id = members?[InstanceConfiguration.Key.id.rawValue] {
            if let first = lines[instance.id] {
                id.report(
                    "the id \(Quotation.of(instance.id)) is taken by the entry on line \(first); give each instance an id of its own"
                )
            } else {
                lines[instance.id] = id.value.position.line
            }
        }
        guard let slice = instance.lift.state,
            let written = members?[InstanceConfiguration.Key.lift.rawValue]?
                .object?[LiftConfiguration.Key.state.rawValue]
        else { return }
        if let earlier = slices.rival(of: slice) {
            written.report(
                "the slice \(Quotation.of("\(slice)")) overlaps \(Quotation.of("\(earlier.slice)")) of \(Quotation.of(earlier.id)) on line \(earlier.line); give each instance a place of its own"
            )
        }
        slices.add(SliceOwners.Claim(slice: slice, id: instance.id, line: written.value.position.line))
    }

    /// Refuses a former id that an entry of the file still has, or that another entry had as well.
    ///
    /// - Parameter successors: the ids of the entries before, by their former ids.
    static func checkFormerID(
        of instance: InstanceConfiguration, _ entry: LocatedNode, among ids: Set<String>,
        _ successors: inout [String: String]
    ) {
        guard let was = instance.was else { return }
        let sentence: String
        if was == instance.id {
            sentence = "\(Quotation.of(was)) is the id that it has"
        } else if ids.contains(was) {
            sentence = "\(Quotation.of(was)) is the id of another entry, which keeps its state"
        } else if let other = successors[was] {
            sentence = "the state of \(Quotation.of(was)) goes to \(Quotation.of(other)) already"
        } else {
            successors[was] = instance.id
            return
        }
        entry.object?[InstanceConfiguration.Key.was.rawValue]?.report("\(sentence); remove \"was\"")
    }
}
