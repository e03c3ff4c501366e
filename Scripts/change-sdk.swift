// SPDX-License-Identifier: Apache-2.0
//
// usage: change-sdk body|layout|interface SEED SDK STOPPING NUMBER…
//
// Makes changes in an unchanged copy of the SDK, and prints where and what. The changes of a kind are drawn from all places of the
// sources by the seed, from one target after the other, and each NUMBER, from 0 on, is one of them.
//
// body: into a body that the fingerprint leaves out goes a branch that is never taken; STOPPING is what the manifest tool writes
// as the skeleton of the unchanged SDK, and tells which bodies those are. C gets the same, headers another comment.
//
// layout: a stored property comes, two stored properties or requirements change places, or code that is compiled into plugins gets
// the branch: what the sources that use the SDK need not know.
//
// interface: a case, a requirement or another default argument comes, with which not everything compiles that uses the SDK.
//
// Scripts/torture-binding builds what comes out.

import Foundation

/// A change: the file, what is replaced, and the new text, for which the number makes names that no other change uses.
struct Change {
    let file: String
    let offset: Int
    let count: Int
    let text: (_ number: Int) -> String
    let what: String
}

/// SplitMix64, so that a seed gives the same changes everywhere.
struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data("change-sdk: \(text)\n".utf8))
    exit(1)
}

let words = CommandLine.arguments
let numbers = words.dropFirst(5).compactMap { Int($0) }
guard words.count > 5, numbers.count == words.count - 5, ["body", "layout", "interface"].contains(words[1]),
    let seed = UInt64(words[2])
else {
    FileHandle.standardError.write(
        Data("usage: change-sdk body|layout|interface SEED SDK STOPPING NUMBER…\n".utf8))
    exit(64)
}
let (kind, sdk, stopping) = (words[1], words[3], words[4])

/// The branch, which no compiler can tell to be never taken.
func branch(_ number: Int) -> String { "if CommandLine.argc == -1 { fatalError(\"change \(number)\") }" }

/// The bodies of a file that the fingerprint leaves out, as what stands between their braces.
func bodies(of file: [UInt8], _ skeleton: [UInt8]) -> [Range<Int>] {
    let mark = Array("{ fatalError() ".utf8)
    var found: [Range<Int>] = []
    var (here, there) = (0, 0)
    while there < skeleton.count, here < file.count {
        guard skeleton[there...].starts(with: mark), !file[here...].starts(with: mark) else {
            (here, there) = (here + 1, there + 1)
            continue
        }
        let open = here
        there += mark.count
        var feeds = 0
        while skeleton[there] == UInt8(ascii: "\n") { (feeds, there) = (feeds + 1, there + 1) }
        // The brace after which both continue alike: to the end of the line, or to the next body.
        let line = skeleton[there...].prefix { $0 != UInt8(ascii: "\n") }
        let next = line.indices.dropFirst().first { skeleton[$0...].starts(with: mark) }
        let rest = next.map { line[..<$0] } ?? line
        while here < file.count {
            if file[here] == UInt8(ascii: "\n") { feeds -= 1 }
            if feeds == 0, file[here...].starts(with: rest) {
                let end = here + rest.count
                if next != nil || end == file.count || file[end] == UInt8(ascii: "\n") { break }
            }
            here += 1
        }
        found.append(open + 1..<here)
    }
    return found
}

/// Where a branch can go into a body: at its beginning, or around its only expression; nil where that takes a parser to tell.
func intoBody(_ body: Range<Int>, of file: [UInt8]) -> (Range<Int>, (Int) -> String)? {
    let text = String(decoding: file[body], as: UTF8.self)
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if trimmed.isEmpty { return (body, { " \(branch($0)) " }) }
    let statements = ["return", "let ", "var ", "guard ", "for ", "while ", "defer ", "self = ", "self.init"]
    let isStatement = statements.contains { trimmed.hasPrefix($0) } || trimmed.contains("; ")
    if !text.contains("\n"), !isStatement, !trimmed.hasPrefix("if "), !trimmed.hasPrefix("switch "),
        !trimmed.contains(" = "), !trimmed.contains("super.init")
    {
        return (body, { " \(branch($0)) else { \(trimmed) } " })
    }
    let lines = text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    // The depth of the body's own statements.
    let depth = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    let returns = lines.contains { $0.dropFirst(depth).hasPrefix("return") }
    guard isStatement && !text.contains("\n") || returns else { return nil }
    return (body.lowerBound..<body.lowerBound, { " \(branch($0)); " })
}

/// The text of a file, as bytes.
func bytes(_ path: String) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else { fail("cannot read \(path)") }
    return Array(data)
}

