# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The classes of a source tree's src/ as libclang sees them: members, bases, and which other classes their types
name."""
import ctypes
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from check_includes import without_comments
from clang.cindex import Cursor, CursorKind, Index, TranslationUnit, TranslationUnitLoadError, TypeKind, conf

DEFINES = ["-DZLINK_CURVE", "-DZLINK_TLS", "-DBOOST_ASIO_HEADER_ONLY", "-DBOOST_ASIO_NO_DEPRECATED"]
# The compiler's own intrinsics are not needed where function bodies are skipped, and GCC's header is none for clang.
INTRINSICS = "".join(f"typedef long long __m{bits}i __attribute__((__vector_size__({bits // 8})));\n"
                     for bits in (128, 256, 512))
PARSING = TranslationUnit.PARSE_SKIP_FUNCTION_BODIES | TranslationUnit.PARSE_INCOMPLETE

RECORDS = {CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.UNION_DECL, CursorKind.CLASS_TEMPLATE,
           CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
FUNCTIONS = {CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR, CursorKind.CONVERSION_FUNCTION,
             CursorKind.FUNCTION_TEMPLATE}
INTEGERS = {TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG,
            TypeKind.CHAR_S,
            TypeKind.SCHAR, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG, TypeKind.ENUM}

CLASS_IN_SOURCE = re.compile(r"\b(?:class|struct|union)\s+[\w:]+(?:\s+final)?\s*(?::[^:;{}()][^;{}()]*)?\{")
NAMED_CONSTANT = re.compile(r"\bconst(?:expr|init)?\b[^;(){}=]*?\b(\w+)\s*(?:=[^=]|\{)")
BOOLEAN = re.compile(r"(?:bool|std::atomic_flag|std::bitset<.*>|(?:std::)?(?:atomic|optional|array)<bool\b.*>)(?:\[\d+\])*")


@dataclass
class Member:
    name: str
    boolean: bool
    integer: bool
    written: str  # its type


@dataclass
class Record:
    """A class as defined, by its USR: clang's name for it across translation units."""
    usr: str
    name: str
    path: Path
    lines: tuple       # first and last one of its definition, counted from 1
    around: str        # the class in which it is defined, or ""
    members: list = field(default_factory=list)
    bases: set = field(default_factory=set)
    named: set = field(default_factory=set)  # classes in the types of members and bases
    functions: bool = False
    hidden: bool = False  # not an aggregate: has private or protected data members

    def is_options(self):
        last = self.name.rsplit("::", 1)[-1]
        plain = not self.functions and not self.hidden
        return last.endswith("_options") or (plain and last.endswith(("options", "limits")))


def is_anonymous_record(cursor):
    """Whether its members belong to the class around: a struct or union with neither a name nor a member of its
    type."""
    conf.lib.clang_Cursor_isAnonymousRecordDecl.argtypes = [Cursor]
    conf.lib.clang_Cursor_isAnonymousRecordDecl.restype = ctypes.c_uint
    return bool(conf.lib.clang_Cursor_isAnonymousRecordDecl(cursor))


def class_of(cursor):
    """The USR of a class, of the template if it is one of a template's classes."""
    template = conf.lib.clang_getSpecializedCursorTemplate(cursor)
    return (template or cursor).get_usr()


def classes_in(kind):
    """The classes that a type names: itself, what it points to, its elements, and its template arguments."""
    kind = kind.get_canonical()
    while True:
        if kind.kind in (TypeKind.POINTER, TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE):
            kind = kind.get_pointee()
        elif kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.DEPENDENTSIZEDARRAY):
            kind = kind.element_type
        else:
            break
    declared = kind.get_declaration()
    if declared.kind in RECORDS:
        yield class_of(declared)
    for number in range(max(0, kind.get_num_template_arguments())):
        argument = kind.get_template_argument_type(number)
        if argument.kind != TypeKind.INVALID:
            yield from classes_in(argument)


def classes_named_by(cursor):
    """The classes in a member's or a base's type, and in what is written there: template arguments that depend on
    others."""
    found = set(classes_in(cursor.type))
    for child in cursor.get_children():
        if child.kind == CursorKind.TYPE_REF and child.referenced:
            found.update(classes_in(child.referenced.type))
        elif child.kind == CursorKind.TEMPLATE_REF and child.referenced:
            found.add(class_of(child.referenced))
    return found


def base_of(cursor):
    """The class of a base specifier; with template arguments, the template."""
    declared = cursor.type.get_canonical().get_declaration()
    if declared.kind in RECORDS:
        return class_of(declared)
    named = [child.referenced for child in cursor.get_children() if child.kind == CursorKind.TEMPLATE_REF
             and child.referenced]
    return class_of(named[0]) if named else ""


def is_integer(kind):
    kind = kind.get_canonical()
    if kind.get_declaration().spelling == "atomic" and kind.get_num_template_arguments() == 1:
        kind = kind.get_template_argument_type(0).get_canonical()
    return kind.kind in INTEGERS


def member_of(cursor):
    written = re.sub(r"\b(?:const|volatile|mutable) ", "", cursor.type.get_canonical().spelling)
    one_bit = cursor.is_bitfield() and cursor.get_bitfield_width() == 1
    boolean = one_bit or BOOLEAN.fullmatch(written) is not None
    return Member(cursor.spelling, boolean, not boolean and is_integer(cursor.type), cursor.type.spelling)


