// SPDX-License-Identifier: Apache-2.0

/// What an entry of the dynamic section is about; unknown numbers are kept.
///
/// Each constant has the name of its C constant without `DT_`, in Swift's spelling; `description` gives the C name.
struct DynamicTag: RawRepresentable, Hashable {
    /// The number as written in the file; the corresponding field is `d_tag`.
    let rawValue: UInt64

    /// The name of a needed library.
    static let needed = DynamicTag(rawValue: 1)
    /// The size of the relocations of functions.
    static let pltRelSize = DynamicTag(rawValue: 2)
    /// The table of functions.
    static let pltGOT = DynamicTag(rawValue: 3)
    /// The older hash table.
    static let hash = DynamicTag(rawValue: 4)
    /// The texts.
    static let strTab = DynamicTag(rawValue: 5)
    /// The symbols.
    static let symTab = DynamicTag(rawValue: 6)
    /// The relocations.
    static let rela = DynamicTag(rawValue: 7)
    /// The size of the relocations.
    static let relaSize = DynamicTag(rawValue: 8)
    /// The size of one relocation.
    static let relaEntry = DynamicTag(rawValue: 9)
    /// The size of the texts.
    static let strSize = DynamicTag(rawValue: 10)
    /// The size of one symbol.
    static let symEntry = DynamicTag(rawValue: 11)
    /// A function that runs first.
    static let initialize = DynamicTag(rawValue: 12)
    /// A function that runs last.
    static let finish = DynamicTag(rawValue: 13)
    /// The library's own name.
    static let soname = DynamicTag(rawValue: 14)
    /// Search paths, also for what is needed further down.
    static let rpath = DynamicTag(rawValue: 15)
    /// Relocations without a number of their own.
    static let rel = DynamicTag(rawValue: 17)
    /// The form of the relocations of functions.
    static let pltRel = DynamicTag(rawValue: 20)
    /// Whether relocations change the code.
    static let textRel = DynamicTag(rawValue: 22)
    /// The relocations of functions.
    static let jmpRel = DynamicTag(rawValue: 23)
    /// Functions that run when the library is loaded.
    static let initArray = DynamicTag(rawValue: 25)
    /// Functions that run when the process ends.
    static let finiArray = DynamicTag(rawValue: 26)
    /// The size of the functions that run when the library is loaded.
    static let initArraySize = DynamicTag(rawValue: 27)
    /// The size of the functions that run when the process ends.
    static let finiArraySize = DynamicTag(rawValue: 28)
    /// Search paths for the library's own needs.
    static let runpath = DynamicTag(rawValue: 29)
    /// Bits about loading.
    static let flags = DynamicTag(rawValue: 30)
    /// The size of the packed relocations.
    static let relrSize = DynamicTag(rawValue: 35)
    /// The packed relocations.
    static let relr = DynamicTag(rawValue: 36)
    /// The size of one packed relocation.
    static let relrEntry = DynamicTag(rawValue: 37)
    /// The hash table.
    static let gnuHash = DynamicTag(rawValue: 0x6fff_fef5)
    /// The version of each symbol.
    static let verSym = DynamicTag(rawValue: 0x6fff_fff0)
    /// How many relocations at the start are relative.
    static let relaCount = DynamicTag(rawValue: 0x6fff_fff9)
    /// More bits about loading.
    static let flags1 = DynamicTag(rawValue: 0x6fff_fffb)
    /// The versions that the library offers.
    static let verDef = DynamicTag(rawValue: 0x6fff_fffc)
    /// How many versions the library offers.
    static let verDefCount = DynamicTag(rawValue: 0x6fff_fffd)
    /// The versions that the library wants of others.
    static let verNeed = DynamicTag(rawValue: 0x6fff_fffe)
    /// How many libraries it wants versions of.
    static let verNeedCount = DynamicTag(rawValue: 0x6fff_ffff)
    /// A library that may answer in place of this one.
    static let auxiliary = DynamicTag(rawValue: 0x7fff_fffd)
    /// A library that answers in place of this one.
    static let filter = DynamicTag(rawValue: 0x7fff_ffff)

    /// Whether a standard defines the number, or leaves it to systems and processors.
    var isKnown: Bool {
        switch rawValue {
        case 0...37, 0x6000_000d...0x7fff_ffff: true
        default: false
        }
    }
}

extension DynamicTag: CustomStringConvertible {
    /// The name of the C constant where messages need one, otherwise the number.
    var description: String {
        switch self {
        case .pltRelSize: "DT_PLTRELSZ"
        case .pltGOT: "DT_PLTGOT"
        case .hash: "DT_HASH"
        case .strTab: "DT_STRTAB"
        case .symTab: "DT_SYMTAB"
        case .rela: "DT_RELA"
        case .relaSize: "DT_RELASZ"
        case .relaEntry: "DT_RELAENT"
        case .strSize: "DT_STRSZ"
        case .symEntry: "DT_SYMENT"
        case .initialize: "DT_INIT"
        case .finish: "DT_FINI"
        case .rel: "DT_REL"
        case .pltRel: "DT_PLTREL"
        case .jmpRel: "DT_JMPREL"
        case .initArray: "DT_INIT_ARRAY"
        case .finiArray: "DT_FINI_ARRAY"
        case .initArraySize: "DT_INIT_ARRAYSZ"
        case .finiArraySize: "DT_FINI_ARRAYSZ"
        case .relrSize: "DT_RELRSZ"
        case .relr: "DT_RELR"
        case .relrEntry: "DT_RELRENT"
        case .gnuHash: "DT_GNU_HASH"
        case .verSym: "DT_VERSYM"
        case .relaCount: "DT_RELACOUNT"
        case .verDef: "DT_VERDEF"
        case .verDefCount: "DT_VERDEFNUM"
        case .verNeed: "DT_VERNEED"
        case .verNeedCount: "DT_VERNEEDNUM"
        case .auxiliary: "DT_AUXILIARY"
        case .filter: "DT_FILTER"
        default: "0x" + String(rawValue, radix: 16)
        }
    }
}