/// All changes of a kind in one file.
func changes(in name: String) -> [Change] {
    let file = bytes("\(sdk)/\(name)")
    let text = String(decoding: file, as: UTF8.self)
    var found: [Change] = []
    func add(_ range: Range<Int>, _ what: String, _ new: @escaping (Int) -> String) {
        found.append(Change(file: name, offset: range.lowerBound, count: range.count, text: new, what: what))
    }
    if kind == "body" {
        if name.hasSuffix(".h") { add(0..<0, "a comment") { "/// Change \($0).\n" } }
        if name.hasSuffix(".c"), let place = text.range(of: "\n}\n") {
            let end = text.utf8.distance(from: text.startIndex, to: place.lowerBound) + 3
            add(end..<end, "a C function") {
                "int gatehouse_change_\($0)(void);\nint gatehouse_change_\($0)(void) { return \($0); }\n"
            }
        }
        guard name.hasSuffix(".swift") else { return found }
        for body in bodies(of: file, bytes("\(stopping)/\(name)")) {
            if let (range, new) = intoBody(body, of: file) { add(range, "a body", new) }
        }
        return found
    }
    guard name.hasSuffix(".swift") else { return [] }
    var lines: [(offset: Int, text: String)] = []
    var offset = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        lines.append((offset, String(line)))
        offset += line.utf8.count + 1
    }
    func match(_ pattern: String, _ line: String) -> Bool {
        line.range(of: pattern, options: .regularExpression) != nil
    }
    /// Exchanges two declarations of a line each, with nothing but comments between them.
    func exchange(_ first: Int, _ second: Int, _ what: String) {
        let end = lines[second].offset + lines[second].text.utf8.count
        let between = file[lines[first].offset + lines[first].text.utf8.count..<lines[second].offset]
        let new = lines[second].text + String(decoding: between, as: UTF8.self) + lines[first].text
        add(lines[first].offset..<end, what) { _ in new }
    }
    let declaresInitializer = lines.contains {
        match(#"^ +(public |package |private |@\w+ )*init[<(?]"#, $0.text)
    }
    let stored = #"^    (public |package |@usableFromInline )*(private |fileprivate )?(let|var) \w+: [^={]*$"#
    let required = #"^    (func|static func) [^{]*\)( -> .*)?$"#
    var isInProtocol = false
    for (number, line) in lines.enumerated() {
        let end = line.offset + line.text.utf8.count
        if match(#"^\}"#, line.text) { isInProtocol = false }
        let beginsProtocol = match(#"^(public |package )?protocol [^}]*\{$"#, line.text)
        if beginsProtocol { isInProtocol = true }
        if kind == "interface" {
            if beginsProtocol { add(end..<end, "a requirement") { "\n    associatedtype Added\($0) = Int" } }
            if match(#"^(public |package )?enum [^}:]*\{$"#, line.text) {
                add(end..<end, "a case") { "\n    case added\($0)" }
            }
            if match(#"(func .*|init\(.*): Bool = (true|false)"#, line.text) {
                let isTrue = line.text.contains("= true")
                let new = line.text.replacing(
                    isTrue ? "= true" : "= false", with: isTrue ? "= false" : "= true")
                add(line.offset..<end, "a default argument") { _ in new }
            }
            continue
        }
        if match(#"^(public |package |final |@frozen )*(struct|final class) [^}]*\{$"#, line.text) {
            add(end..<end, "a stored property") { "\n    private let added\($0) = \($0)" }
        }
        let before = lines[..<number].lastIndex { !match(#"^ *///|^$"#, $0.text) }
        // Where the compiler makes the initializer, the order of properties is that of its arguments.
        if declaresInitializer, !isInProtocol, match(stored, line.text), let before,
            match(stored, lines[before].text)
        {
            exchange(before, number, "the order of two stored properties")
        }
        if isInProtocol, match(required, line.text), let before, match(required, lines[before].text) {
            exchange(before, number, "the order of two requirements")
        }
        // The function or accessor after the attribute, if its body begins on the same line or on the next one.
        if match(#"@inlinable"#, line.text) {
            let declaration =
                match(#"@inlinable$"#, line.text) && number + 1 < lines.count ? lines[number + 1] : line
            if match(#"(func|init).*\{$"#, declaration.text) {
                let place = declaration.offset + declaration.text.utf8.count
                let rest = lines[(lines.firstIndex { $0.offset > declaration.offset } ?? lines.endIndex)...]
                // Only where the body has more than an expression.
                if let first = rest.first, match(#"^ *(guard|let|var|self\.|for|while) ?"#, first.text) {
                    add(place..<place, "code that is compiled into plugins") { " \(branch($0))" }
                }
            }
        }
    }
    return found
}

var byTarget: [String: [Change]] = [:]
let all = (try? FileManager.default.subpathsOfDirectory(atPath: "\(sdk)/Sources")) ?? []
for path in all.sorted() where ["swift", "c", "h"].contains((path as NSString).pathExtension) {
    let target = String(path.prefix { $0 != "/" })
    if target == "manifest-tool" { continue }
    byTarget[target, default: []] += changes(in: "Sources/" + path)
}
var generator = Generator(state: seed)
var drawn: [Change] = []
var queues = byTarget.keys.sorted().map { name -> [Change] in
    // Each kind of change as often as the others.
    var kinds = Dictionary(grouping: byTarget[name, default: []], by: \.what).sorted { $0.key < $1.key }
        .map { $0.value.shuffled(using: &generator) }
    var order: [Change] = []
    while kinds.contains(where: { !$0.isEmpty }) {
        for kind in kinds.indices where !kinds[kind].isEmpty { order.append(kinds[kind].removeLast()) }
    }
    return order
}
while queues.contains(where: { !$0.isEmpty }) {
    for queue in queues.indices where !queues[queue].isEmpty {
        let next = queues[queue].removeFirst()
        // Two in one place are not to be had.
        let isFree = drawn.allSatisfy {
            $0.file != next.file || $0.offset + $0.count < next.offset || next.offset + next.count < $0.offset
        }
        if isFree { drawn.append(next) }
    }
}
guard numbers.allSatisfy({ $0 < drawn.count }) else {
    fail("there are only \(drawn.count) changes of this kind")
}
// From the end of each file to its beginning, so that places stay where they were.
for (number, change) in numbers.map({ ($0, drawn[$0]) }).sorted(by: { $0.1.offset > $1.1.offset }) {
    var content = bytes("\(sdk)/\(change.file)")
    let line = content[..<change.offset].count { $0 == UInt8(ascii: "\n") } + 1
    content.replaceSubrange(
        change.offset..<change.offset + change.count, with: Array(change.text(number).utf8))
    do { try Data(content).write(to: URL(filePath: "\(sdk)/\(change.file)")) } catch { fail("\(error)") }
    print("\(change.file):\(line): \(change.what)")
}
