// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse pin`: prints what a configuration has to say to vouch for the libraries that nobody else vouches for.
struct PinCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Prints it, a line for each library; loads nothing.
    func run() throws(Ended) -> ExitCode {
        let plan = try options.file.plan()
        let wanted = options.operands
        let found = plan.unvouched.filter { wanted.isEmpty || wanted.contains($0.id) }
        for id in wanted where !found.contains(where: { $0.id == id }) {
            throw Ended(
                .usage,
                "\(Quotation.of(id)): no library that would run under this id waits for somebody to vouch for it; gatehouse list shows all"
            )
        }
        if options.isJSON {
            Results.write(.array(found.map(\.value)), .pretty)
        } else {
            for library in found { Results.writeLine(library.line) }
        }
        if found.isEmpty { StandardError.tell("somebody vouches for each library that would run") }
        return .success
    }
}

extension HostPlan.Unvouched {
    /// The line that pins it, after the place where it belongs.
    fileprivate var line: String {
        guard let place = entry?.place else {
            let members: Value = [
                "id": .string(id), "library": .string(library), "sha256": pins.value,
            ]
            return "add to \"plugins\": \(members.json())"
        }
        return "\(place.file):\(place.position(of: .whole)): add to \(id): \"sha256\": \(pins.value.json())"
    }

    /// The same for programs.
    fileprivate var value: Value {
        [
            "id": .string(id), "library": .string(library), "sha256": pins.value,
            "hasEntry": .bool(entry != nil),
        ]
    }
}
