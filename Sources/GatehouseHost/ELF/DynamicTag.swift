// SPDX-License-Identifier: Apache-2.0

/// What an entry of the dynamic section is about; unknown numbers are kept.
///
/// Each constant has the name of its C constant without `DT_`, in Swift's spelling.
struct DynamicTag: RawRepresentable, Hashable {
    /// The number as written in the file; the corresponding field is `d_tag`.
    let rawValue: UInt64

    static let needed = DynamicTag(rawValue: 1)
    static let pltRelSize = DynamicTag(rawValue: 2)
    static let pltGOT = DynamicTag(rawValue: 3)
    static let hash = DynamicTag(rawValue: 4)
    static let strTab = DynamicTag(rawValue: 5)
    static let symTab = DynamicTag(rawValue: 6)
    static let rela = DynamicTag(rawValue: 7)
    static let relaSize = DynamicTag(rawValue: 8)
    static let relaEntry = DynamicTag(rawValue: 9)
    static let strSize = DynamicTag(rawValue: 10)
    static let symEntry = DynamicTag(rawValue: 11)
    static let initialize = DynamicTag(rawValue: 12)
    static let finish = DynamicTag(rawValue: 13)
    static let soname = DynamicTag(rawValue: 14)
    static let rpath = DynamicTag(rawValue: 15)
    static let rel = DynamicTag(rawValue: 17)
    static let pltRel = DynamicTag(rawValue: 20)
    static let textRel = DynamicTag(rawValue: 22)
    static let jmpRel = DynamicTag(rawValue: 23)
    static let initArray = DynamicTag(rawValue: 25)
    static let finiArray = DynamicTag(rawValue: 26)
    static let initArraySize = DynamicTag(rawValue: 27)
    static let finiArraySize = DynamicTag(rawValue: 28)
    static let runpath = DynamicTag(rawValue: 29)
    static let flags = DynamicTag(rawValue: 30)
    static let relrSize = DynamicTag(rawValue: 35)
    static let relr = DynamicTag(rawValue: 36)
    static let relrEntry = DynamicTag(rawValue: 37)
    static let gnuHash = DynamicTag(rawValue: 0x6fff_fef5)
    static let verSym = DynamicTag(rawValue: 0x6fff_fff0)
    static let relaCount = DynamicTag(rawValue: 0x6fff_fff9)
    static let flags1 = DynamicTag(rawValue: 0x6fff_fffb)
    static let verDef = DynamicTag(rawValue: 0x6fff_fffc)
    static let verDefCount = DynamicTag(rawValue: 0x6fff_fffd)
    static let verNeed = DynamicTag(rawValue: 0x6fff_fffe)
    static let verNeedCount = DynamicTag(rawValue: 0x6fff_ffff)
    static let auxiliary = DynamicTag(rawValue: 0x7fff_fffd)
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
