// SPDX-License-Identifier: Apache-2.0

// _dl_find_object is an extension that the C library declares only on request.
#define _GNU_SOURCE

#include "gatehouse_places.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// The file of a library, mapped for reading.
struct file {
    const uint8_t *bytes;
    size_t count;
};

/// Copies the part of a path after the last slash.
static void copy_last_part(char *to, const char *path, size_t room) {
    const char *slash = strrchr(path, '/');
    const char *part = slash == NULL ? path : slash + 1;
    size_t count = 0;
    while (count + 1 < room && part[count] != 0) {
        // One line stays one line.
        to[count] = (unsigned char)part[count] < ' ' ? '?' : part[count];
        count++;
    }
    to[count] = 0;
}

/// Maps a file if it is the one loaded at an address: another one may have taken its name.
static bool map_loaded(const char *path, const void *loaded, struct file *file) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) { return false; }
    struct stat status;
    void *memory = MAP_FAILED;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size > sizeof(Elf64_Ehdr)) {
        memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    close(descriptor);
    if (memory == MAP_FAILED) { return false; }
    *file = (struct file){memory, (size_t)status.st_size};
    // The header contains the sizes of all tables, so two builds nearly always differ in it.
    if (memcmp(memory, loaded, sizeof(Elf64_Ehdr)) == 0 && memcmp(memory, ELFMAG, SELFMAG) == 0) { return true; }
    munmap(memory, file->count);
    return false;
}

/// The sections of a file; NULL for an incomplete table.
static const Elf64_Shdr *sections_of(const struct file *file, size_t *count) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->bytes;
    const bool is_known = header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shentsize == sizeof(Elf64_Shdr)
        && header->e_shoff % sizeof(uint64_t) == 0;
    if (!is_known || header->e_shoff > file->count
        || header->e_shnum > (file->count - header->e_shoff) / sizeof(Elf64_Shdr)
        || header->e_shstrndx >= header->e_shnum) {
        return NULL;
    }
    *count = header->e_shnum;
    return (const Elf64_Shdr *)(const void *)(file->bytes + header->e_shoff);
}

/// The bytes of a section; NULL for one that is not in the file, or is compressed.
static const uint8_t *bytes_of(const struct file *file, const Elf64_Shdr *section, size_t *count) {
    const bool is_there = section->sh_type != SHT_NOBITS && !(section->sh_flags & SHF_COMPRESSED)
        && section->sh_offset <= file->count && section->sh_size <= file->count - section->sh_offset;
    *count = is_there ? section->sh_size : 0;
    return is_there ? file->bytes + section->sh_offset : NULL;
}

/// The text at an offset of a string table; empty where it does not end there.
static const char *text_at(const uint8_t *texts, size_t count, size_t offset) {
    const bool is_whole = texts != NULL && offset < count && memchr(texts + offset, 0, count - offset) != NULL;
    return is_whole ? (const char *)texts + offset : "";
}

/// Looks an address up in a table of symbols.
static void find_function(
    const struct file *file, const Elf64_Shdr *sections, size_t sections_count, const Elf64_Shdr *table,
    struct gatehouse_place *place) {
    size_t bytes, texts_bytes;
    const uint8_t *start = bytes_of(file, table, &bytes);
    if (start == NULL || table->sh_link >= sections_count || table->sh_offset % sizeof(uint64_t) != 0) { return; }
    const uint8_t *texts = bytes_of(file, &sections[table->sh_link], &texts_bytes);
    const Elf64_Sym *symbols = (const Elf64_Sym *)(const void *)start;
    for (size_t index = 0; index < bytes / sizeof *symbols; index++) {
        const Elf64_Sym *symbol = &symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) { continue; }
        if (place->offset < symbol->st_value || place->offset - symbol->st_value >= symbol->st_size) { continue; }
        const char *name = text_at(texts, texts_bytes, symbol->st_name);
        if (strlen(name) < sizeof place->function) { strcpy(place->function, name); }
        return;
    }
}

/// Reads the facts about a place from the file of its library.
static void read_file(const struct file *file, struct gatehouse_place *place) {
    size_t count = 0, names_bytes = 0;
    const Elf64_Shdr *sections = sections_of(file, &count), *symbols = NULL, *exported = NULL;
    if (sections == NULL) { return; }
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->bytes;
    const uint8_t *names = bytes_of(file, &sections[header->e_shstrndx], &names_bytes);
    struct gatehouse_line_sections lines;
    memset(&lines, 0, sizeof lines);
    for (size_t index = 0; index < count; index++) {
        const char *name = text_at(names, names_bytes, sections[index].sh_name);
        if (sections[index].sh_type == SHT_SYMTAB) { symbols = &sections[index]; }
        if (sections[index].sh_type == SHT_DYNSYM) { exported = &sections[index]; }
        if (strcmp(name, ".debug_line") == 0) {
            lines.lines = bytes_of(file, &sections[index], &lines.lines_bytes);
        } else if (strcmp(name, ".debug_line_str") == 0) {
            lines.line_texts = bytes_of(file, &sections[index], &lines.line_texts_bytes);
        } else if (strcmp(name, ".debug_str") == 0) {
            lines.texts = bytes_of(file, &sections[index], &lines.texts_bytes);
        }
    }
    if (symbols == NULL) { symbols = exported; }
    if (symbols != NULL) { find_function(file, sections, count, symbols, place); }
    if (lines.lines != NULL) { gatehouse_find_line(&lines, place->offset, place); }
}

bool gatehouse_place_of(uint64_t address, struct gatehouse_place *place) {
    memset(place, 0, sizeof *place);
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)address, &found) != 0 || found.dlfo_link_map == NULL) { return false; }
    const char *name = found.dlfo_link_map->l_name;
    const bool is_program = name == NULL || name[0] == 0;
    place->offset = address - found.dlfo_link_map->l_addr;
    copy_last_part(place->library, is_program ? program_invocation_short_name : name, sizeof place->library);
    struct file file;
    if (!map_loaded(is_program ? "/proc/self/exe" : name, found.dlfo_map_start, &file)) { return true; }
    read_file(&file, place);
    munmap((void *)(uintptr_t)file.bytes, file.count);
    return true;
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
