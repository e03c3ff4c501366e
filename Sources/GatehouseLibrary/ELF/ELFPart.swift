// SPDX-License-Identifier: Apache-2.0

/// The part of an ELF file that an error refers to.
package enum ELFPart: String, Sendable, CustomStringConvertible {
    /// The first 16 bytes: magic number, class, byte order, version.
    case identification = "the ELF identification"
    /// The 64 bytes at the start of the file, identification included.
    case header = "the ELF header"
    /// The table that tells the loader what to map.
    case programHeaders = "the program header table"
    /// The bytes of a segment that the loader maps.
    case loadedSegment = "a loaded segment"
    /// A segment of type PT_NOTE.
    case note = "a note"
    /// The segment of type PT_DYNAMIC.
    case dynamicSection = "the dynamic section"
    /// The table that DT_STRTAB points to.
    case stringTable = "the dynamic string table"
    /// A string in the dynamic string table: a library name, a search path or a symbol name.
    case string = "a string of the dynamic string table"
    /// The table that DT_SYMTAB points to.
    case symbolTable = "the dynamic symbol table"
    /// The table that DT_HASH or DT_GNU_HASH points to.
    case hashTable = "the symbol hash table"

    /// The linker's table of sections.
    case sectionHeaders = "the section header table"
    /// The segment of type PT_TLS.
    case threadLocal = "the thread-local storage"
    /// The segment of type PT_GNU_STACK.
    case stack = "the stack"
    /// The tables that DT_VERSYM, DT_VERNEED and DT_VERDEF point to.
    case versions = "the symbol versions"
    /// The places of the library that the loader writes to.
    case relocations = "the relocations"

    /// The part in words, as the subject or object of a sentence.
    package var description: String { rawValue }
}
