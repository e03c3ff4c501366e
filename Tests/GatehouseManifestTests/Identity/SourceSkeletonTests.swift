// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import Testing

/// Pairs of sources, and whether a plugin that was built with one can load into a host that was built with the other.
@Suite(.timeLimit(.minutes(10))) struct SourceSkeletonTests {
    /// What counts of a file.
    private func text(_ content: String, in path: String = "Sources/A/A.swift") -> String {
        let skeleton = SourceSkeleton(of: SourceFile(path: path, content: Array(content.utf8)))
        return String(decoding: skeleton.text, as: UTF8.self)
    }

    /// A file in which the bodies that do not count stop the program.
    private func stopping(_ content: String) -> String {
        let skeleton = SourceSkeleton(of: SourceFile(path: "Sources/A/A.swift", content: Array(content.utf8)))
        return String(decoding: skeleton.stopping, as: UTF8.self)
    }

    @Test(arguments: [
        ("struct A { let b: Int }", "/// A type.\nstruct A { let b: Int }"),
        ("struct A {\n    let b: Int\n}", "struct A {\n    // Why.\n\n    let b: Int  // 1 /* 2 */\n}"),
        ("func a() -> Int { 1 }", "func a() -> Int { 2 }"),
        ("func a() { b() }", "func a() {\n    let c = { \"}\" }\n    c()\n}"),
        (
            "public func a<T>(_ b: T = c { 1 }) where T: P { 1 }",
            "public func a<T>(_ b: T = c { 1 }) where T: P { 2 }"
        ),
        ("func a() async throws(E) -> any P { 1 }", "func a() async throws(E) -> any P { 2 }"),
        ("static func < (a: A, b: A) -> Bool { true }", "static func < (a: A, b: A) -> Bool { false }"),
        ("init?(a: Int) { nil }", "init?(a: Int) { self.init() }"),
        ("final class A { deinit { a() } }", "final class A { deinit { b() } }"),
        ("extension A: P where B: Q { func a() { 1 } }", "extension A: P where B: Q { func a() { 2 } }"),
        ("var a: Int { 1 }", "var a: Int { b.get() }"),
        ("var a: Int { get { 1 } set { b = newValue } }", "var a: Int { get { 2 } set { c = newValue } }"),
        (
            "var a: [Int] { _read { yield b } _modify { yield &b } }",
            "var a: [Int] { _read { yield c } _modify { yield &c } }"
        ),
        ("subscript(a: Int) -> B { 1 }", "subscript(a: Int) -> B { 2 }"),
        (
            "@usableFromInline @inline(never) func a() { 1 }",
            "@usableFromInline @inline(never) func a() { 2 }"
        ),
        (
            "@MainActor @available(*, deprecated) func a() { 1 }",
            "@MainActor @available(*, deprecated) func a() { 2 }"
        ),
        ("enum A { case b\n static func c() { 1 } }", "enum A { case b\n static func c() { 2 } }"),
        ("func a(_ b: some P) { 1 }", "func a(_ b: some P) { 2 }"),
    ])
    func `comments and bodies that stay in the library do not count`(one: String, other: String) {
        #expect(text(one) == text(other))
    }

    @Test(arguments: [
        ("struct A { let b: Int }", "struct A { let b: UInt }"),
        ("struct A { let b = 1 }", "struct A { let b = 1.0 }"),
        ("struct A { private var b = { 1 }() }", "struct A { private var b = { 2 }() }"),
        ("struct A { let b: Int; let c: Int }", "struct A { let c: Int; let b: Int }"),
        ("enum A { case b, c }", "enum A { case c, b }"),
        ("protocol P { func a()\n func b() }", "protocol P { func b()\n func a() }"),
        ("protocol P { var a: Int { get } }", "protocol P { var a: Int { get set } }"),
        ("struct A: P {}", "struct A: P, Q {}"),
        ("func a(b: Int = 1) {}", "func a(b: Int = 2) {}"),
        ("func a() -> some P { 1 }", "func a() -> some P { 2 }"),
        ("func a() -> [some P] { 1 }", "func a() -> [some P] { 2 }"),
        ("var a: some P { 1 }", "var a: some P { 2 }"),
        ("subscript(a: Int) -> (some P)? { 1 }", "subscript(a: Int) -> (some P)? { 2 }"),
        ("@inlinable func a() { 1 }", "@inlinable func a() { 2 }"),
        ("@inlinable public func a() { 1 }", "@inlinable public func a() { 2 }"),
        ("@usableFromInline @inlinable init() { 1 }", "@usableFromInline @inlinable init() { 2 }"),
        ("@inlinable var a: Int { 1 }", "@inlinable var a: Int { 2 }"),
        ("var a: Int { @inlinable get { 1 } set {} }", "var a: Int { @inlinable get { 2 } set {} }"),
        ("@inline(__always) func a() { 1 }", "@inline(__always) func a() { 2 }"),
        ("@_transparent func a() { 1 }", "@_transparent func a() { 2 }"),
        (
            "@_specialize(where T == Int) func a<T>(_ b: T) { 1 }",
            "@_specialize(where T == Int) func a<T>(_ b: T) { 2 }"
        ),
        ("@Macro func a() { 1 }", "@Macro func a() { 2 }"),
        ("@frozen struct A {}", "struct A {}"),
        ("var a: Int { get { 1 } }", "var a: Int { get { 1 } set {} }"),
        // The old value is passed to an observer that names it.
        ("var a: Int { didSet { b() } }", "var a: Int { didSet { b(oldValue) } }"),
        // Declared in a body, they stand in the module all the same.
        ("func a() { struct B { let c: Int } }", "func a() { struct B { let c: UInt } }"),
        ("func a() { typealias B = Int }", "func a() { typealias B = UInt }"),
        ("func a() {\n#if DEBUG\n1\n#endif\n}", "func a() {\n#if DEBUG\n2\n#endif\n}"),
        ("func a() {}", "func a() {}\nfunc b() {}"),
        ("private func a() {}", "private func b() {}"),
        ("let a = \"// b\"", "let a = \"// c\""),
        // Not understood: a regular expression, and brackets that do not match.
        ("let a = /b/\nfunc c() { 1 }", "let a = /b/\nfunc c() { 2 }"),
        ("func a() { 1 }}", "func a() { 2 }}"),
    ])
    func `what the compiler writes into modules counts`(one: String, other: String) {
        #expect(text(one) != text(other))
    }

    @Test func `of a header everything counts but comments and the version`() {
        let header =
            "#define GATEHOUSE_ABI 1\n#define GATEHOUSE_SDK_VERSION \"0.6.0\"\nstruct a { int b; };\n"
        let path = "Sources/C/include/c.h"
        #expect(text(header, in: path) == text(header.replacing("0.6.0", with: "0.6.1"), in: path))
        #expect(
            text(header, in: path) == text(header.replacing("struct", with: "/* one */\nstruct"), in: path))
        #expect(text(header, in: path) != text(header.replacing("int b", with: "long b"), in: path))
        #expect(text(header, in: path) != text(header.replacing("ABI 1", with: "ABI 2"), in: path))
    }

    @Test func `of the package description everything counts but comments`() {
        let package = "// swift-tools-version: 6.3\nfor a in b { a.c = [.d] }\nvar e: Int { 1 }\n"
        #expect(
            text(package, in: "Package.swift")
                == text(package.replacing("6.3", with: "6.4"), in: "Package.swift"))
        #expect(
            text(package, in: "Package.swift")
                != text(package.replacing(".d", with: ".e"), in: "Package.swift"))
        #expect(
            text(package, in: "Package.swift") != text(package.replacing("1", with: "2"), in: "Package.swift")
        )
    }

    @Test func `a module map counts whole`() {
        #expect(text("module A {} // 1", in: "Sources/C/include/module.modulemap") == "module A {} // 1")
    }

    @Test func `without the bodies that do not count a file stays Swift, line for line`() {
        let file = """
            /// A type.
            struct A: P {
                var b: Int {
                    get { c }
                    set {
                        c = newValue
                    }
                }
                @inlinable func d() { 1 }
                func e() -> Int {
                    // Why.
                    1
                }
            }
            """
        #expect(
            stopping(file) == """
                /// A type.
                struct A: P {
                    var b: Int {
                        get { fatalError() }
                        set { fatalError() 

                }
                    }
                    @inlinable func d() { 1 }
                    func e() -> Int { fatalError() 


                }
                }
                """)
    }
}
