# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Kernels as text: functions, what they call, where they store, and the rules that every kernel source must keep.

The reader knows the part of C++ that kernel and arithmetic headers are written in. What it cannot read is an error,
never a silent pass.
"""
import os
import re
import subprocess
import tempfile

from source_audit import INCLUDE, LIBM_CALL, audit_arithmetic

FEATURES = "src/features/"
KERNEL_LIST = FEATURES + "device/kernel_list.cc"
PROGRAM = FEATURES + "device/device_program.h"
SESSION = FEATURES + "device/device_session.cc"
PRELUDE = "src/base/kernel_prelude.h"

# What brings pictures to their places, and the metrics with kernels; each has one module of its name.
MODULES = ("picture", "psnr", "float_psnr", "motion", "float_motion", "vif", "adm", "cambi", "speed")
# In those that are not here floats do not occur.
FLOAT_MODULES = ("float_psnr", "float_motion", "cambi", "speed")
# Kernels that add up floats. The order of additions is part of the score: one work-item adds a row from left to right.
ROW_CHAINS = {"float_motion": ("row_sads",)}
# Kernels that add up floats over the taps of a filter or a window of samples, with the number of float additions and
# subtractions in each. Loops go up one by one, and a sum has one addition.
FILTERED_COLUMNS = {"nearest": 3, "bilinear": 3, "bicubic": 3, "lanczos4": 4}
ORDERED_SUMS = {"speed": {"filter_rows": 1, "prepare": 3, "means": 1, **{
    "filter_columns_%s_%s" % (resize, sample): count
    for resize, count in FILTERED_COLUMNS.items() for sample in ("u8", "u16")}}}
# Metrics whose borders follow Mirror() of the prelude. adm's wavelet has an edge rule of its own.
MIRRORED = ("motion", "float_motion", "vif", "speed")

TOGETHER = re.compile(r"\b(\w*(?:reduce_over_group|joint_reduce|group_reduce|_scan_over_group|sub_group|SubGroup|"
                      r"subgroup|shuffle|select_from_group|permute_group|shift_group|group_broadcast|atomic|Atomic|"
                      r"fetch_add|__shfl|__reduce_|__ballot|simd_sum|barrier|__syncthreads)\w*)\b")
CALL = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^;(){}]*>)?\s*\(")
ROW_TEST = re.compile(r"\brow\s*<(?![<=])")
CONTROL = {"if", "for", "while", "switch", "return", "sizeof", "static_cast", "do"}


def float_additions(module):
    """{kernel: float additions and subtractions} where their number says whether a compiler kept the order."""
    return {**{chain: 2 for chain in ROW_CHAINS.get(module, ())}, **ORDERED_SUMS.get(module, {})}


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def code_of(text):
    """Without comments and preprocessor lines, every character at its place."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.DOTALL)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.MULTILINE)


def closing(text, at):
    """Index of the bracket that closes the one at `at`."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    stack = []
    for index in range(at, len(text)):
        c = text[index]
        if c in pairs:
            stack.append(pairs[c])
        elif c in ")}]":
            if not stack or stack.pop() != c:
                raise ValueError("unbalanced %s" % c)
            if not stack:
                return index
    raise ValueError("no end of %s" % text[at])


def split_arguments(text):
    """Parts between commas that no bracket encloses."""
    parts, depth, begin = [], 0, 0
    for index, c in enumerate(text):
        if c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[begin:index].strip())
            begin = index + 1
    return parts + [text[begin:].strip()]


class Function:
    def __init__(self, path, line, owner, head, name, parameters, body):
        self.path, self.line, self.owner, self.head = path, line, owner, head
        self.name, self.parameters, self.body = name, parameters, body
        self.calls = set(CALL.findall(body)) - CONTROL
        self.is_void = re.search(r"\bvoid\s*$", head.strip()) is not None
        self.is_kernel = self.is_void and re.search(r"\bKernelItem\b", parameters) is not None

    def where(self):
        return "%s:%d: %s" % (self.path, self.line, self.name)


def functions_of(path, text):
    """Every function with a body, in namespaces and structs."""
    code, found = code_of(text), []

    def scope(begin, end, owner):
        head, index = begin, begin
        while index < end:
            c = code[index]
            if c == ";" or (c == ":" and re.fullmatch(r"\s*(public|private|protected)", code[head:index])):
                head = index + 1
            elif c == "(":
                index = closing(code, index)
            elif c == "{":
                last = closing(code, index)
                words = code[head:index].strip()
                plain = re.sub(r"^template\s*<", "template<", words)
                while plain.startswith("template<"):
                    depth, at = 0, len("template")
                    while True:
                        depth += {"<": 1, ">": -1}.get(plain[at], 0)
                        at += 1
                        if depth == 0:
                            break
                    plain = re.sub(r"^template\s*<", "template<", plain[at:].strip())
                named = re.match(r"(?:inline\s+)?(namespace|struct|class|union|enum)\b\s*([\w:]*)", plain)
                match = re.match(r"([^(=]*?)([A-Za-z_]\w*|operator\W+)\s*\(", plain)
                if named and "(" not in plain:
                    scope(index + 1, last, owner if named.group(1) == "namespace" else named.group(2))
                elif match:
                    opening = plain.index("(", match.end(2))
                    found.append(Function(path, code.count("\n", 0, index) + 1, owner, match.group(1), match.group(2),
                                          plain[opening + 1:closing(plain, opening)], code[index + 1:last]))
                index, head = last, last + 1
            index += 1

    scope(0, len(code), "")
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Statements of a body.

def statements(body):
    """(text, conditions around it) for each simple statement; a loop's header is a statement as well."""
    found = []

    def skip(index):
        while index < len(body) and body[index].isspace():
            index += 1
        return index

    def one(index, around):
        index = skip(index)
        if index >= len(body):
            return index
        if body[index] == "{":
            last = closing(body, index)
            inner = index + 1
            while skip(inner) < last:
                inner = one(inner, around)
            return last + 1
        match = re.match(r"(if\s+constexpr|if|for|while|switch)\s*\(", body[index:])
        if match:
            opening = index + match.end() - 1
            last = closing(body, opening)
            condition = body[opening + 1:last].strip()
            kind = match.group(1).split()[0]
            found.append(("%s (%s)" % (match.group(1), condition), around))
            index = one(last + 1, around + [(kind, condition)])
            other = re.match(r"\s*else\b", body[index:])
            if kind == "if" and other:
                index = one(index + other.end(), around + [("else", condition)])
            return index
        match = re.match(r"do\b", body[index:])
        if match:
            found.append(("do", around))
            return one(index + match.end(), around + [("do", "")])
        end = index
        while end < len(body) and body[end] != ";":
            end = closing(body, end) + 1 if body[end] in "({[" else end + 1
        if body[index:end].strip() and not re.match(r"_Pragma|LOCKSTEP_(UNROLL|INDEPENDENT|ROLLED)\b", body[index:end]):
            found.append((re.sub(r"\s+", " ", body[index:end]).strip(), around))
        else:
            marked = re.match(r"(_Pragma\s*\([^)]*\)|LOCKSTEP_\w+)\s*", body[index:end])
            if marked:
                return one(index + marked.end(), around)
        return end + 1

    index = 0
    while skip(index) < len(body):
        index = one(index, [])
    return found


