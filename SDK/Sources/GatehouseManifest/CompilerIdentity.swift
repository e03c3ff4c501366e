private import CGatehouse

public func compilerIdentity() -> String { unsafe String(cString: gatehouse_compiler_identity()) }
