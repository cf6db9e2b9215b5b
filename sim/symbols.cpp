// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <execinfo.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <iterator>
#include <vector>

extern "C" const char __ehdr_start;  // NOLINT: the linker's name of where the program begins in memory

namespace zlink::sim {

namespace {

struct symbol {
    std::uintptr_t begin = 0, size = 0;
    std::string name;
};

std::vector<symbol>& all()
{
    static std::vector<symbol> them;
    return them;
}

}  // namespace

void read_symbols()
{
    std::ifstream file("/proc/self/exe", std::ios::binary);
    const std::string octets((std::istreambuf_iterator<char>(file)), {});
    if (octets.size() < sizeof(Elf64_Ehdr)) return;
    const auto* const elf = reinterpret_cast<const Elf64_Ehdr*>(octets.data());
    const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(octets.data() + elf->e_shoff);
    const auto base = elf->e_type == ET_DYN ? reinterpret_cast<std::uintptr_t>(&__ehdr_start) : 0;
    for (int s = 0; s < elf->e_shnum; ++s) {
        if (sections[s].sh_type != SHT_SYMTAB) continue;
        const auto* const symbols = reinterpret_cast<const Elf64_Sym*>(octets.data() + sections[s].sh_offset);
        const char* const names = octets.data() + sections[sections[s].sh_link].sh_offset;
        for (std::size_t i = 0; i < sections[s].sh_size / sizeof *symbols; ++i) {
            if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_size == 0) continue;
            all().push_back({base + symbols[i].st_value, symbols[i].st_size, names + symbols[i].st_name});
        }
    }
    std::ranges::sort(all(), {}, &symbol::begin);
}

const std::string& symbol_at(const void* address)
{
    static const std::string none;
    const auto where = reinterpret_cast<std::uintptr_t>(address);
    auto at = std::ranges::upper_bound(all(), where, {}, &symbol::begin);
    if (at == all().begin()) return none;
    --at;
    return where <= at->begin + at->size ? at->name : none;
}

std::string function_at(const void* address)
{
    const std::string& name = symbol_at(address);
    int status = 0;
    char* const clear = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string text = clear ? clear : name;
    std::free(clear);
    return text.empty() ? "?" : text;
}

void print_callers()
{
    void* callers[30];
    const int count = ::backtrace(callers, int(std::size(callers)));
    for (int i = 1; i < count; ++i) {
        const std::string name = function_at(callers[i]);
        if (name.find("zlink") == std::string::npos || name.starts_with("std::")) continue;
        std::fprintf(stderr, "%20s by %s\n", "", name.substr(0, name.find('(')).c_str());
    }
}

}  // namespace zlink::sim
