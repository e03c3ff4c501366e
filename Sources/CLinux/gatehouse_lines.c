// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_texts.h"

// The table of lines that DWARF keeps for each unit of a library: a header with the names of files, and a program that makes the rows,
// each an address with a file and a line. Any number in it may be wrong.

/// A sequential reader of bytes; past their end it returns zeros.
struct reader {
    const uint8_t *at, *end;
};

static uint64_t read_number(struct reader *reader, size_t bytes) {
    uint64_t number = 0;
    if ((size_t)(reader->end - reader->at) < bytes) {
        reader->at = reader->end;
        return 0;
    }
    // All supported machines are little-endian.
    for (size_t index = 0; index < bytes && index < 8; index++) { number |= (uint64_t)reader->at[index] << 8 * index; }
    reader->at += bytes;
    return number;
}

static uint64_t read_unsigned(struct reader *reader) {
    uint64_t number = 0;
    for (unsigned shift = 0; reader->at < reader->end; shift += 7) {
        const uint8_t byte = *reader->at++;
        if (shift < 64) { number |= (uint64_t)(byte & 0x7f) << shift; }
        if (!(byte & 0x80)) { break; }
    }
    return number;
}

static int64_t read_signed(struct reader *reader) {
    uint64_t number = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    while (reader->at < reader->end) {
        byte = *reader->at++;
        if (shift < 64) { number |= (uint64_t)(byte & 0x7f) << shift; }
        shift += 7;
        if (!(byte & 0x80)) { break; }
    }
    if (shift < 64 && byte & 0x40) { number |= ~UINT64_C(0) << shift; }
    return (int64_t)number;
}

/// Reads the next text; empty where it does not end.
static const char *read_text(struct reader *reader) {
    const uint8_t *start = reader->at;
    const uint8_t *end = reader->at < reader->end ? memchr(start, 0, (size_t)(reader->end - start)) : NULL;
    reader->at = end == NULL ? reader->end : end + 1;
    return end == NULL ? "" : (const char *)start;
}

/// Skips bytes.
static void skip(struct reader *reader, uint64_t bytes) {
    const uint64_t left = (uint64_t)(reader->end - reader->at);
    reader->at += bytes < left ? bytes : left;
}

/// The header of a unit.
struct unit {
    const struct gatehouse_line_sections *sections;
    /// The size of an offset into another section: 4 or 8.
    size_t offset_bytes;
    unsigned version;
    unsigned step, line_range, opcode_base;
    int line_base;
    /// The number of operands of an instruction, by its opcode less 1.
    const uint8_t *counts;
    /// The names of folders and files, and the program.
    struct reader names, program;
};

// MARK: - Names

/// The maximum number of columns in a table of names that is read.
enum { most_columns = 16 };

/// A table of names of version 5: the contents of each of its columns and their form.
struct columns {
    size_t count;
    uint64_t kinds[most_columns], forms[most_columns];
};

enum { kind_path = 1, kind_folder = 2 };
enum {
    form_block = 0x09, form_string = 0x08, form_data1 = 0x0b, form_data2 = 0x05, form_data4 = 0x06, form_data8 = 0x07,
    form_data16 = 0x1e, form_udata = 0x0f, form_strp = 0x0e, form_line_strp = 0x1f,
};

static struct columns read_columns(struct reader *reader) {
    struct columns columns = {.count = read_number(reader, 1)};
    for (size_t index = 0; index < columns.count; index++) {
        const uint64_t kind = read_unsigned(reader), form = read_unsigned(reader);
        if (index < most_columns) {
            columns.kinds[index] = kind;
            columns.forms[index] = form;
        }
    }
    if (columns.count > most_columns) { columns.count = most_columns; }
    return columns;
}

