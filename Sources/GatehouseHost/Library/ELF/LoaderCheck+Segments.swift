// SPDX-License-Identifier: Apache-2.0

extension LoaderCheck {
    /// The page size that every linker reckons with at least, in bytes.
    private static var pageSize: UInt64 { 4_096 }
    /// The greatest room that a library may take, in bytes of addresses.
    private static var spanLimit: UInt64 { 1 << 32 }

    /// Checks what is mapped where, and the segments that describe parts of it.
    mutating func checkSegments() {
        let system = header.system
        expect(.identification, "the system 0 or 3", found: "\(system)", if: system == 0 || system == 3)
        for segment in segments where !segment.kind.isKnown {
            mismatch(
                .programHeaders, "segments of known types",
                found: "type " + Self.hex(UInt64(segment.kind.rawValue)))
        }
        var end: UInt64 = 0
        for load in loads { checkLoad(load, behind: &end) }
        expect(.programHeaders, "a loaded segment", found: "none", if: !loads.isEmpty)
        for segment in segments { checkDescription(segment) }
        checkStack()
    }

    /// Checks one mapped segment.
    ///
    /// - Parameter end: the first page behind the segments before it, and afterwards behind this one.
    private mutating func checkLoad(_ load: ProgramHeader, behind end: inout UInt64) {
        let place = "at " + Self.hex(load.address)
        let alignment = load.alignment
        let isAligned =
            alignment >= Self.pageSize && alignment & (alignment - 1) == 0
            && load.address & (alignment - 1) == load.offset & (alignment - 1)
        expect(
            .loadedSegment, "file offset and address to agree by the alignment",
            found: "offset \(Self.hex(load.offset)) \(place), alignment \(Self.hex(alignment))", if: isAligned
        )
        expect(
            .loadedSegment, "at least its \(load.fileSize) bytes of the file in memory",
            found: "\(load.memorySize) \(place)", if: load.memorySize >= load.fileSize)
        expect(.loadedSegment, "readable memory", found: "memory that is not \(place)", if: load.isReadable)
        if load.isWritable, load.isExecutable {
            hazard(
                .loadedSegment, "memory \(place) may be both written and run",
                advice: "link the plugin without -z execstack, -N or a script that joins code and data")
        }
        let (last, overflows) = load.address.addingReportingOverflow(load.memorySize)
        guard !overflows, last <= Self.spanLimit else {
            mismatch(
                .loadedSegment, "at most \(Self.spanLimit) bytes of addresses",
                found: "\(load.memorySize) bytes \(place)")
            return
        }
        let first = load.address & ~(Self.pageSize - 1)
        expect(
            .loadedSegment, "addresses in order and without overlap", found: "pages \(place) that are taken",
            if: first >= end)
        end = max(end, (last + Self.pageSize - 1) & ~(Self.pageSize - 1))
    }

    /// Checks a segment that describes a part of a mapped one: file and memory must mean the same bytes.
    private mutating func checkDescription(_ segment: ProgramHeader) {
        let part: ELFPart
        switch segment.kind {
        case .dynamic: part = .dynamicSection
        case .note, .properties: part = .note
        case .headers: part = .programHeaders
        case .threadLocal: part = .threadLocal
        case .unwinding: part = .loadedSegment
        case .relocatedReadOnly: part = .relocatedReadOnly
        default: return
        }
        // Without a byte there is nothing to misread.
        guard segment.fileSize > 0 else { return }
        let holder = load(holding: segment.address, count: segment.fileSize)
        let offset = holder.map { $0.offset &+ (segment.address - $0.address) }
        let isBacked = holder.map { segment.address - $0.address + segment.fileSize <= $0.fileSize } ?? false
        expect(
            part, "address and file offset of the same bytes",
            found: "address \(Self.hex(segment.address)) and offset \(Self.hex(segment.offset))",
            if: isBacked && offset == segment.offset)
        switch segment.kind {
        case .headers:
            let size = UInt64(header.programHeaderCount) * ProgramHeader.size
            let offset = header.programHeaderOffset
            expect(
                part, "\(size) bytes at offset \(offset)",
                found: "\(segment.fileSize) at \(segment.offset)",
                if: segment.fileSize == size && segment.offset == offset)
        case .dynamic:
            expect(part, "writable memory", found: "memory that is not", if: holder?.isWritable ?? true)
        case .threadLocal:
            let alignment = segment.alignment
            expect(
                part, "at most 64 KiB, aligned to at most a page",
                found: "\(segment.memorySize) bytes, aligned to \(alignment)",
                if: segment.memorySize >= segment.fileSize && segment.memorySize <= 65_536
                    && alignment <= Self.pageSize && alignment & (alignment &- 1) == 0)
        case .relocatedReadOnly:
            checkRelocatedReadOnly(segment, in: holder)
        default: break
        }
    }

    /// Checks the part that becomes read-only: whole pages of a writable segment, without what is written later.
    private mutating func checkRelocatedReadOnly(_ segment: ProgramHeader, in holder: ProgramHeader?) {
        let (end, overflows) = segment.address.addingReportingOverflow(segment.memorySize)
        guard let holder, !overflows, holder.holds(segment.address, count: segment.memorySize) else {
            mismatch(
                .relocatedReadOnly, "addresses inside one loaded segment",
                found: "\(segment.memorySize) bytes at \(Self.hex(segment.address))")
            return
        }
        let isWhole = end % Self.pageSize == 0 || end == holder.address + holder.memorySize
        // Memory that starts as zeros is there to be written to.
        let zeros = sections.filter { $0.isAllocated && $0.isNoBits && !$0.isThreadLocal && $0.size > 0 }
        let page = end & ~(Self.pageSize - 1)
        let isApart = zeros.allSatisfy { $0.address >= page || $0.end <= segment.address }
        expect(
            .relocatedReadOnly, "whole pages of a writable segment, free of variables",
            found: "\(segment.memorySize) bytes at \(Self.hex(segment.address))",
            if: holder.isWritable && isWhole && isApart)
    }

    /// Checks that nothing asks for a stack that can run: loading would give it to every thread.
    private mutating func checkStack() {
        let stack = segments.first { $0.kind == .stack }
        guard stack.map(\.isExecutable) ?? true else { return }
        hazard(
            .stack, "asks for memory that may be both written and run",
            advice: "link the plugin with -z noexecstack")
    }
}
