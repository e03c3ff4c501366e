// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The options of `gatehouse state`.
struct StateOptions: Equatable {
    /// The path of the configuration whose plugins read the states.
    let config: String
    /// Where the journal is.
    let place: JournalPlace
    /// The action after which the state is wanted; nil for the last one.
    let sequence: UInt64?
    /// The place in the state to print.
    let pointer: JSONPointer

    /// Parses the arguments after `state`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.state)
        config = options["--config"] ?? "plugins.json"
        place = JournalPlace(options)
        if let text = options["--at"] {
            guard let sequence = UInt64(text) else {
                throw .malformedValue(
                    option: "--at", found: text, expected: "the number of an action, or 0 for the beginning")
            }
            self.sequence = sequence
        } else {
            sequence = nil
        }
        let text = options.operands.first ?? ""
        do {
            pointer = try JSONPointer(text)
        } catch {
            throw .malformedValue(
                option: "state", found: text, expected: "a JSON Pointer such as \"/orders/eu\"")
        }
    }
}