def assignment(statement):
    """(left side, operator, right side), or None."""
    depth = 0
    for index, c in enumerate(statement):
        if c in "({[":
            depth += 1
        elif c in ")}]":
            depth -= 1
        elif c == "=" and depth == 0:
            if statement[index + 1:index + 2] == "=":
                return None
            before = re.search(r"(<<|>>|[-+*/%&|^<>!=])?$", statement[:index]).group(0)
            if before in ("<", ">", "!", "="):
                return None
            return statement[:index - len(before)].strip(), before + "=", statement[index + 1:].strip()
    return None


DECLARATION = re.compile(r"^(?:(?:const|constexpr|static|volatile|typename|unsigned)\s+)*[\w:]+(?:<[^;=]*>)?(?:::\w+)*"
                         r"(?:\s+const)?(?:\s+|\s*[*&]+\s*)(?:const\s+|__restrict\s+)*(\w+)\s*(\[[^\]]*\])*$")
ARRAY = re.compile(r"^(?:(?:const|constexpr|static|volatile|typename|unsigned)\s+)*(?!return\b|else\b|delete\b|case\b)"
                   r"[A-Za-z_][\w:]*(?:<[^;=]*>)?(?:::\w+)*(?:\s+const)?[\s*&]+(?:const\s+|__restrict\s+)*(\w+)\s*\[[^\]]*\]"
                   r"\s*(?:\[[^\]]*\]\s*)*(?:$|=|\{)")


def declared(left):
    match = DECLARATION.match(left)
    return match.group(1) if match and not re.match(r"^\*?[\w.\[\]>-]+$", left) else None


class Stores:
    """Which functions store to memory without a test of the row around it."""

    def __init__(self, functions):
        self.functions = functions
        self.loose = {}
        # What they return is empty for idle rows. LiveRow() is the opposite: it makes idle rows look alive.
        self.row_tests = {f.name for f in functions if f.name != "LiveRow" and any(
            ROW_TEST.search(s) for s, _ in statements(f.body) if s.startswith("return "))}
        changed = True
        while changed:
            changed = False
            for function in functions:
                places = self._loose_of(function)
                if places != self.loose.get(id(function), []):
                    self.loose[id(function)] = places
                    changed = True

    def stores_at_all(self, function, seen=None):
        seen = seen or set()
        if id(function) in seen:
            return False
        seen.add(id(function))
        if any(self._is_store(s, self._references(function)) for s, _ in statements(function.body)):
            return True
        return any(self.stores_at_all(other, seen) for other in self.functions if other.name in function.calls)

    @staticmethod
    def _references(function):
        names = set(re.findall(r"(?:^|,)\s*(?!const\b)(?:typename\s+)?[\w:<>]+\s*&\s*(\w+)", function.parameters))
        for statement, _ in statements(function.body):
            parts = assignment(statement)
            if parts and re.search(r"&\s*\w+$", parts[0]) and "const" not in parts[0] and "[" in parts[2]:
                names.add(re.search(r"(\w+)$", parts[0]).group(1))
        return names

    @staticmethod
    def _is_store(statement, references):
        parts = assignment(statement)
        if parts:
            left = parts[0]
            if declared(left):
                return False
            return "[" in left or left.startswith("*") or left in references
        return re.search(r"(\+\+|--)\s*[\w.>-]+\[|\]\s*(\+\+|--)", statement) is not None

    def _loose_of(self, function):
        live, places = set(), []
        references = self._references(function)
        for statement, _ in statements(function.body):
            parts = assignment(statement)
            if parts and declared(parts[0]):
                words = set(re.findall(r"\w+", parts[2]))
                if ROW_TEST.search(parts[2]) and "||" not in parts[2] or words & (live | self.row_tests):
                    live.add(declared(parts[0]))

        def guarded(around):
            for kind, condition in around:
                words = set(re.findall(r"(?<![!.\w])\w+", condition))
                if kind == "if" and not re.search(r"\|\||!(?!=)", condition) and (ROW_TEST.search(condition) or words & live):
                    return True
                if kind == "for" and words & live:
                    return True
            return False

        for statement, around in statements(function.body):
            if guarded(around):
                continue
            if self._is_store(statement, references):
                places.append(statement)
                continue
            for other in self.functions:
                if not self.loose.get(id(other)) or other.is_kernel:
                    continue
                for match in re.finditer(r"\b%s\s*(?:<[^;(){}]*>)?\s*\(" % re.escape(other.name), statement):
                    arguments = statement[match.end():closing(statement, match.end() - 1)]
                    if not set(re.findall(r"\w+", arguments)) & live:
                        places.append("%s: %s" % (other.name, self.loose[id(other)][0]))
        return sorted(set(places))


