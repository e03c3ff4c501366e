// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// Something that the loader accepts and the host refuses, with its remedy.
///
/// The person who linked the library can fix it. Flaws that would only end the process which loads it are not
/// looked for.
package struct ELFHazard: Equatable, Sendable, CustomStringConvertible {
    /// The part with the hazard.
    package let part: ELFPart
    /// The hazard in words.
    let found: String
    /// The remedy in words.
    let advice: String

    /// Part, hazard and remedy, in one sentence.
    package var description: String { "\(part): \(found); \(advice)" }

    /// All hazards of a library.
    static func all(
        in segments: [ProgramHeader], _ table: DynamicTable, _ symbols: [DynamicSymbol]
    ) -> [ELFHazard] {
        var hazards: [ELFHazard] = []
        // The first library of a process that defines one answers for all others, RTLD_LOCAL or not.
        let shared = symbols.filter { $0.isUnique && $0.isDefined }
        if let first = shared.first {
            hazards.append(
                ELFHazard(
                    part: .symbolTable,
                    found:
                        "has \(Quotation.bare(first.name))\(shared.count > 1 ? " and \(shared.count - 1) more" : "") as one for the whole process (STB_GNU_UNIQUE), which another library may already be",
                    advice: "compile everything in the library with -fno-gnu-unique"))
        }
        for load in segments where load.kind == .load && load.isWritable && load.isExecutable {
            hazards.append(
                ELFHazard(
                    part: .loadedSegment,
                    found: "memory at 0x\(String(load.address, radix: 16)) may be both written and run",
                    advice: "link the plugin without -z execstack, -N or a script that joins code and data"))
        }
        // Without a stack segment the loader makes the stack of every thread executable.
        if segments.first(where: { $0.kind == .stack })?.isExecutable ?? true {
            hazards.append(
                ELFHazard(
                    part: .stack, found: "asks for memory that may be both written and run",
                    advice: "link the plugin with -z noexecstack"))
        }
        for tag in [DynamicTag.auxiliary, .filter] where table[tag] != nil {
            hazards.append(
                ELFHazard(
                    part: .dynamicSection,
                    found: "\(tag) names a library that answers in this one's place",
                    advice: "link the plugin without it"))
        }
        // The loader would disable write protection of the code.
        if table[.textRel] != nil || (table[.flags] ?? 0) & 4 != 0 {
            hazards.append(
                ELFHazard(
                    part: .relocations, found: "change the code itself",
                    advice: "compile everything in the plugin with -fPIC"))
        }
        // DF_1_NOOPEN and DF_1_PIE: the loader refuses both with a less helpful message.
        if (table[.flags1] ?? 0) & 0x0800_0040 != 0 {
            hazards.append(
                ELFHazard(
                    part: .dynamicSection, found: "says that the file must not be loaded by a program",
                    advice: "build a dynamic library product"))
        }
        return hazards
    }
}
