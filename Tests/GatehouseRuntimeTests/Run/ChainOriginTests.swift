// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// What actions follow from, and the keys of effects that are made of that.
@Suite(.timeLimit(.minutes(10))) struct ChainOriginTests {
    /// Where something stands that "counter" emits after the first action.
    private let place = ChainPlace.first.follower(0, of: ChainPlace.hash("counter"))

    @Test
    func
        `a key names the journal, the input or the opening and the first action, the place and the instance`()
    {
        #expect(ChainOrigin(input: 8).key(of: "j", for: "mail") == "j-8.0-mail")
        #expect(ChainOrigin(epoch: 3, first: 101).key(of: "j", for: "mail") == "j-3-101.0-mail")
        let origin = ChainOrigin(input: 8, epoch: 3, first: 101, place: place)
        #expect(origin.key(of: "j", for: "mail") == "j-8.3u3tn06fw1r39-mail")
    }

    @Test(arguments: ["j", "a.b", "a-1", "ä", ""], ["mail", "1", "a-b.c", "0-1.2-x", ""])
    func `what a key is made of can be read from it`(name: String, instance: String) {
        for origin in [
            ChainOrigin(input: 8), ChainOrigin(input: .max), ChainOrigin(epoch: 3, first: 101),
        ] {
            for place in [ChainPlace.first, place] {
                var origin = origin
                origin.place = place
                let key = origin.key(of: name, for: instance)
                #expect(ChainOrigin(key: key, of: name) == origin, "\(key)")
            }
        }
    }

    @Test(arguments: [
        "", "j", "j-", "j-8", "j-8-mail", "j-.0-mail", "j-x.0-mail", "j-1-2-3.0-mail", "j-1-.0-mail",
        "j-8.-mail",
        "j-8.é-mail", "j-8.zzzzzzzzzzzzzz-mail", "k-8.0-mail", "jj-8.0-mail",
    ])
    func `another text is none`(key: String) { #expect(ChainOrigin(key: key, of: "j") == nil) }

    @Test func `places stay apart along the way and beside each other`() {
        var numbers: Set<UInt64> = [0]
        var count = 1
        func go(_ place: ChainPlace, depth: Int) {
            guard depth < 4 else { return }
            for emitter in ["a", "b", "ab"] {
                for index in 0..<4 as Range<UInt32> {
                    let next = place.follower(index, of: ChainPlace.hash(emitter))
                    numbers.insert(next.number)
                    count += 1
                    go(next, depth: depth + 1)
                }
            }
        }
        go(.first, depth: 0)
        #expect(numbers.count == count)
    }
}
