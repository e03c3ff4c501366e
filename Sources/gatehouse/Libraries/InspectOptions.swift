// SPDX-License-Identifier: Apache-2.0

/// The options of `gatehouse inspect`.
struct InspectOptions: Equatable {
    /// The file to describe.
    var file: String
    /// Whether the description is for programs.
    var isJSON = false

    /// A file, described for people.
    init(file: String) { self.file = file }

    /// Parses the arguments after `inspect`: one file, and options before or after it.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.inspect)
        self.init(file: options.operands.first ?? "")
        isJSON = options["--json"] != nil
    }
}
