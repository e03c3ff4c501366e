// SPDX-License-Identifier: Apache-2.0
//
// usage: change-sdk body|binding SEED FIRST COUNT SDK STOPPING
//
// Makes COUNT changes in an unchanged copy of the SDK, from number FIRST on, and prints where and what. The changes of a kind are
// drawn from all places of the sources by the seed, from one target after the other; numbers count from 0.
//
// body: into a body that the fingerprint leaves out goes a branch that is never taken; STOPPING is what the manifest tool writes
// as the skeleton of the unchanged SDK, and tells which bodies those are. C gets the same, headers another comment.
//
// binding: a stored property, a case, a requirement or a default argument comes or changes, two stored properties or requirements
// change places, or code that is compiled into plugins gets the branch.
//
// Scripts/torture-binding builds what comes out.

import Foundation

/// A change: the file, the offset of what is replaced, and both texts.
struct Change {
    let file: String
    let offset: Int
    let count: Int
    let text: String
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
guard words.count == 7, ["body", "binding"].contains(words[1]), let seed = UInt64(words[2]),
    let first = Int(words[3]),
    let count = Int(words[4])
else {
    FileHandle.standardError.write(
        Data("usage: change-sdk body|binding SEED FIRST COUNT SDK STOPPING\n".utf8))
    exit(64)
}
let (sdk, stopping) = (words[5], words[6])
/// Names what a change adds, so that no two do it alike.
let index = first

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
func intoBody(_ body: Range<Int>, of file: [UInt8], number: Int) -> (Range<Int>, String)? {
    let text = String(decoding: file[body], as: UTF8.self)
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if trimmed.isEmpty { return (body, " \(branch(number)) ") }
    let statements = ["return", "let ", "var ", "guard ", "for ", "while ", "defer ", "self = ", "self.init"]
    let isStatement = statements.contains { trimmed.hasPrefix($0) } || trimmed.contains("; ")
    if !text.contains("\n"), !isStatement, !trimmed.hasPrefix("if "), !trimmed.hasPrefix("switch "),
        !trimmed.contains(" = "), !trimmed.contains("super.init")
    {
        return (body, " \(branch(number)) else { \(trimmed) } ")
    }
    let lines = text.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    // The depth of the body's own statements.
    let depth = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    let returns = lines.contains { $0.dropFirst(depth).hasPrefix("return") }
    guard isStatement && !text.contains("\n") || returns else { return nil }
    return (body.lowerBound..<body.lowerBound, " \(branch(number)); ")
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
    func add(_ range: Range<Int>, _ new: String, _ what: String) {
        found.append(Change(file: name, offset: range.lowerBound, count: range.count, text: new, what: what))
    }
    if words[1] == "body" {
        if name.hasSuffix(".h") { add(0..<0, "/// Change \(index).\n", "a comment") }
        if name.hasSuffix(".c"), let place = text.range(of: "\n}\n") {
            let end = text.utf8.distance(from: text.startIndex, to: place.lowerBound)
            add(
                end + 3..<end + 3,
                "int gatehouse_change_\(index)(void);\nint gatehouse_change_\(index)(void) { return \(index); }\n",
                "a C function")
        }
        guard name.hasSuffix(".swift") else { return found }
        for body in bodies(of: file, bytes("\(stopping)/\(name)")) {
            if let (range, new) = intoBody(body, of: file, number: index) { add(range, new, "a body") }
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
    var isInProtocol = false
    for (number, line) in lines.enumerated() {
        let end = line.offset + line.text.utf8.count
        if match(#"^\}"#, line.text) { isInProtocol = false }
        if match(#"^(public |package )?protocol [^}]*\{$"#, line.text) {
            isInProtocol = true
            add(end..<end, "\n    associatedtype Added\(index) = Int", "a requirement")
        }
        if match(#"^(public |package |final |@frozen )*(struct|final class) [^}]*\{$"#, line.text) {
            add(end..<end, "\n    private let added\(index) = \(index)", "a stored property")
        }
        if match(#"^(public |package )?enum [^}:]*\{$"#, line.text) {
            add(end..<end, "\n    case added\(index)", "a case")
        }
        let stored =
            #"^    (public |package |@usableFromInline )*(private |fileprivate )?(let|var) \w+: [^={]*$"#
        if number > 0, match(stored, line.text), !isInProtocol,
            let other = lines[..<number].lastIndex(where: { !match(#"^ *///"#, $0.text) }),
            match(stored, lines[other].text)
        {
            let range = lines[other].offset..<end
            let between = String(
                decoding: file[lines[other].offset + lines[other].text.utf8.count..<line.offset],
                as: UTF8.self)
            add(range, line.text + between + lines[other].text, "the order of two stored properties")
        }
        let required = #"^    (func|static func) [^{]*$"#
        if isInProtocol, match(required, line.text), match(#"\)( -> .*)?$"#, line.text),
            let other = lines[..<number].lastIndex(where: { !match(#"^ *///|^$"#, $0.text) }),
            match(required, lines[other].text),
            match(#"\)( -> .*)?$"#, lines[other].text)
        {
            let between = String(
                decoding: file[lines[other].offset + lines[other].text.utf8.count..<line.offset],
                as: UTF8.self)
            add(
                lines[other].offset..<end, line.text + between + lines[other].text,
                "the order of two requirements")
        }
        if match(#"func .*: Bool = (true|false)"#, line.text)
            || match(#"init\(.*: Bool = (true|false)"#, line.text)
        {
            let new =
                line.text.contains("= true")
                ? line.text.replacing("= true", with: "= false")
                : line.text.replacing("= false", with: "= true")
            add(line.offset..<end, new, "a default argument")
        }
        // The function or accessor after the attribute, if its body begins on the same line or on the next one.
        if match(#"@inlinable"#, line.text) {
            let declaration =
                match(#"@inlinable$"#, line.text) && number + 1 < lines.count ? lines[number + 1] : line
            if match(#"(func|init).*\{$"#, declaration.text) {
                let place = declaration.offset + declaration.text.utf8.count
                let rest = lines[(lines.firstIndex { $0.offset > declaration.offset } ?? lines.endIndex)...]
                    .prefix(2)
                // Only where the body has more than an expression.
                if let first = rest.first, match(#"^ *(guard|let|var|self\.|for|while) ?"#, first.text) {
                    add(place..<place, " \(branch(index))", "code that is compiled into plugins")
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
    for queue in queues.indices where !queues[queue].isEmpty { drawn.append(queues[queue].removeFirst()) }
}
guard drawn.count >= first + count else { fail("there are only \(drawn.count) changes of this kind") }
// From the end of each file to its beginning, so that places stay where they were.
for change in drawn[first..<first + count].sorted(by: { $0.offset > $1.offset }) {
    var content = bytes("\(sdk)/\(change.file)")
    let line = content[..<change.offset].count { $0 == UInt8(ascii: "\n") } + 1
    content.replaceSubrange(change.offset..<change.offset + change.count, with: Array(change.text.utf8))
    do { try Data(content).write(to: URL(filePath: "\(sdk)/\(change.file)")) } catch { fail("\(error)") }
    print("\(change.file):\(line): \(change.what)")
}