# ---------------------------------------------------------------------------------------------------------------------
# The tree.

class Kernel:
    """An entry of a module's list."""

    def __init__(self, name, arguments, body):
        self.name, self.arguments, self.body = name, arguments, body


class KernelSources:
    """What the audits ask of a tree {path: text}."""

    def __init__(self, files, modules=MODULES):
        self.files, self.problems = files, []
        self.headers = {m: "%s%s/%s_kernels.h" % (FEATURES, m, m) for m in modules}
        self.missing = [m for m in modules if self.headers[m] not in files]
        self.modules = [m for m in modules if m not in self.missing]
        self.lists, self.functions = {}, {}
        for module in self.modules:
            self.lists[module], self.functions[module] = self._read(module)

    def included(self, path):
        """Our headers that `path` includes, directly or not, itself first."""
        found, queue = [], [path]
        while queue:
            path = queue.pop(0)
            if path in found or path not in self.files:
                continue
            found.append(path)
            code = without_comments(self.files[path])
            queue += ["src/" + name for bracket, name in INCLUDE.findall(code) if bracket == '"']
        return found

    def _read(self, module):
        """Kernels of the module's list, and {path: functions} of its headers as the preprocessor leaves them."""
        header, macro = self.headers[module], "LOCKSTEP_%s_KERNELS" % module.upper()
        if not re.search(r"#\s*define\s+%s\(X\)" % macro, self.files[header]):
            self.problems.append("%s: no list %s(X)" % (header, macro))
            return [], {}
        source = ('#include "%s"\n#define PROBE(name, Args, ...) @kernel@name@Args@__VA_ARGS__@end@\n%s(PROBE)\n' %
                  (header[len("src/"):], macro))
        with tempfile.TemporaryDirectory() as folder:
            for path in self.included(header):
                os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
                with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                    file.write(self.files[path])
            # The kernel compiler is a Clang, and C++17.
            done = subprocess.run(["clang++", "-std=c++17", "-D__SYCL_DEVICE_ONLY__=1", "-E", "-I", "src", "-x", "c++",
                                   "-"], input=source, text=True, capture_output=True, check=False, cwd=folder)
        if done.returncode != 0:
            self.problems.append("%s: cannot be read: %s" % (header, done.stderr.strip().splitlines()[0]))
            return [], {}
        entries = re.findall(r"@\s*kernel\s*@(.*?)@(.*?)@(.*?)@\s*end\s*@", done.stdout, re.DOTALL)
        lines, path, number = {}, "", 0
        for line in done.stdout.splitlines():
            marker = re.match(r'#\s*(?:line\s+)?(\d+)\s+"([^"]*)"', line)
            if marker:
                path, number = os.path.normpath(marker.group(2)), int(marker.group(1))
                continue
            if path.startswith("src/") and not line.startswith("#"):
                lines.setdefault(path, {})[number] = lines.get(path, {}).get(number, "") + " " + line
            number += 1
        functions = {}
        for path, text in lines.items():
            joined = "\n".join(text.get(n, "") for n in range(1, max(text) + 1))
            joined = re.sub(r"inline\s+__attribute__\s*\(\(always_inline\)\)", "LOCKSTEP_KERNEL", joined)
            try:
                functions[path] = functions_of(path, joined)
            except ValueError as error:
                self.problems.append("%s: cannot be read: %s" % (path, error))
        return [Kernel(*(re.sub(r"\s+", " ", part).strip() for part in entry)) for entry in entries], functions

    def closure(self, module, kernel):
        """The body of a kernel and every function that it can reach, without policies in binary64."""
        every = [f for functions in self.functions[module].values() for f in functions]
        binary64 = {f.owner for f in every if f.owner and re.search(r"\bdouble\b", f.body + f.parameters + f.head)}
        by_name = {}
        for function in every:
            if function.owner not in binary64:
                by_name.setdefault(function.name, []).append(function)
        name = re.match(r"(?:lockstep::)?(\w+)", kernel.body)
        found, queue = [], [f for f in by_name.get(name.group(1) if name else "", []) if f.is_kernel]
        while queue:
            function = queue.pop(0)
            if function in found:
                continue
            found.append(function)
            for called in sorted(function.calls):
                queue += by_name.get(called, [])
        return found

    def device_sources(self, module):
        """What launches the kernels of a metric and collects their results; pictures are the session's own."""
        if module == "picture":
            return {p: t for p, t in self.files.items() if p == SESSION}
        pattern = re.compile(r"%s%s/\w*_device\w*\.(cc|h)$" % (FEATURES, module))
        return {p: t for p, t in self.files.items() if pattern.match(p) and not p.endswith("_test.cc")}