class Tree:
    """All classes of src/, and its text."""

    def __init__(self, root):
        self.root = root
        self.src = root / "src"
        self.files = sorted(path for path in self.src.rglob("*") if path.suffix in {".hpp", ".cpp", ".h"})
        self.texts = {path: path.read_text() for path in self.files}
        self.code = {path: without_comments(text) for path, text in self.texts.items()}
        self.records = {}  # by USR
        self.constants = {name for code in self.code.values() for name in NAMED_CONSTANT.findall(code)}
        self._parse()

    def _parse(self):
        """All headers as one translation unit, which precompiles them for each .cpp file that defines a class."""
        headers = [path for path in self.files if path.suffix != ".cpp"]
        builtins = subprocess.run(["c++", "-print-file-name=include"], capture_output=True, text=True,
                                  check=True).stdout.strip()
        with tempfile.TemporaryDirectory() as scratch:
            all_headers, precompiled = f"{scratch}/all.hpp", f"{scratch}/all.pch"
            unsaved = [(all_headers, "".join(f'#include "{path}"\n' for path in headers)),
                       (f"{scratch}/immintrin.h", INTRINSICS)]
            arguments = ["-xc++", "-std=c++20", "-w", f"-I{scratch}", f"-I{self.src}", f"-I{self.root}/include",
                         "-idirafter", builtins,
                         *DEFINES]
            index = Index.create()

            def parse(path, *more):
                unit = index.parse(str(path), [*arguments, *more], unsaved, PARSING)
                return unit, [problem for problem in unit.diagnostics if problem.severity >= problem.Error]

            unit, errors = parse(all_headers)
            stop_at(errors)
            unit.save(precompiled)
            self._take(unit.cursor, headers)
            for path in self.files:
                if path.suffix == ".cpp" and CLASS_IN_SOURCE.search(self.code[path]):
                    try:
                        unit, errors = parse(path, "-include-pch", precompiled)
                    except TranslationUnitLoadError:
                        errors = [True]
                    if errors:  # names of headers that it does not include may be in its way
                        unit, errors = parse(path)
                    stop_at(errors)
                    self._take(unit.cursor, [path])

    def _take(self, unit, files):
        names = {str(path): path for path in files}
        for cursor in unit.get_children():
            where = cursor.location.file
            if where and where.name in names:
                self._visit(cursor, names[where.name])

    def _visit(self, cursor, path):
        if cursor.kind in (CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL):
            for child in cursor.get_children():
                self._visit(child, path)
        elif cursor.kind == CursorKind.ENUM_DECL:
            self.constants.update(child.spelling for child in cursor.get_children()
                                  if child.kind == CursorKind.ENUM_CONSTANT_DECL)
        elif cursor.kind in RECORDS and cursor.is_definition():
            record = Record(cursor.get_usr(), name_of(cursor, path), path,
                            (cursor.extent.start.line, cursor.extent.end.line),
                            class_around(cursor))
            self.records[record.usr] = record
            self._fill(record, cursor)

    def _fill(self, record, cursor):
        for child in cursor.get_children():
            if child.kind == CursorKind.FIELD_DECL:
                if child.spelling:  # others only fill up bits
                    record.members.append(member_of(child))
                    record.named |= classes_named_by(child)
                    record.hidden |= child.access_specifier.name in ("PRIVATE", "PROTECTED")
            elif child.kind == CursorKind.CXX_BASE_SPECIFIER:
                record.bases.add(base_of(child))
                record.named |= classes_named_by(child)
            elif child.kind in RECORDS and is_anonymous_record(child):
                self._fill(record, child)
            elif child.kind in FUNCTIONS:
                record.functions |= not child.is_default_method()
            else:
                self._visit(child, record.path)


def stop_at(errors):
    for problem in errors:
        where = problem.location
        print(f"{where.file}:{where.line}:{where.column}: {problem.spelling}", file=sys.stderr)
    if errors:
        sys.exit("src/ cannot be parsed, see above")


def class_around(cursor):
    parent = cursor.semantic_parent
    while parent and parent.kind in RECORDS and is_anonymous_record(parent):
        parent = parent.semantic_parent
    return parent.get_usr() if parent and parent.kind in RECORDS else ""


def name_of(cursor, path):
    """As it is written from namespace zlink; an anonymous namespace is called by the file's name."""
    words = []
    while cursor and cursor.kind != CursorKind.TRANSLATION_UNIT:
        if cursor.kind in RECORDS:
            if not is_anonymous_record(cursor):
                of_template = cursor.kind != CursorKind.CLASS_TEMPLATE and "<" in cursor.displayname
                unnamed = "(" in cursor.spelling or not cursor.spelling
                words.append("(unnamed)" if unnamed else cursor.displayname.replace(" ", "") if of_template
                             else cursor.spelling)
        elif cursor.kind == CursorKind.NAMESPACE:
            words.append(cursor.spelling or f"({path.name})")
        cursor = cursor.semantic_parent
    return "::".join(reversed(words)).removeprefix("zlink::")