/// Reads one row of a table of names; false for an unknown form.
static bool read_row(
    const struct unit *unit, struct reader *reader, const struct columns *columns, const char **path,
    uint64_t *folder) {
    const struct gatehouse_line_sections *sections = unit->sections;
    for (size_t index = 0; index < columns->count; index++) {
        const char *text = NULL;
        uint64_t number = 0;
        switch (columns->forms[index]) {
            case form_string: text = read_text(reader); break;
            case form_strp:
                text = text_at(sections->texts, read_number(reader, unit->offset_bytes));
                break;
            case form_line_strp:
                text = text_at(sections->line_texts, read_number(reader, unit->offset_bytes));
                break;
            case form_data1: number = read_number(reader, 1); break;
            case form_data2: number = read_number(reader, 2); break;
            case form_data4: number = read_number(reader, 4); break;
            case form_data8: number = read_number(reader, 8); break;
            case form_data16: skip(reader, 16); break;
            case form_udata: number = read_unsigned(reader); break;
            case form_block: skip(reader, read_unsigned(reader)); break;
            default: return false;
        }
        if (columns->kinds[index] == kind_path && text != NULL) { *path = text; }
        if (columns->kinds[index] == kind_folder) { *folder = number; }
    }
    return true;
}

/// Finds the row with a number in a table of names of version 5, and skips the table; false for one that cannot be read.
static bool find_row(
    const struct unit *unit, struct reader *reader, uint64_t wanted, const char **path, uint64_t *folder) {
    const struct columns columns = read_columns(reader);
    const uint64_t count = read_unsigned(reader);
    for (uint64_t index = 0; index < count && reader->at < reader->end; index++) {
        const char *found = "";
        uint64_t number = 0;
        if (!read_row(unit, reader, &columns, &found, &number)) { return false; }
        if (index == wanted) {
            *path = found;
            *folder = number;
        }
    }
    return true;
}

/// Finds the names of a file and of its folder, by its number.
static void find_file(const struct unit *unit, uint64_t number, const char **file, const char **folder) {
    struct reader reader = unit->names;
    uint64_t folder_number = 0, unused = 0;
    if (unit->version >= 5) {
        struct reader folders = reader;
        const char *skipped = "";
        if (!find_row(unit, &reader, UINT64_MAX, &skipped, &unused)) { return; }
        if (find_row(unit, &reader, number, file, &folder_number)) {
            find_row(unit, &folders, folder_number, folder, &unused);
        }
        return;
    }
    struct reader folders = reader;
    while (*read_text(&reader) != 0) {}
    for (uint64_t index = 1; reader.at < reader.end; index++) {
        const char *name = read_text(&reader);
        if (*name == 0) { return; }
        folder_number = read_unsigned(&reader);
        read_unsigned(&reader);
        read_unsigned(&reader);
        if (index == number) {
            *file = name;
            break;
        }
    }
    for (uint64_t index = 1; index <= folder_number && folders.at < folders.end; index++) {
        const char *name = read_text(&folders);
        if (*name == 0) { return; }
        if (index == folder_number) { *folder = name; }
    }
}

/// Records a line.
static void enter(const struct unit *unit, uint64_t number, uint64_t line, struct gatehouse_place *place) {
    const char *file = "", *folder = "";
    find_file(unit, number, &file, &folder);
    if (*file == 0 || line == 0) { return; }
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;
    // Some compilers write the whole path into the name of the file.
    if (file[0] == '/') { folder = ""; }
    copy_line(place->file, name, sizeof place->file - 1);
    size_t most = sizeof place->directory - 1;
    if (*folder == 0) {
        folder = file;
        if ((size_t)(name - file) < most) { most = (size_t)(name - file); }
    }
    copy_line(place->directory, folder, most);
    place->line = line;
}

// MARK: - The program

/// The registers of the state machine that makes rows.
struct row {
    uint64_t address, file, line;
};

/// The standard opcodes, and the extended ones after a zero.
enum {
    op_copy = 1, op_advance_pc = 2, op_advance_line = 3, op_set_file = 4, op_const_add_pc = 8, op_fixed_advance_pc = 9,
    op_end_sequence = 1, op_set_address = 2,
};