def launches(text):
    """(AddLanes or AddRows, kernel names) for each launch; None where the names are out of sight."""
    code, found = without_comments(text), []

    def names_of(expression):
        names = re.findall(r'"(\w+)"', expression)
        for word in re.findall(r"\b[A-Za-z_]\w*", re.sub(r'"\w*"', "", expression)):
            for right in re.findall(r"\b%s\s*(?:\[[^=;]*\]\s*)*(?:=\s*|(?=\{))([^;]*);" % word, code):
                names += re.findall(r'"(\w+)"', right)
            for body in re.finditer(r"\b%s\s*\([^;{}]*\)\s*(?:const\s*)?\{" % word, code):
                last = closing(code, body.end() - 1)
                names += re.findall(r'"(\w+)"', code[body.end():last])
        return names

    for match in re.finditer(r"\b(AddLanes|AddRows)\s*\(", code):
        first = split_arguments(code[match.end():closing(code, match.end() - 1)])[0]
        found.append((match.group(1), names_of(first) or None))
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Audits: from KernelSources to a list of problems.

def audit_headers(sources):
    """A kernel header adds scheduling only: no library, no binary64, nothing that work-items do together."""
    problems = audit_arithmetic({p: t for p, t in sources.files.items() if p in sources.headers.values()})
    for path in sorted(p for p in sources.files if p.endswith("_kernels.h")):
        if path not in sources.headers.values():
            if set(sources.headers) == set(MODULES):
                problems.append("%s: no module of that name is known" % path)
            continue
        code = without_comments(sources.files[path])
        for word in ("sycl::", "__builtin_fma", "AdmBinary64Steps", "VifGainBinary64"):
            if word in code:
                problems.append("%s: uses %s" % (path, word))
        for match in TOGETHER.finditer(code):
            problems.append("%s: %s; work-items do not combine their values" % (path, match.group(1)))
    for module in sources.modules:
        for function in sources.functions[module].get(sources.headers[module], []):
            if "LOCKSTEP_KERNEL" not in function.head:
                problems.append("%s: is not marked LOCKSTEP_KERNEL, so it may not be inlined" % function.where())
    return problems


def audit_lists(sources):
    """Every kernel is in its module's list, every list in KernelList(); listed kernels have a body and are launched."""
    problems = list(sources.problems)
    problems += ["%s: there is no such file" % sources.headers[m] for m in sources.missing]
    registry = without_comments(sources.files.get(KERNEL_LIST, ""))
    table = re.search(r"KernelDescription\s+\w+\[\]\s*=\s*\{(.*?)\};", registry, re.DOTALL)
    for module in sources.modules:
        header, kernels = sources.headers[module], sources.lists[module]
        macro = "LOCKSTEP_%s" % module.upper()
        if not table or not re.search(r"\b%s_KERNELS\(%s\)" % (macro, macro), table.group(1)):
            problems.append("%s: KernelList() lacks %s_KERNELS" % (KERNEL_LIST, macro))
        if not re.search(r'#\s*define\s+%s\(\.\.\.\)\s+LOCKSTEP_DESCRIBE\("%s",' % (macro, module), registry):
            problems.append('%s: %s does not describe kernels of the module "%s"' % (KERNEL_LIST, macro, module))
        names = [k.name for k in kernels]
        if not names:
            problems.append("%s: the list is empty" % header)
        for name in sorted({n for n in names if names.count(n) > 1}):
            problems.append("%s: lists %s twice" % (header, name))
        listed = {f.name for k in kernels for f in sources.closure(module, k)}
        for kernel in kernels:
            if not sources.closure(module, kernel):
                problems.append("%s: kernel %s has no body %s" % (header, kernel.name, kernel.body))
        for function in sources.functions[module].get(header, []):
            if function.is_kernel and function.name not in listed:
                problems.append("%s: kernel is not listed in LOCKSTEP_%s_KERNELS" % (function.where(), module.upper()))
        device = sources.device_sources(module)
        if not device:
            problems.append("src/features/%s: no *_device.cc launches its kernels" % module)
        text = "\n".join(device.values())
        for name in names:
            if device and '"%s"' % name not in text:
                problems.append("%s: kernel %s is never launched" % (header, name))
        for how, launched in launches(text):
            for name in launched or []:
                if name not in names:
                    problems.append("src/features/%s: %s of %s, which is no kernel of its module" % (module, how, name))
    return problems


