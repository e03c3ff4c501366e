// SPDX-License-Identifier: Apache-2.0

// _dl_find_object is an extension that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_texts.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// Maps the file of a library; false where there is none.
///
/// - Parameter loaded: where it is loaded, because another file may have taken its name; NULL for any.
static bool map_library(const char *path, const void *loaded, struct gatehouse_bytes *file) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) { return false; }
    struct stat status;
    void *memory = MAP_FAILED;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size > sizeof(Elf64_Ehdr)) {
        memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    close(descriptor);
    if (memory == MAP_FAILED) { return false; }
    *file = (struct gatehouse_bytes){memory, (size_t)status.st_size};
    // The header contains the sizes of all tables, so two builds nearly always differ in it.
    const bool is_it = loaded == NULL || memcmp(memory, loaded, sizeof(Elf64_Ehdr)) == 0;
    if (is_it && memcmp(memory, ELFMAG, SELFMAG) == 0) { return true; }
    munmap(memory, file->count);
    return false;
}

/// The sections of a file; NULL for an incomplete table.
static const Elf64_Shdr *sections_of(const struct gatehouse_bytes *file, size_t *count) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->start;
    const bool is_known = header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shentsize == sizeof(Elf64_Shdr)
        && header->e_shoff % sizeof(uint64_t) == 0;
    if (!is_known || header->e_shoff > file->count
        || header->e_shnum > (file->count - header->e_shoff) / sizeof(Elf64_Shdr)
        || header->e_shstrndx >= header->e_shnum) {
        return NULL;
    }
    *count = header->e_shnum;
    return (const Elf64_Shdr *)(const void *)(file->start + header->e_shoff);
}

/// The bytes of a section; NULL for one that is not in the file, or is compressed.
static struct gatehouse_bytes bytes_of(const struct gatehouse_bytes *file, const Elf64_Shdr *section) {
    const bool is_there = section->sh_type != SHT_NOBITS && !(section->sh_flags & SHF_COMPRESSED)
        && section->sh_offset <= file->count && section->sh_size <= file->count - section->sh_offset;
    return is_there ? (struct gatehouse_bytes){file->start + section->sh_offset, section->sh_size} : (struct gatehouse_bytes){NULL, 0};
}

/// Looks an address up in a table of symbols.
static void find_function(
    const struct gatehouse_bytes *file, const Elf64_Shdr *sections, size_t sections_count, const Elf64_Shdr *table,
    struct gatehouse_place *place) {
    const struct gatehouse_bytes bytes = bytes_of(file, table);
    if (bytes.start == NULL || table->sh_link >= sections_count || table->sh_offset % sizeof(uint64_t) != 0) { return; }
    const struct gatehouse_bytes texts = bytes_of(file, &sections[table->sh_link]);
    const Elf64_Sym *symbols = (const Elf64_Sym *)(const void *)bytes.start;
    for (size_t index = 0; index < bytes.count / sizeof *symbols; index++) {
        const Elf64_Sym *symbol = &symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) { continue; }
        if (place->offset < symbol->st_value || place->offset - symbol->st_value >= symbol->st_size) { continue; }
        const char *name = text_at(texts, symbol->st_name);
        if (strlen(name) < sizeof place->function) { strcpy(place->function, name); }
        return;
    }
}

/// Reads the facts about a place from the file of its library.
static void read_file(const struct gatehouse_bytes *file, struct gatehouse_place *place) {
    size_t count = 0;
    const Elf64_Shdr *sections = sections_of(file, &count), *symbols = NULL, *exported = NULL;
    if (sections == NULL) { return; }
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->start;
    const struct gatehouse_bytes names = bytes_of(file, &sections[header->e_shstrndx]);
    struct gatehouse_line_sections lines;
    memset(&lines, 0, sizeof lines);
    for (size_t index = 0; index < count; index++) {
        const char *name = text_at(names, sections[index].sh_name);
        if (sections[index].sh_type == SHT_SYMTAB) { symbols = &sections[index]; }
        if (sections[index].sh_type == SHT_DYNSYM) { exported = &sections[index]; }
        if (strcmp(name, ".debug_line") == 0) {
            lines.lines = bytes_of(file, &sections[index]);
        } else if (strcmp(name, ".debug_line_str") == 0) {
            lines.line_texts = bytes_of(file, &sections[index]);
        } else if (strcmp(name, ".debug_str") == 0) {
            lines.texts = bytes_of(file, &sections[index]);
        }
    }
    if (symbols == NULL) { symbols = exported; }
    if (symbols != NULL) { find_function(file, sections, count, symbols, place); }
    if (lines.lines.start != NULL) { gatehouse_find_line(&lines, place->offset, place); }
}

/// Reads the facts about a place from the file of its library, if that can be mapped; returns whether it could.
///
/// - Parameter loaded: where it is loaded; NULL for any file of that path.
static bool read_library(const char *path, const void *loaded, struct gatehouse_place *place) {
    struct gatehouse_bytes file;
    if (!map_library(path, loaded, &file)) { return false; }
    read_file(&file, place);
    munmap((void *)(uintptr_t)file.start, file.count);
    return true;
}

bool gatehouse_place_of(uint64_t address, struct gatehouse_place *place) {
    memset(place, 0, sizeof *place);
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)address, &found) != 0 || found.dlfo_link_map == NULL) { return false; }
    const char *name = found.dlfo_link_map->l_name;
    const bool is_program = name == NULL || name[0] == 0;
    place->offset = address - found.dlfo_link_map->l_addr;
    const char *slash = is_program ? NULL : strrchr(name, '/');
    const char *last = is_program ? program_invocation_short_name : slash == NULL ? name : slash + 1;
    copy_line(place->library, last, sizeof place->library - 1);
    read_library(is_program ? "/proc/self/exe" : name, found.dlfo_map_start, place);
    return true;
}

bool gatehouse_place_in(const char *path, uint64_t offset, struct gatehouse_place *place) {
    memset(place, 0, sizeof *place);
    place->offset = offset;
    const char *slash = strrchr(path, '/');
    copy_line(place->library, slash == NULL ? path : slash + 1, sizeof place->library - 1);
    return read_library(path, NULL, place);
}

/// Whether a text begins with another one.
static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

bool gatehouse_place_is_written(const struct gatehouse_place *place) {
    static const char *const rust[] = {"/rustc/", "library/std/", "library/core/", "library/alloc/"};
    if (place->line == 0 || place->file[0] == '<') { return false; }
    for (size_t index = 0; index < sizeof rust / sizeof *rust; index++) {
        if (begins(place->directory, rust[index])) { return false; }
    }
    return true;
}
