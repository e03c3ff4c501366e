# SPDX-License-Identifier: Apache-2.0
#
# Lists the single-point defects that can be put into Swift sources, for Scripts/mutants: file, first line, last line,
# operator, replacement and switched form of each, separated by tabs; the line breaks of the two texts are written as
# \036. Reads whole files.
#
# The switched form does what the replacement does when the defect with its number is active, and what the original does
# otherwise, so that one build holds many defects: @NUMBER@ is the number, @OPERATOR@ the suffix that turns an operator
# of Swift into the one with that number.
#
# Masks comments and string literals, including interpolations, before searching. Also skips attributes, imports,
# conditions of compilation other than DEBUG, and calls that end the program.

BEGIN {
    # What a replacement says of a deleted statement: it is not run, and what it alone uses is still used.
    never = "CommandLine.argc < 0"
    active = "isMutant(@NUMBER@)"
    callee = "[A-Za-z_][A-Za-z0-9_]*"
    keyword = "^(let|var|return|if|guard|for|while|repeat|switch|case|default|defer|do|else|func|init|deinit|subscript|struct|" \
        "class|enum|extension|protocol|typealias|actor|import|break|continue|fallthrough|throw|catch|where|public|private|package|" \
        "internal|fileprivate|static|final|mutating|override|convenience|required|nonisolated|lazy|weak|unowned|get|set|in|is|as)" \
        "($|[^A-Za-z0-9_])"
    ending = "(^|[^A-Za-z0-9_])(precondition|preconditionFailure|assert|assertionFailure|fatalError|trap)\\("
}

# The lines of one file are looked at together, because a statement must be known to end where its line does.
FNR == 1 && NR > 1 { list() }
FNR == 1 { file = FILENAME; lines = 0; mode = "code"; depth = 0; stack = ""; skipped = 0; conditions = 0 }
{
    lines++
    text[lines] = $0
    before[lines] = stack
    masked[lines] = mask($0)
    bare[lines] = trim(masked[lines])
    left_out[lines] = conditional(bare[lines])
}
END { if (NR > 0) list() }

function trim(s) {
    sub(/^[ \t]+/, "", s)
    sub(/[ \t]+$/, "", s)
    return s
}

# Whether a line is in a branch that a debug build for Linux may leave out.
function conditional(line) {
    if (line ~ /^#if /) {
        conditions++
        if (!skipped && line !~ /^#if (DEBUG|os\(Linux\))$/) skipped = conditions
        return 1
    }
    if (line ~ /^#endif/) {
        if (skipped == conditions) skipped = 0
        conditions--
        return 1
    }
    return skipped > 0 || line ~ /^#/
}

# The line in the same length with spaces for comments and \001 for what is in a string; follows open brackets and strings.
function mask(line,    out, i, c, n, rest) {
    out = ""
    n = length(line)
    for (i = 1; i <= n; i++) {
        c = substr(line, i, 1)
        rest = substr(line, i)
        if (mode == "code") {
            if (substr(rest, 1, 2) == "//") {
                while (i++ <= n) out = out " "
                break
            }
            if (substr(rest, 1, 3) == "\"\"\"") { open_string("\"\"\""); out = out "\001\001\001"; i += 2; continue }
            if (substr(rest, 1, 2) == "#\"") { open_string("\"#"); out = out "\001\001"; i++; continue }
            if (c == "\"") { open_string("\""); out = out "\001"; continue }
            if (c ~ /[({[]/) stack = stack c
            if (c ~ /[)}\]]/) stack = substr(stack, 1, length(stack) - 1)
            out = out c
            continue
        }
        out = out "\001"
        if (mode == "interpolation") {
            if (c == "(") parentheses[depth]++
            if (c == ")" && --parentheses[depth] == 0) mode = "string"
            if (c == "\"") open_string("\"")
            continue
        }
        if (c == "\\" && closing[depth] != "\"#") {
            if (substr(rest, 2, 1) == "(") { mode = "interpolation"; parentheses[depth] = 1 }
            out = out "\001"
            i++
            continue
        }
        if (substr(rest, 1, length(closing[depth])) == closing[depth]) {
            for (c = 1; c < length(closing[depth]); c++) out = out "\001"
            i += length(closing[depth]) - 1
            depth--
            mode = depth == 0 ? "code" : "interpolation"
        }
    }
    return out
}

function open_string(end) {
    closing[++depth] = end
    mode = "string"
}

# Writes one mutant that replaces the lines from FIRST to LAST.
function emit(first, last, operator, replacement, switched) {
    gsub(/\n/, "\036", replacement)
    gsub(/\n/, "\036", switched)
    printf "%s\t%d\t%d\t%s\t%s\t%s\n", file, first, last, operator, replacement, switched
}

# Replaces LENGTH characters from AT on in a line.
function change(line, at, length_, operator, new, switched,    head, tail) {
    head = substr(text[line], 1, at - 1)
    tail = substr(text[line], at + length_)
    emit(line, line, operator, head new tail, head switched tail)
}

# Replaces an expression of LENGTH characters from AT on in a line.
function exchange(line, at, length_, operator, new) {
    change(line, at, length_, operator, new, "(" active " ? " new " : " substr(text[line], at, length_) ")")
}

# Leaves out a statement of LENGTH characters from AT on in a line.
function leave_out(line, at, length_, operator,    statement) {
    statement = " { " substr(text[line], at, length_) " }"
    change(line, at, length_, operator, "if " never statement, "if !" active statement)
}

function is_balanced(s,    i, c, open) {
    open = ""
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c ~ /[({[]/) open = open c
        if (c ~ /[)}\]]/) {
            if (open == "") return 0
            open = substr(open, 1, length(open) - 1)
        }
    }
    return open == ""
}