def audit_bodies(sources):
    """No early return, no array, no binary64, no libm; idle rows store nothing."""
    problems = []
    for module in sources.modules:
        for kernel in sources.lists[module]:
            found = sources.closure(module, kernel)
            if not found:
                continue
            tag = "%s, kernel %s" % (module, kernel.name)
            for function in found:
                at = "%s: %s" % (tag, function.where())
                if function.is_void and re.search(r"\breturn\b", function.body):
                    problems.append("%s: early return" % at)
                for statement, _ in statements(function.body):
                    match = ARRAY.match(statement)
                    if match:
                        problems.append("%s: private array %s" % (at, match.group(1)))
                    if re.match(r"(static|thread_local)\b", statement) and "constexpr" not in statement:
                        problems.append("%s: static variable" % at)
                if re.search(r"\b(double|_Float16)\b", function.body + function.parameters + function.head):
                    problems.append("%s: fp64 type" % at)
                match = re.search(r"(?<![\w.])(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])", function.body)
                if match:
                    problems.append("%s: fp64 type: %s has no f" % (at, match.group(0)))
                if re.search(r"\bgoto\b|\bnew\b|\bdelete\b|\bthrow\b|\[[&=\w, ]*\]\s*\(", function.body):
                    problems.append("%s: goto, allocation, exception or lambda" % at)
                for match in LIBM_CALL.finditer(function.body):
                    problems.append("%s: libm: calls %s" % (at, match.group(1)))
                for match in TOGETHER.finditer(function.body):
                    problems.append("%s: group, sub-group or atomic operation: %s" % (at, match.group(1)))
                if module not in FLOAT_MODULES and re.search(r"\bfloat\b", function.body + function.parameters):
                    problems.append("%s: float in an integer metric" % at)
            stores = Stores(found)
            body = found[0]
            if not stores.stores_at_all(body):
                problems.append("%s: stores nothing" % tag)
            elif not any("LiveRow" in f.calls for f in found):
                problems.append("%s: stores, but idle rows do not go through LiveRow()" % tag)
            for place in stores.loose.get(id(body), []):
                problems.append("%s: %s: store without a row test: %s" % (tag, body.where(), place))
    return problems


FLOAT_VARIABLE = re.compile(r"^float\s+(\w+)$")


def float_sums(function):
    """Mutable float variables that a statement adds to, with the statements."""
    variables, sums = set(re.findall(r"\bfloat\s*&\s*(\w+)", function.parameters)), {}
    for statement, _ in statements(function.body):
        parts = assignment(statement)
        left = parts[0] if parts else statement
        match = FLOAT_VARIABLE.match(left)
        if match:
            variables.add(match.group(1))
        elif parts and parts[1] in ("+=", "-=") and re.fullmatch(r"\w+(?:\.|->)[\w.]+", left):
            # A member may be a float; in a metric with floats no integer is added to in this way.
            sums.setdefault(left, []).append(statement)
        elif parts and left in variables:
            if parts[1] in ("+=", "-=") or re.search(r"\b%s\b" % left, parts[2]):
                sums.setdefault(left, []).append(statement)
    return variables, sums


def is_chain_step(name, statement):
    """The accumulator becomes itself plus one absolute difference."""
    pair = r"\w+\[x\]%s\w+\[x\]\)"
    return re.fullmatch(r"{0} = FloatMotionAddDifference\({0}, {1}|{0} (?:\+=|= {0} \+) __builtin_fabsf\({2}".format(
        re.escape(name), pair % ", ", pair % " - "), statement) is not None


def audit_ordered_sums(tag, found, sums):
    """Each sum has one addition, in loops that go up one by one from 0 and that no other work-item shares."""
    problems = []
    upwards = re.compile(r"i32 (\w+) = 0; \1 < (?:kTaps \* kTaps|args\.\w+); \+\+\1")
    for function in found:
        begun = {}
        for statement, around in statements(function.body):
            match = re.fullmatch(r"float (\w+) = 0\.0f", statement)
            if match:
                begun[match.group(1)] = len(around)
            parts = assignment(statement)
            if not parts or not any(f is function and s == statement for f, _, s in sums):
                continue
            name = re.escape(parts[0])
            if parts[0] not in begun:
                problems.append("%s: %s: a sum that does not begin at 0: %s" % (tag, function.where(), statement))
                continue
            if not re.fullmatch(r"%s = (?:%s \+ \w+(?:\[[^][]*\])?|SpeedFilterStep\(%s, .*\))" % (name, name, name),
                                statement) or len(re.findall(r"\b%s\b" % name, parts[2])) != 1:
                problems.append("%s: %s: more than one value is added: %s" % (tag, function.where(), statement))
            loops = around[begun[parts[0]]:]
            problems += ["%s: %s: a sum in a strided, blocked or shared loop: %s" % (tag, function.where(), condition)
                         for kind, condition in loops
                         if kind != "for" or not upwards.fullmatch(re.sub(r"\s+", " ", condition))]
        added = [name for f, name, _ in sums if f is function]
        problems += ["%s: %s: a sum with several additions: %s" % (tag, function.where(), name)
                     for name in sorted(set(added)) if added.count(name) != 1]
        if function.name == "SpeedFilterStep" and not re.fullmatch(r"\s*return (\w+) \+ (\w+) \* (\w+);\s*",
                                                                   function.body):
            problems.append("%s: %s: is not one sum and one product" % (tag, function.where()))
        if any(f is function for f, _, _ in sums) and re.search(r"\b(break|continue)\b", function.body):
            problems.append("%s: %s: a sum that ends early" % (tag, function.where()))
    return problems


