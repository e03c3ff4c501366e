// SPDX-License-Identifier: Apache-2.0

/// Kinds of input that are measured, and the configuration that runs them.
enum InputLines: String, CaseIterable {
    /// 120 bytes of a type that nobody hears.
    case nobody
    /// 120 bytes with the payload of the counter, heard by four of them.
    case counters
    /// 120 bytes with a `meta` that nobody looks at.
    case meta
    /// 8 KB of nested objects and links, as webhooks send them; nobody hears them.
    case webhook

    /// Four counters that hear `c/increment`.
    static func configuration(_ directory: String) -> String {
        let entries = (0..<4).map {
            #"{"id":"c\#($0)","library":"libCounterPlugin.so","lift":{"input":"c/"}}"#
        }
        return """
            {"directory":"\(directory)","discovery":"ignore","plugins":[\(entries.joined(separator: ","))]}

            """
    }

    /// The first `count` lines as one text.
    func text(_ count: Int) -> String {
        var text = ""
        for number in 0..<count {
            text += line(Self.padded(number)) + "\n"
        }
        return text
    }

    /// One line with a number of 8 digits somewhere in it.
    private func line(_ number: String) -> String {
        switch self {
        case .nobody:
            #"{"type":"orders/placed","payload":{"id":1\#(number),"total":12.5,"customer":"customer \#(number)","note":"call before 10"}}"#
        case .counters:
            #"{"type":"c/increment","payload":{"by":1,"total":12.5,"customer":"customer number \#(number)","note":"call before 10:30"}}"#
        case .meta:
            #"{"type":"orders/placed","payload":{"id":1\#(number),"total":12.5,"customer":"\#(number)"},"meta":{"id":"meta-001\#(number)"}}"#
        case .webhook:
            #"{"type":"hooks/push","payload":{"id":1\#(number),"items":[\#(Self.items)]}}"#
        }
    }

    private static let items = (0..<20).map { item in
        let number = padded(item)
        return """
            {"id":\(70_000 + item),"name":"octo-\(number)","full_name":"octo-org/octo-\(number)","private":false,\
            "owner":{"login":"octo-org","id":4595,"url":"https://api.example.org/users/octo-org","admin":false},\
            "url":"https://api.example.org/repos/octo-org/octo-\(number)/branches","size":\(item * 37),\
            "created_at":"2023-05-13T22:09:38.000-04:00","license":null,"topics":["swift","linux","plugins"],\
            "description":"A repository with a few words about what it holds"}
            """
    }.joined(separator: ",")

    private static func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