/// Runs the program of a unit until a row covers an offset; returns whether one does, and which.
static bool run(const struct unit *unit, uint64_t offset, struct row *found) {
    struct reader reader = unit->program;
    const struct row first = {0, 1, 1};
    struct row row = first, before = first;
    // The linker dropped code that begins at 0.
    bool has_before = false, is_over = false;
    while (reader.at < reader.end) {
        const unsigned opcode = (unsigned)read_number(&reader, 1);
        bool is_row = false;
        is_over = false;
        if (opcode >= unit->opcode_base) {
            const unsigned special = opcode - unit->opcode_base;
            row.address += (uint64_t)unit->step * (special / unit->line_range);
            row.line += (uint64_t)(int64_t)(unit->line_base + (int)(special % unit->line_range));
            is_row = true;
        } else if (opcode == 0) {
            const uint64_t bytes = read_unsigned(&reader);
            struct reader part = reader;
            skip(&reader, bytes);
            const uint64_t kind = read_number(&part, 1);
            if (bytes > 0 && kind == op_set_address) { row.address = read_number(&part, 8); }
            is_over = bytes > 0 && kind == op_end_sequence;
            is_row = is_over;
        } else {
            switch (opcode) {
                case op_copy: is_row = true; break;
                case op_advance_pc: row.address += read_unsigned(&reader) * unit->step; break;
                case op_advance_line: row.line += (uint64_t)read_signed(&reader); break;
                case op_set_file: row.file = read_unsigned(&reader); break;
                case op_const_add_pc:
                    row.address += (uint64_t)unit->step * ((255 - unit->opcode_base) / unit->line_range);
                    break;
                case op_fixed_advance_pc: row.address += read_number(&reader, 2); break;
                default:
                    for (unsigned count = unit->counts[opcode - 1]; count > 0; count--) { read_unsigned(&reader); }
            }
        }
        if (!is_row) { continue; }
        if (has_before && before.address != 0 && before.address <= offset && offset < row.address) {
            *found = before;
            return true;
        }
        before = row;
        has_before = !is_over;
        if (is_over) { row = first; }
    }
    return false;
}

/// Reads the header of the next unit and skips the unit; false for one that cannot be read.
static bool read_unit(struct reader *reader, struct unit *unit) {
    uint64_t bytes = read_number(reader, 4);
    unit->offset_bytes = bytes == 0xffffffff ? 8 : 4;
    if (unit->offset_bytes == 8) { bytes = read_number(reader, 8); }
    struct reader own = *reader;
    skip(reader, bytes);
    own.end = reader->at;
    unit->version = (unsigned)read_number(&own, 2);
    if (unit->version < 2 || unit->version > 5) { return false; }
    // The sizes of addresses, which are those of the machine, and of segments, which it does not have.
    if (unit->version >= 5) { skip(&own, 2); }
    const uint64_t header_bytes = read_number(&own, unit->offset_bytes);
    unit->program = own;
    skip(&unit->program, header_bytes);
    own.end = unit->program.at;
    unit->step = (unsigned)read_number(&own, 1);
    if (unit->version >= 4) { skip(&own, 1); }
    skip(&own, 1);
    unit->line_base = (int8_t)read_number(&own, 1);
    unit->line_range = (unsigned)read_number(&own, 1);
    unit->opcode_base = (unsigned)read_number(&own, 1);
    unit->counts = own.at;
    if (unit->line_range == 0 || unit->opcode_base == 0 || own.end - own.at < (ptrdiff_t)unit->opcode_base - 1) {
        return false;
    }
    skip(&own, unit->opcode_base - 1);
    unit->names = own;
    return true;
}

void gatehouse_find_line(
    const struct gatehouse_line_sections *sections, uint64_t offset, struct gatehouse_place *place) {
    struct reader reader = {sections->lines.start, sections->lines.start + sections->lines.count};
    while (reader.at < reader.end) {
        struct unit unit = {.sections = sections};
        struct row row;
        if (!read_unit(&reader, &unit) || !run(&unit, offset, &row)) { continue; }
        enter(&unit, row.file, row.line, place);
        return;
    }
}