def audit_row_chains(sources):
    """Float sums: only in the named kernels, and there one work-item adds a row from left to right."""
    problems = []
    launcher = [f for f in functions_of(PROGRAM, sources.files.get(PROGRAM, "")) if f.name == "AddRows"]
    if len(launcher) != 1 or not re.search(r"\bAdd\(\{\{kernel\}, rows, 0, 0, 0, \{\}\}, args\);", launcher[0].body):
        problems.append("%s: AddRows() does not launch one work-item a row" % PROGRAM)
    for module in sources.modules:
        chains = ROW_CHAINS.get(module, ())
        names = [k.name for k in sources.lists[module]]
        problems += ["%s: the row chain %s is not in its list" % (sources.headers[module], chain)
                     for chain in chains if chain not in names]
        for kernel in sources.lists[module] if module in FLOAT_MODULES else ():
            found = sources.closure(module, kernel)
            tag = "%s, kernel %s" % (module, kernel.name)
            sums = [(f, name, s) for f in found for name, places in float_sums(f)[1].items() for s in places]
            if kernel.name in ORDERED_SUMS.get(module, {}):
                problems += audit_ordered_sums(tag, found, sums)
                continue
            if kernel.name not in chains:
                for function, _, statement in sums:
                    problems.append("%s: %s: float sum outside the named row chains: %s" %
                                    (tag, function.where(), statement))
                continue
            loops = [(f, re.sub(r"\s+", " ", s)) for f in found for s, _ in statements(f.body)
                     if re.match(r"(for|while|do)\b", s)]
            for function, loop in loops:
                if not re.fullmatch(r"for \(i32 (\w+) = 0; \1 < (?:args\.)?w(?:idth)?; (?:\+\+\1|\1\+\+)\)", loop):
                    problems.append("%s: %s: row chain in a strided or blocked loop: %s" %
                                    (tag, function.where(), loop))
            if len(loops) != 1:
                problems.append("%s: a row chain has one loop, from column 0 in steps of 1; this has %d (blocked loop?)" %
                                (tag, len(loops)))
            if len({(id(f), name) for f, name, _ in sums}) != 1 or len(sums) != 1:
                problems.append("%s: a row chain has one fp32 accumulator with one addition; found %d additions" %
                                (tag, len(sums)))
            problems += ["%s: %s: more than one difference is added: %s" % (tag, function.where(), statement)
                         for function, name, statement in sums if not is_chain_step(name, statement)]
            problems += ["%s: %s: is not one sum and one difference" % (tag, f.where()) for f in found
                         if re.search(r"\bfloat\s*$", f.head.strip()) and not re.fullmatch(
                             r"\s*return (\w+) \+ __builtin_fabsf\((\w+) - (\w+)\);\s*", f.body)]
            variables = [v for f in found for v in sorted(float_sums(f)[0])]
            if len(variables) != 1:
                problems.append("%s: a row chain has one float variable that changes, its accumulator; found %s" %
                                (tag, ", ".join(variables) or "none"))
            for function in found:
                match = re.search(r"\b(lanes?|ColumnsOfLane|break|continue|kKernelLanes)\b", function.body)
                if match:
                    problems.append("%s: %s: row chain shared between lanes or left early: %s" %
                                    (tag, function.where(), match.group(1)))
                if "?" in function.body and function.name != "LiveRow":
                    problems.append("%s: %s: idle rows take another path: a choice in a row chain" % (tag, function.where()))
            seen = False
            for how, launched in launches("\n".join(sources.device_sources(module).values())):
                if launched is None:
                    problems.append("src/features/%s: %s of a kernel whose name is out of sight, in a metric with row "
                                    "chains" % (module, how))
                elif kernel.name in launched:
                    seen = True
                    if how != "AddRows":
                        problems.append("%s: row chain launched with %s; one work-item adds a row" % (tag, how))
            if not seen:
                problems.append("%s: no AddRows() launches the row chain" % tag)
    return problems


