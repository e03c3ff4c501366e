// SPDX-License-Identifier: Apache-2.0

/// The options of `gatehouse inspect`.
struct InspectOptions: Equatable {
    /// The file to describe.
    var file: String
    /// Whether the description is for programs.
    var isJSON = false

    /// A file, described for people.
    init(file: String) { self.file = file }

    /// Reads the arguments behind `inspect`: one file, and options before or behind it.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var files: [String] = []
        var rest: [String] = []
        var areOptionsOver = false
        for argument in arguments {
            if argument == "--", !areOptionsOver {
                areOptionsOver = true
            } else if argument.hasPrefix("--"), !areOptionsOver {
                rest.append(argument)
            } else {
                files.append(argument)
            }
        }
        let options = try OptionReader(rest, of: "inspect", options: [.flag("--json")])
        guard let file = files.first, !file.isEmpty else {
            throw .missingArgument("a library file", command: "inspect")
        }
        guard files.count == 1 else { throw .unexpectedArgument(files[1], command: "inspect") }
        self.init(file: file)
        isJSON = options["--json"] != nil
    }
}
