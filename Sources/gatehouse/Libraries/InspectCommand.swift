// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK

/// `gatehouse inspect`: describes a file without running it.
struct InspectCommand {
    /// The file to describe, and the form of the description.
    let options: InspectOptions

    /// Prints the description; returns whether the file would be accepted.
    func run() -> ExitCode {
        do {
            let inspection = try LibraryInspection(path: options.file)
            if options.isJSON {
                Results.write(inspection.value)
            } else {
                Results.write(inspection.text)
            }
            return inspection.verdict.isAccepted ? .success : .pluginRefused
        } catch {
            let reason: String =
                switch error {
                case .notARegularFile(let path): "\(path): not a plain file; name a library file"
                case .missing: "\(error); name a library file"
                default: "\(error)"
                }
            StandardError.writeLine("gatehouse: " + reason)
            return .usage
        }
    }
}