def audit_float_motion_host(sources):
    """Rows are added by FloatMotionScoreFromRowSads(), which the scalar code calls too, and by nothing else."""
    if "float_motion" not in sources.modules:
        return []
    problems = []
    collects = []
    for path, text in sources.device_sources("float_motion").items():
        if not path.endswith(".cc"):
            continue
        for function in functions_of(path, text):
            tag = function.where()
            if function.name == "Collect":
                collects.append(function)
            match = re.search(r"\b(accumulate|reduce|transform_reduce|inner_product|fsum)\s*\(", function.body)
            if match:
                problems.append("%s: host sum of its own: %s" % (tag, match.group(1)))
            match = re.search(r"(\bAt<float>\s*\([^;]*?\)|\w*sads?)\s*\[", function.body)
            if match:
                problems.append("%s: host sum of its own: it looks at single rows: %s" % (tag, match.group(0)))
            floats = set(re.findall(r"\b(?:float|double)\s+(\w+)\s*[={;(]", function.body))
            for statement, _ in statements(function.body):
                parts = assignment(statement)
                if not parts or declared(parts[0]):
                    continue
                # The scores of a plane and of its half are added; each came from the shared function.
                shared = re.sub(r"^%s\s*\+\s*" % re.escape(parts[0]), "", parts[2])
                if parts[0] in floats and (parts[1] != "=" or re.search(r"\b%s\b" % parts[0], parts[2])) and not (
                        shared.startswith("FloatMotionScoreFromRowSads(") and
                        closing(shared, shared.index("(")) == len(shared) - 1):
                    problems.append("%s: host sum of its own: %s" % (tag, statement))
                if parts[1] in ("+=", "-=") and parts[0] not in floats and "facts" in parts[0]:
                    problems.append("%s: host sum of its own: %s" % (tag, statement))
    if len(collects) != 1:
        problems.append("float_motion: expected one Collect(), found %d" % len(collects))
    problems += ["%s: does not call FloatMotionScoreFromRowSads()" % c.where() for c in collects
                 if "FloatMotionScoreFromRowSads" not in c.calls]
    return problems


def audit_integer_host(sources):
    """Everywhere else the host adds integers."""
    problems = []
    for module in sources.modules:
        for path, text in sources.device_sources(module).items():
            for function in functions_of(path, text) if module != "float_motion" else ():
                floats = set(re.findall(r"\b(?:float|double)\s+(\w+)\s*[={;(]", function.body))
                for statement, _ in statements(function.body) if function.name == "Collect" else ():
                    parts = assignment(statement)
                    if parts and parts[0] in floats and (parts[1] != "=" or re.search(r"\b%s\b" % parts[0], parts[2])):
                        problems.append("%s: host sum in floating point: %s" % (function.where(), statement))
    return problems


def without_casts(text):
    while True:
        match = re.search(r"static_cast<[^<>]*>\s*\(", text)
        if not match:
            return text
        last = closing(text, match.end() - 1)
        text = text[:match.start()] + text[match.end():last] + text[last + 1:]


def sample_pointers(function):
    """Names of pointers to samples among parameters and locals."""
    kinds = r"\bconst\s+(?:Sample|T|u8|u16|i16)\s*\*\s*(?:const\s+|__restrict\s+)*(\w+)"
    return set(re.findall(kinds, function.parameters)) | set(re.findall(kinds + r"\s*=", function.body))


def audit_motion(sources):
    """motion differences first: filters take differences of samples, and their results are not subtracted."""
    if "motion" not in sources.modules:
        return []
    problems = []
    for kernel in sources.lists["motion"]:
        found = sources.closure("motion", kernel)
        tag = "motion, kernel %s" % kernel.name
        filters = {"MotionTapSum", "MotionRoundNarrow", "MotionRoundSplit", "MotionVertical"}
        if kernel.arguments == "LaneSumArgs":
            continue
        if not any("MotionTapSum" in f.calls for f in found):
            problems.append("%s: does not filter with MotionTapSum()" % tag)
        reads = 0
        for function in found:
            pointers = sample_pointers(function)
            body = without_casts(function.body)
            if pointers:
                one = r"\b(%s)\s*\[[^\]]*\]" % "|".join(sorted(pointers))
                reads += len(re.findall(one, body))
                rest = re.sub(one + r"\s*-\s*" + one, "", body)
                for match in re.finditer(one, rest):
                    problems.append("%s: %s: blur then difference: sample %s is not differenced where it is read" %
                                    (tag, function.where(), match.group(0)))
            filtered = set()
            for statement, _ in statements(function.body):
                parts = assignment(statement)
                if not parts:
                    continue
                if filters & set(CALL.findall(parts[2])) or filtered & set(re.findall(r"\w+", parts[2])):
                    name = declared(parts[0]) or parts[0]
                    if function.name != "MotionTapSum" and re.fullmatch(r"\w+", name):
                        filtered.add(name)
                names = "|".join(sorted(filtered | filters))
                if re.search(r"(?:\b(?:%s)\b|\))\s*-\s*\b(?:%s)\b" % (names, names), parts[2]):
                    problems.append("%s: %s: blur then difference: %s" % (tag, function.where(), statement))
            for match in re.finditer(r"\breturn\b([^;]*);", function.body):
                names = "|".join(sorted(filters))
                if re.search(r"\)\s*-\s*\b(?:%s)\b" % names, match.group(1)):
                    problems.append("%s: %s: blur then difference: return%s" % (tag, function.where(), match.group(1)))
        if reads == 0:
            problems.append("%s: no read of a sample found" % tag)
    return problems


