// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import GatehouseLibrary

/// Where in the code a call is, as the file of its library says.
package struct CodePlace: Equatable, Sendable, CustomStringConvertible {
    /// The function as people read it; nil where the library does not name it.
    let function: String?
    /// The name of the library's file.
    let library: String
    /// How far from the library's beginning it is.
    let offset: UInt64
    /// The name of the source file with the line; nil where that is not known.
    let line: String?
    /// Whether it is the library of a plugin.
    let isPlugin: Bool

    /// Function, library and line; the offset where there is no line.
    package var description: String {
        "\(function ?? "<unknown>") in \(library)"
            + (line.map { " at \($0)" } ?? " + 0x\(String(offset, radix: 16))")
    }

    /// Function and line, for a library that the reader knows.
    package var placeInLibrary: String {
        (function ?? "the code at 0x\(String(offset, radix: 16))") + (line.map { " at \($0)" } ?? "")
    }

    /// The calls that lead somewhere, at most `most`: down to the outermost one of a plugin, or all where there is none.
    ///
    /// Where there are more, those in the middle are left out for one line that says how many.
    static func lines(of calls: [CodePlace], most: Int = 16) -> [String] {
        let own = calls.lastIndex { $0.isPlugin }.map { calls[...$0] } ?? calls[...]
        let all = own.map { "at \($0)" }
        guard all.count > most else { return all }
        return all.prefix(most - 5) + ["… \(all.count - most + 1) more calls"] + all.suffix(4)
    }
}

extension CodePlace {
    /// The place of an address; nil where no library is.
    package init?(of address: UInt64, isPlugin: Bool) {
        var place = gatehouse_place()
        guard unsafe gatehouse_place_of(address, &place) else { return nil }
        self.init(place, library: FlightRecorder.text(place.library) ?? "", isPlugin: isPlugin)
    }

    /// The place of an offset in a library of another process; without function and line where this process finds no such file.
    ///
    /// - Parameters:
    ///   - path: the file here; nil for none.
    ///   - library: its name.
    init(at offset: UInt64, in path: String?, library: String, isPlugin: Bool) {
        var place = gatehouse_place()
        if let path { _ = unsafe gatehouse_place_in(path, offset, &place) }
        place.offset = offset
        self.init(place, library: library, isPlugin: isPlugin)
    }

    /// A place as C has it.
    private init(_ place: gatehouse_place, library: String, isPlugin: Bool) {
        let line = place.line == 0 ? nil : FlightRecorder.text(place.file).map { "\($0):\(place.line)" }
        self.init(
            function: FlightRecorder.text(place.function).map(SwiftName.readable), library: library,
            offset: place.offset, line: line, isPlugin: isPlugin)
    }
}
