// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK

/// `gatehouse inspect`: describes a file without running it.
struct InspectCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Prints the description; returns whether the file would be accepted.
    func run() -> ExitCode {
        do {
            let inspection = try LibraryInspection(path: options.operands[0])
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
            return .usage.because(reason)
        }
    }
}
