// SPDX-License-Identifier: Apache-2.0

/// The tag of an entry of the dynamic section; unknown numbers are kept.
///
/// Each constant has the name of its C constant without `DT_`, in Swift's spelling; `description` gives the C name.
package struct DynamicTag: RawRepresentable, Hashable {
    /// The number as written in the file; the corresponding field is `d_tag`.
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The name of a needed library.
    static let needed = DynamicTag(rawValue: 1)
    /// The size of the relocations of functions.
    static let pltRelSize = DynamicTag(rawValue: 2)
    /// The older hash table.
    static let hash = DynamicTag(rawValue: 4)
    /// The address of the string table, `DT_STRTAB`.
    static let strTab = DynamicTag(rawValue: 5)
    /// The address of the symbols, `DT_SYMTAB`.
    static let symTab = DynamicTag(rawValue: 6)
    /// The address of the relocations with addends, `DT_RELA`.
    static let rela = DynamicTag(rawValue: 7)
    /// The size of the relocations.
    static let relaSize = DynamicTag(rawValue: 8)
    /// The size of one relocation.
    static let relaEntry = DynamicTag(rawValue: 9)
    /// The size of the string table.
    static let strSize = DynamicTag(rawValue: 10)
    /// The size of one symbol.
    static let symEntry = DynamicTag(rawValue: 11)
    /// The library's own name.
    static let soname = DynamicTag(rawValue: 14)
    /// Search paths, also for indirectly needed libraries.
    static let rpath = DynamicTag(rawValue: 15)
    /// The kind of the relocations of functions.
    static let pltRel = DynamicTag(rawValue: 20)
    /// Whether relocations modify the code.
    static let textRel = DynamicTag(rawValue: 22)
    /// The relocations of functions.
    static let jmpRel = DynamicTag(rawValue: 23)
    /// The functions that run when the library is loaded.
    static let initArray = DynamicTag(rawValue: 25)
    /// The functions that run when the process ends.
    static let finiArray = DynamicTag(rawValue: 26)
    /// The size of the array of functions run at load.
    static let initArraySize = DynamicTag(rawValue: 27)
    /// The size of the array of functions run at the end.
    static let finiArraySize = DynamicTag(rawValue: 28)
    /// Search paths for the library's own needs.
    static let runpath = DynamicTag(rawValue: 29)
    /// The size of the packed relocations.
    static let relrSize = DynamicTag(rawValue: 35)
    /// The size of one word of the packed relocations.
    static let relrEntry = DynamicTag(rawValue: 37)
    /// The number of relative relocations, which come first.
    static let relaCount = DynamicTag(rawValue: 0x6fff_fff9)
    /// The address of the packed relative relocations, `DT_RELR`.
    static let relr = DynamicTag(rawValue: 36)
    /// The flags for the loader, `DT_FLAGS`.
    static let flags = DynamicTag(rawValue: 30)
    /// The address of the hash table of symbols, `DT_GNU_HASH`.
    static let gnuHash = DynamicTag(rawValue: 0x6fff_fef5)
    /// The version of each symbol.
    static let verSym = DynamicTag(rawValue: 0x6fff_fff0)
    /// The versions that the library offers.
    static let verDef = DynamicTag(rawValue: 0x6fff_fffc)
    /// The versions that the library requires of others.
    static let verNeed = DynamicTag(rawValue: 0x6fff_fffe)
    /// More flags for the loader.
    static let flags1 = DynamicTag(rawValue: 0x6fff_fffb)
    /// A library that may answer instead of this one.
    static let auxiliary = DynamicTag(rawValue: 0x7fff_fffd)
    /// A library that answers instead of this one.
    static let filter = DynamicTag(rawValue: 0x7fff_ffff)
}

extension DynamicTag: CustomStringConvertible {
    /// The name of the C constant where messages need one, otherwise the number.
    package var description: String {
        switch self {
        case .strTab: "DT_STRTAB"
        case .strSize: "DT_STRSZ"
        case .symTab: "DT_SYMTAB"
        case .gnuHash: "DT_GNU_HASH"
        case .auxiliary: "DT_AUXILIARY"
        case .filter: "DT_FILTER"
        default: "0x" + String(rawValue, radix: 16)
        }
    }
}
