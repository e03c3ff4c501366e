// SPDX-License-Identifier: Apache-2.0

/// What the loader writes for a relocation.
enum RelocationKind {
    /// Nothing.
    case none
    /// The library's own address plus a number.
    case relative
    /// What a function returns whose address is the library's own plus a number.
    case indirect
    /// The address of a symbol.
    case symbol
    /// The address of a symbol plus a number.
    case symbolWithAddend
    /// Something about thread-local storage, `words` words of 8 bytes.
    case threadLocal(words: UInt64)

    /// The meaning of a number in libraries for a machine; nil for one that no position-independent library has.
    init?(_ number: UInt32, on machine: ELFMachine) {
        switch (machine, number) {
        case (_, 0): self = .none
        case (.x86_64, 1), (.aarch64, 257): self = .symbolWithAddend
        case (.x86_64, 6), (.x86_64, 7), (.aarch64, 1_025), (.aarch64, 1_026): self = .symbol
        case (.x86_64, 8), (.aarch64, 1_027): self = .relative
        case (.x86_64, 37), (.aarch64, 1_032): self = .indirect
        case (.x86_64, 16...18), (.aarch64, 1_028...1_030): self = .threadLocal(words: 1)
        case (.x86_64, 36), (.aarch64, 1_031): self = .threadLocal(words: 2)
        default: return nil
        }
    }

    /// The number of bytes that are written.
    var size: UInt64 {
        switch self {
        case .none: 0
        case .threadLocal(let words): words * 8
        default: 8
        }
    }

    /// Whether the numbers of a machine are known.
    static func isKnown(_ machine: ELFMachine) -> Bool { machine == .x86_64 || machine == .aarch64 }
}