# What a statement is that stands for itself: call, assignment, throw, or nothing of them.
function kind(s,    plain) {
    if (s == "" || !is_balanced(s) || s ~ ending || s ~ /[,;]$/ || index(s, "\001") == 1) return ""
    if (s ~ /^throw /) return "throw"
    plain = s
    while (sub(/^(try|await|unsafe) /, "", plain)) {}
    if (plain ~ keyword || plain ~ /^(self|super)[.]init\(/) return ""
    if (plain ~ /^[A-Za-z_(][^={}]* ([-+*\/|^]|&[-+*]|<<|>>)?= [^ ]/ && plain !~ /^[^=]* : /) {
        if (plain ~ /^_ = / || plain ~ /[&|?+*\/-]$/) return ""
        return "assignment"
    }
    if (plain ~ /^[A-Za-z_.][^ ]*\(.*[)}]$/ || plain ~ /^[A-Za-z_.][A-Za-z0-9_.?]* \{.*\}$/) {
        # An expression with an operator outside of brackets is a value.
        if (plain ~ /^[A-Za-z0-9_.?]+ [^{]/ || plain ~ /[)] [^{]/) return ""
        return "call"
    }
    return ""
}

# The operator of a statement that is left out.
function deletion(s, what,    plain) {
    plain = s
    while (sub(/^(try|await|unsafe) /, "", plain)) {}
    if (what == "throw") return "error"
    if (what == "call") {
        if (plain ~ /^([A-Za-z0-9_]+[.?!])*(f?flush|fsync|fdatasync|syncfs|sync|synchronize)[A-Za-z]*\(/) return "flush"
        if (plain ~ /[.?](removeAll|invalidate|reset|clear|forget)[A-Za-z]*\(/ || plain ~ /^(invalidate|reset|clear)[A-Za-z]*\(/)
            return "stale"
        return "deleted"
    }
    return plain ~ / = (nil|\[\]|\[:\]|\001\001|\.none|\.empty)$/ ? "stale" : "deleted"
}

# Whether a call made where a value is expected may be that value, which cannot be left out: that of an initializer, or the only line of
# a function or property that has one.
function is_value(i, s,    previous, next_) {
    if (s ~ /^[A-Z][A-Za-z0-9_]*(<[^()]*>)?\(/ || s ~ /^[.]init\(/) return 1
    if (bare[i] != s) return bare[i] ~ /-> .*\{/ || bare[i] ~ /(^| )var [^{]*\{/
    previous = i - 1
    while (previous > 0 && bare[previous] == "") previous--
    next_ = i + 1
    while (next_ <= lines && bare[next_] == "") next_++
    return bare[previous] ~ /(-> .*|(^| )var .*)\{$/ && bare[next_] == "}"
}

# Whether an assignment keeps what an initializer was given: leaving it out does not compile, and its order means nothing.
function is_kept(s,    name) {
    if (s !~ /^self[.][A-Za-z0-9_]+ = [A-Za-z0-9_]+$/) return 0
    name = substr(s, 6, index(s, " ") - 6)
    return s == "self." name " = " name
}

# Whether two statements surely do the same in either order: values bound at two places of an SQL statement, two emptied collections,
# values appended to two lists, closures kept under two names, members of a text that is decoded, assignments with plain names on both
# sides that are not those of the other one, or to two keys, or to two names of what functions of types make.
function commute(i, a, b,    left_a, left_b) {
    if (is_kept(a) || is_kept(b)) return 1
    if (a ~ /[.]bind\(.*, at: [0-9]+\)$/ && b ~ /[.]bind\(.*, at: [0-9]+\)$/) return 1
    if (a ~ /^[A-Za-z.]+[.]removeAll\(/ && b ~ /^[A-Za-z.]+[.]removeAll\(/) return 1
    if (appends_apart(a, b)) return 1
    if (kind(a) != "assignment" || kind(b) != "assignment") return 0
    if (counts_apart(i, a, b) || counts_apart(i, b, a)) return 1
    left_a = substr(a, 1, index(a, " = ") - 1)
    left_b = substr(b, 1, index(b, " = ") - 1)
    if (keeps_closure(a) && keeps_closure(b) && left_a != left_b) return 1
    if (left_a ~ /\[\001+\]$/ && left_b ~ /\[\001+\]$/) return 1
    if (a ~ /container[.]decode.*forKey: / && b ~ /container[.]decode.*forKey: /) return 1
    if (left_a == "" || left_b == "" || mentions(a, left_b) || mentions(b, left_a)) return 0
    return (!calls(a) || is_made(a)) && (!calls(b) || is_made(b))
}

# Whether two statements append to two lists what they find or make of plain names, and neither mentions the list of the other.
function appends_apart(a, b,    list_a, list_b) {
    if (a !~ /^[a-z][A-Za-z]*[.]append\(.*\)$/ || b !~ /^[a-z][A-Za-z]*[.]append\(.*\)$/) return 0
    list_a = substr(a, 1, index(a, ".") - 1)
    list_b = substr(b, 1, index(b, ".") - 1)
    if (list_a == list_b || index(a, list_b) || index(b, list_a)) return 0
    return !calls(appended(a)) && !calls(appended(b))
}

# What a statement appends, without the names of types and cases that make it.
function appended(s) {
    s = substr(s, index(s, "("))
    gsub(/([A-Z][A-Za-z0-9]*|[(, ][.][a-z][A-Za-z0-9]*)\(/, "(", s)
    return s
}

# Whether a statement calls anything but what converts and compares numbers.
function calls(s,    first) {
    while (match(s, /(^|[^A-Za-z0-9_.])(U?Int(8|16|32|64)?|Double|min|max)\(/)) {
        first = substr(s, RSTART, 1)
        s = substr(s, 1, RSTART - 1) (first ~ /[A-Za-z]/ ? "" : first) " (" substr(s, RSTART + RLENGTH)
    }
    return s ~ /[A-Za-z0-9_?!>\])]\(/ || s ~ /[{}]/
}

# Whether an assignment keeps what a function or a case of a type makes of plain names.
function is_made(s) {
    return s ~ /^[A-Za-z.]+ = ([A-Z][A-Za-z0-9]*([.][a-zA-Z0-9]+)?|[.][a-z][A-Za-z0-9]*)\([^(){}&]*\)$/
}

# Whether a statement mentions one of the names that another one assigns to: one, or those of a tuple.
function mentions(s, left,    names, count, k) {
    count = split(left, names, /[(), ]+/)
    for (k = 1; k <= count; k++) if (names[k] != "" && names[k] != "unsafe" && index(s, names[k])) return 1
    return 0
}

# Whether an assignment keeps a closure, which is not called for that.
function keeps_closure(s) {
    return s ~ /^[A-Za-z.]+ = \{.*\}$/ && is_balanced(s)
}

# Whether a statement counts something that another one does not mention, which calls nothing or cannot see it, because only the body
# around them knows it.
function counts_apart(i, a, b,    name) {
    if (a !~ /^[A-Za-z.]+ &?[-+]= [A-Za-z0-9.]+$/) return 0
    name = substr(a, 1, index(a, " ") - 1)
    if (index(b, name)) return 0
    return !calls(b) || (b !~ /[{}]|^throw |^try / && is_local(i, name))
}

# Whether a name is a variable of the body in which a line is, and no closure or function in there has begun since.
function is_local(i, name,    k) {
    for (k = i - 1; k > 0; k--) {
        if (bare[k] ~ ("^var " name "( =|:)")) return 1
        if (bare[k] ~ /(^| )(func|init|deinit|get|set|var [^=]*) ?.*\{$/ || bare[k] ~ /(^| )in$|[)}] \{ *$/ && bare[k] !~ /^(if|for|while|guard|switch|else|\}) /)
            return 0
    }
    return 0
}

# Whether a line is one whole statement in a body: neither it nor a neighbour goes on in the other.
function is_statement(i,    next_, previous) {
    if (left_out[i] || kind(bare[i]) == "") return 0
    if (before[i] !~ /\{$/) return 0
    previous = i - 1
    while (previous > 0 && bare[previous] == "") previous--
    next_ = i + 1
    while (next_ <= lines && bare[next_] == "") next_++
    if (previous > 0 && bare[previous] ~ /([,=(&|?]|[^ ] [-+*\/<>])$/) return 0
    if (previous > 0 && bare[previous] ~ /^(@|#if)/ && bare[previous] !~ /[{}]$/) return 0
    if (next_ <= lines && bare[next_] ~ /^([.?:&|=+*\/]|-[^>]|<|>|else|catch)/) return 0
    return 1
}

function indentation(s) {
    match(s, /^[ ]*/)
    return RLENGTH
}

# Finds each place of an operator that has a space on both sides.
function replace_operator(i, old, new, name,    at, from, found) {
    from = 1
    while ((found = index(substr(masked[i], from), " " old " ")) > 0) {
        at = from + found
        if (name == "comparison" && is_vague(i, at, at + length(old))) { from = at + length(old); continue }
        change(i, at, length(old), name, new, old "@OPERATOR@")
        from = at + length(old)
    }
}

# Whether what is compared meets at no point that a test could reach: two moments or spans of time, a descriptor and 0, which is
# taken as long as the process has a standard input, or two elements in an order, which are as good in either one where they are alike.
function is_vague(i, at, end,    left, right) {
    if (substr(masked[i], at, 1) !~ /[<>]/) return 0
    left = substr(masked[i], 1, at - 2)
    right = substr(masked[i], end + 1)
    if (left ~ /[$]0[.A-Za-z0-9]*$/ && right ~ /^[$]1/) return 1
    return right ~ /^([.](zero|seconds|milliseconds|microseconds)|deadline|(ContinuousClock)?[.]now)/ || left ~ /(ContinuousClock)?[.]now$/ ||
        (right ~ /^0([^0-9]|$)/ && left ~ /[dD]escriptor$/)
}

function digits(s) {
    gsub(/_/, "", s)
    return s
}

function literals(i,    head, rest, at, from, token, previous, following, value) {
    from = 1
    while (match(rest = substr(masked[i], from), /[0-9][0-9_]*/)) {
        at = from + RSTART - 1
        token = substr(masked[i], at, RLENGTH)
        previous = at == 1 ? " " : substr(masked[i], at - 1, 1)
        following = substr(masked[i], at + RLENGTH, 1)
        from = at + RLENGTH
        if (following ~ /[xob]/ && token == "0") {
            while (substr(masked[i], from, 1) ~ /[0-9A-Za-z_]/) from++
            continue
        }
        # Not the number of a closure's argument or of a tuple's element, not a part of a name or type; a range is no fraction.
        if (previous ~ /[A-Za-z0-9_$<]/ || following ~ /[A-Za-z_]/) continue
        if (previous == "." && substr(masked[i], at - 3, 3) != "...") continue
        if (following == "." && substr(masked[i], at + RLENGTH, 3) !~ /^\.\.[.<]/) {
            if (substr(masked[i], at + RLENGTH + 1, 1) ~ /[0-9]/) {
                while (substr(masked[i], from, 1) ~ /[0-9.]/) from++
                continue
            }
        }
        value = digits(token)
        if (length(value) > 9) continue
        # A number, not its text: otherwise 64 is not below 1000.
        value += 0
        # A factor of a hash, a capacity or a size that somebody chose is right one beside it, too.
        head = substr(masked[i], 1, at - 1)
        if (head ~ /(&\* |[cC]apacity[:(] ?|alignment: |\^= [a-z]+ (<<|>>) )$/) continue
        # What the system writes before anybody reads it, a byte that says only that it has come, and what chance gives.
        if (head ~ /(revents: |\[UInt8\]\(repeating: |var byte: UInt8 = )$/ || head ~ /[.]random\(in: /) continue
        # The lowest descriptor that a process gets is above those of its standard files.
        if (value == 0 && head ~ /[dD]escriptor (<|>=) $/) continue
        # A patience of a second more is as good, and no test waits for it; what divides a time is a unit.
        if (head ~ /\/ [.](seconds|milliseconds|microseconds)\($/) continue
        if (value > 0 && head ~ /[.](seconds|milliseconds|microseconds)\($/) {
            exchange(i, at, RLENGTH, "constant", "0")
            continue
        }
        if (value < 1000) exchange(i, at, RLENGTH, "bound", value + 1)
        if (value > 0 && value < 1000) exchange(i, at, RLENGTH, "bound", value - 1)
        if (value > 1) exchange(i, at, RLENGTH, "constant", "0")
    }
}

function words(i, old, new,    from, at, previous, following) {
    from = 1
    while (match(substr(masked[i], from), old)) {
        at = from + RSTART - 1
        from = at + length(old)
        previous = at == 1 ? " " : substr(masked[i], at - 1, 1)
        following = substr(masked[i], at + length(old), 1)
        if (previous !~ /[A-Za-z0-9_.`]/ && following !~ /[A-Za-z0-9_:`]/) exchange(i, at, length(old), "constant", new)
    }
}

# A short body at the end of a line: { statement }, or what follows a case.
function short_body(i,    at, s, what, space) {
    if (match(masked[i], /\{ [^{}]+ \}$/)) {
        at = RSTART + 2
        s = substr(masked[i], at, RLENGTH - 4)
        what = kind(s)
        if (what != "" && !is_value(i, s)) leave_out(i, at, RLENGTH - 4, deletion(s, what))
    } else if (bare[i] ~ /^(case .*|default): / && match(masked[i], /^ *(case [^:]*(\([^()]*\))?|default): /)) {
        at = RLENGTH + 1
        s = trim(substr(masked[i], at))
        space = length(s)
        what = kind(s)
        if (what != "") leave_out(i, at, space, deletion(s, what))
    }
}

function list(    i, space, what, next_, from, old, silenced) {
    for (i = 1; i <= lines; i++) {
        if (left_out[i] || bare[i] == "" || bare[i] ~ /^(@[A-Za-z]+(\(.*\))?$|@available|import |public import |private import )/) continue
        if (bare[i] ~ ending) continue
        if (masked[i] !~ /(^|[^A-Za-z_])(func|typealias|associatedtype) /) {
            replace_operator(i, "<", "<=", "comparison")
            replace_operator(i, "<=", "<", "comparison")
            replace_operator(i, ">", ">=", "comparison")
            replace_operator(i, ">=", ">", "comparison")
            if (masked[i] !~ / where .* == / || masked[i] ~ /^ *(for|case|while|if|guard|catch) /) {
                replace_operator(i, "==", "!=", "comparison")
                replace_operator(i, "!=", "==", "comparison")
                replace_operator(i, "===", "!==", "comparison")
                replace_operator(i, "!==", "===", "comparison")
            }
        }
        from = 1
        while (match(substr(masked[i], from), /\.\.[.<]/)) {
            old = substr(masked[i], from + RSTART - 1, 3)
            # A range with one end is none that could be bounded otherwise, and nothing stands after the largest number of a type.
            if (substr(masked[i], from + RSTART + 2) !~ /^[A-Za-z0-9_]+[.]max/ && substr(masked[i], from + RSTART + 2, 1) ~ /[A-Za-z0-9_(-]/ && (from + RSTART > 2) &&
                substr(masked[i], from + RSTART - 2, 1) ~ /[A-Za-z0-9_)]/)
                change(i, from + RSTART - 1, 3, "bound", old == "..<" ? "..." : "..<", " " old "@OPERATOR@ ")
            from += RSTART + 2
        }
        # A raw value is a literal, or nothing compiles.
        if (bare[i] !~ /^case [^:(]* = /) literals(i)
        words(i, "true", "false")
        words(i, "false", "true")
        # A flush that is left out answers like one that succeeded.
        if (match(masked[i], /(fsync|fdatasync|fflush|syncfs)\([^()]*\) [=!]= 0/))
            exchange(i, RSTART, index(substr(masked[i], RSTART), ")"), "flush", "0")

        if (!is_statement(i)) {
            short_body(i)
            continue
        }
        what = kind(bare[i])
        space = substr(text[i], 1, indentation(text[i]))
        if (!is_kept(bare[i]) && !(what == "call" && is_value(i, bare[i])))
            leave_out(i, length(space) + 1, length(trim(text[i])), deletion(bare[i], what))
        if (bare[i] ~ /^try / && what == "call") {
            silenced = "_ = try? " substr(trim(text[i]), 5)
            emit(i, i, "error", space silenced, space "if " active " { " silenced " } else { " trim(text[i]) " }")
        }
        next_ = i + 1
        if (next_ <= lines && what != "throw" && is_statement(next_) && kind(bare[next_]) != "throw" &&
            indentation(text[next_]) == length(space) && bare[next_] != bare[i] && !commute(i, bare[i], bare[next_]))
            emit(i, next_, "order", text[next_] "\n" text[i],
                space "if " active " { " trim(text[next_]) "; " trim(text[i]) " } else { " trim(text[i]) "; " trim(text[next_]) " }")
    }
    lines = 0
}