def audit_mirror(sources):
    """Borders through Mirror() of the prelude, which reflects without repeating the edge sample: 2n - 2 - i."""
    problems = []
    if PRELUDE not in sources.files:
        return ["%s: there is no such file" % PRELUDE]
    program = ('#include "base/kernel_prelude.h"\nint main() {\n  for (int n = 2; n < 70; ++n) {\n'
               '    for (int i = 1 - n; i < 2 * n - 1; ++i) {\n'
               '      const int expected = i < 0 ? -i : (i >= n ? 2 * n - 2 - i : i);\n'
               '      if (lockstep::Mirror(i, n) != expected) return 1;\n    }\n  }\n}\n')
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "base"))
        with open(os.path.join(folder, "base/kernel_prelude.h"), "w", encoding="utf-8") as file:
            file.write(sources.files[PRELUDE])
        done = subprocess.run(["g++", "-std=c++17", "-O1", "-I", folder, "-x", "c++", "-", "-o", folder + "/mirror"],
                              input=program, text=True, capture_output=True, check=False)
        if done.returncode != 0 or subprocess.run([folder + "/mirror"], check=False).returncode != 0:
            problems.append("%s: Mirror() is not 2n - 2 - i, as the edge rule demands" % PRELUDE)
    reached = {m: {f for k in sources.lists[m] for f in sources.closure(m, k)} for m in sources.modules}
    for module in MIRRORED:
        if module not in sources.modules:
            continue
        uses = False
        for path, functions in sources.functions[module].items():
            for function in functions if path != PRELUDE else ():
                if re.search(r"mirror|reflect", function.name, re.IGNORECASE) and function.name != "Mirror":
                    problems.append("%s, %s: an edge rule of its own; Mirror() is the only one" %
                                    (module, function.where()))
                uses = uses or "Mirror" in function.calls
                body = re.sub(r"\s+", " ", function.body)
                beside = [m for m in re.finditer(r"(?<![\w.])(?:x|y|row|column|begin|at) [-+] (?:[1-9]|k)\b", body)
                          if not body[:m.start()].endswith("Mirror(")]
                if beside and function in reached[module]:
                    problems.append("%s, %s: neighbour that does not go through Mirror(): %s" %
                                    (module, function.where(), beside[0].group(0)))
                match = re.search(r"\b2 \* (?:[\w.]+|\([\w.]+ - 1\)) - [\w.(]|[\w.]+ >= [\w.]+ \? [^:;]* - [^:;]* :|"
                                  r"\b([\w.]+) < 0 \? -\1 - 1|([\w.]+(?: [-+] \w+)?) < [\w.]+ \? \2 : [^;:]* - ", body)
                if match:
                    problems.append("%s, %s: mirror of its own: %s" % (module, function.where(), match.group(0)))
        if not uses:
            problems.append("%s: its kernels do not take their borders from Mirror()" % module)
    return problems


def audit_float_psnr(sources):
    """Squares of the raw difference, added as u64: no float sum, no scaler before the square."""
    if "float_psnr" not in sources.modules:
        return []
    problems = []
    for kernel in sources.lists["float_psnr"]:
        if kernel.arguments == "LaneSumArgs":
            continue
        tag = "float_psnr, kernel %s" % kernel.name
        found = sources.closure("float_psnr", kernel)
        squares = 0
        for function in found:
            at = "%s: %s" % (tag, function.where())
            text = function.parameters + ";" + function.body
            if re.search(r"scale", text, re.IGNORECASE):
                problems.append("%s: scaler applied before squaring" % at)
            if re.search(r"\bfloat\b", text):
                products = re.findall(r"([\w.]+) \* ([\w.]+)", re.sub(r"\s+", " ", without_casts(function.body)))
                if [p for p in products if p[0] != p[1]] or "/" in function.body:
                    problems.append("%s: scaler applied before squaring: value * value is the only product of floats" % at)
                squares += len(products)
            variables, _ = float_sums(function)
            for name in sorted(variables):
                problems.append("%s: fp32 accumulation of squares: float %s changes" % (at, name))
            for match in re.finditer(r"\bfloat\s*[&*]\s*\w+", text):
                problems.append("%s: fp32 accumulation of squares: %s" % (at, match.group(0)))
            pointers = sample_pointers(function)
            if pointers:
                one = r"\b(%s)\s*\[[^\]]*\]" % "|".join(sorted(pointers))
                rest = re.sub(one + r"\s*-\s*" + one, "", without_casts(function.body))
                if re.search(one, rest):
                    problems.append("%s: a sample is not differenced where it is read" % at)
        if squares != 1:
            problems.append("%s: expected one square in float, found %d" % (tag, squares))
        sum_of_squares = re.compile(r"\bu64\s+(\w+)\s*=\s*0;.*\b\1\s*\+=\s*FloatPsnrSquare\(", re.DOTALL)
        if not any(sum_of_squares.search(f.body) for f in found):
            problems.append("%s: squares are not added in u64" % tag)
    for path, text in sources.device_sources("float_psnr").items():
        match = re.search(r"\b(float|double)\b[^;]*;", without_comments(text))
        if match:
            problems.append("%s: host sum in floating point: %s" % (path, match.group(0)))
    arguments = re.findall(r"struct (\w+Args) \{(.*?)\n\};", sources.files[sources.headers["float_psnr"]], re.DOTALL)
    for name, fields in arguments:
        if re.search(r"^\s*(float|double)\b", fields, re.MULTILINE):
            problems.append("float_psnr: %s carries a float: scaler applied before squaring?" % name)
    return problems


AUDITS = [audit_headers, audit_lists, audit_bodies, audit_row_chains, audit_float_motion_host, audit_integer_host,
          audit_motion, audit_mirror, audit_float_psnr]


def audit(files, modules=MODULES):
    sources = KernelSources(files, modules)
    return [problem for one in AUDITS for problem in one(sources)]
