// SPDX-License-Identifier: Apache-2.0

/// The instruction set of an ELF file.
///
/// The corresponding field of the ELF header is `e_machine`; unknown numbers are kept.
package struct ELFMachine: RawRepresentable, Hashable, Sendable {
    /// The number as written in the file.
    package let rawValue: UInt16

    /// Wraps any number, known or not.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The corresponding C constant is `EM_386`.
    static let i386 = ELFMachine(rawValue: 3)
    /// The corresponding C constant is `EM_PPC64`.
    static let powerPC64 = ELFMachine(rawValue: 21)
    /// The corresponding C constant is `EM_S390`.
    static let s390 = ELFMachine(rawValue: 22)
    /// The corresponding C constant is `EM_ARM`.
    static let arm = ELFMachine(rawValue: 40)
    /// The corresponding C constant is `EM_X86_64`.
    static let x86_64 = ELFMachine(rawValue: 62)
    /// The corresponding C constant is `EM_AARCH64`.
    static let aarch64 = ELFMachine(rawValue: 183)
    /// The corresponding C constant is `EM_RISCV`.
    static let riscv = ELFMachine(rawValue: 243)
    /// The corresponding C constant is `EM_LOONGARCH`.
    static let loongArch = ELFMachine(rawValue: 258)

    /// The machine that this code was compiled for; nil where no constant names it.
    static var current: ELFMachine? {
        #if arch(x86_64)
            .x86_64
        #elseif arch(arm64)
            .aarch64
        #elseif arch(riscv64)
            .riscv
        #elseif arch(powerpc64le)
            .powerPC64
        #elseif arch(s390x)
            .s390
        #else
            nil
        #endif
    }
}

extension ELFMachine: CustomStringConvertible {
    /// The name as target triples spell it, or `machine 0x…` for an unknown number.
    package var description: String {
        switch self {
        case .i386: "i386"
        case .powerPC64: "powerpc64"
        case .s390: "s390x"
        case .arm: "arm"
        case .x86_64: "x86_64"
        case .aarch64: "aarch64"
        case .riscv: "riscv64"
        case .loongArch: "loongarch64"
        default: "machine 0x" + String(rawValue, radix: 16)
        }
    }
}
