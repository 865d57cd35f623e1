# SPDX-License-Identifier: BSD-2-Clause-Patent
"""SPIR-V modules as lists of instructions: reading, changing, writing, and the rules for our kernels."""
import struct
import subprocess

MAGIC = 0x07230203
SUB_GROUP_SIZE = 8

# Opcodes, in the order of their numbers.
EXT_INST_IMPORT, EXT_INST, ENTRY_POINT, EXECUTION_MODE, CAPABILITY = 11, 12, 15, 16, 17
TYPE_VOID, TYPE_INT, TYPE_FLOAT, TYPE_STRUCT, TYPE_POINTER = 19, 21, 22, 30, 32
FUNCTION, FUNCTION_PARAMETER, FUNCTION_END, FUNCTION_CALL, VARIABLE = 54, 55, 56, 57, 59
DECORATE, MEMBER_DECORATE = 71, 72
CONVERT_F_TO_U, CONVERT_F_TO_S, CONVERT_S_TO_F, CONVERT_U_TO_F, F_CONVERT = 109, 110, 111, 112, 115
F_NEGATE, F_ADD, F_SUB, F_MUL, F_DIV = 127, 129, 131, 133, 136
SELECT, PHI, LABEL = 169, 245, 248
# Opcodes of results whose operation is on floats; comparisons and conversions do not round.
FLOAT_OPERATIONS = {F_NEGATE: "OpFNegate", F_ADD: "OpFAdd", F_SUB: "OpFSub", F_MUL: "OpFMul", F_DIV: "OpFDiv",
                    140: "OpFRem", 141: "OpFMod", 142: "OpVectorTimesScalar", 148: "OpDot"}

# Addresses, Linkage, Kernel, Int64, Int16, GenericPointer, Int8, SubgroupDispatch, ExpectAssumeKHR
CAPABILITIES = {4, 5, 6, 11, 22, 38, 39, 58, 5629}
NAMED_CAPABILITIES = {8: "Float16Buffer", 9: "Float16", 10: "Float64", 12: "Int64Atomics", 18: "Groups"}
MODE_CONTRACTION_OFF, MODE_SUBGROUP_SIZE = 31, 35
DECORATION_BUILT_IN, DECORATION_FP_FAST_MATH_MODE, DECORATION_LINKAGE = 11, 40, 41
LINKAGE_IMPORT = 1
INPUT = 1
STORAGE = {0: "UniformConstant", INPUT: "Input", 4: "Workgroup", 5: "CrossWorkgroup", 6: "Private", 7: "Function",
           8: "Generic"}
# Of OpenCL.std: s_abs … u_mul24, u_abs, u_abs_diff, u_mul_hi, u_mad_hi are integer operations; fabs rounds nothing.
INTEGER_FUNCTIONS = set(range(141, 171)) | set(range(201, 205))
FABS = 23
# FPFastMathMode bits by which the compiler notes what it has proved: a square of a converted integer is no NaN and not
# infinite. The others would change values.
NOTED_FACTS = 1 | 2


def prefix(module):
    """What the compiler and our entry points put before a kernel's name."""
    return "__sycl_kernel_lockstep_%s_" % module


def together(opcode):
    """Whether work-items combine values or wait for each other."""
    return (227 <= opcode <= 242 or opcode in (318, 319, 5614, 5615, 6035) or 259 <= opcode <= 271 or
            333 <= opcode <= 366 or 4421 <= opcode <= 4432 or 5571 <= opcode <= 5580 or 6401 <= opcode <= 6408 or
            opcode in (224, 225, 329))


def text_of(words):
    data = struct.pack("<%dI" % len(words), *words)
    return data[:data.index(b"\0")].decode()


def words_of(text):
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return list(struct.unpack("<%dI" % (len(data) // 4), data))


class Module:
    """instructions: [opcode, operand, …] each."""

    def __init__(self, data):
        if len(data) % 4 or len(data) < 20 or struct.unpack_from("<I", data)[0] != MAGIC:
            raise ValueError("not a SPIR-V module")
        words = struct.unpack("<%dI" % (len(data) // 4), data)
        self.header, self.instructions, at = list(words[:5]), [], 5
        while at < len(words):
            count = words[at] >> 16
            if count == 0 or at + count > len(words):
                raise ValueError("the module ends within an instruction")
            self.instructions.append([words[at] & 0xffff, *words[at + 1:at + count]])
            at += count

    def encode(self):
        words = list(self.header)
        for instruction in self.instructions:
            words += [len(instruction) << 16 | instruction[0], *instruction[1:]]
        return struct.pack("<%dI" % len(words), *words)

    def new_id(self):
        self.header[3] += 1
        return self.header[3] - 1

    def all(self, opcode):
        return [i for i in self.instructions if i[0] == opcode]

    def entry_points(self):
        """{function id: name}"""
        return {i[2]: text_of(i[3:]) for i in self.all(ENTRY_POINT)}

    def functions(self):
        """{function id: instructions}, from OpFunction to OpFunctionEnd."""
        found, current = {}, None
        for instruction in self.instructions:
            if instruction[0] == FUNCTION:
                current = found[instruction[2]] = []
            if current is not None:
                current.append(instruction)
            if instruction[0] == FUNCTION_END:
                current = None
        return found

    def types(self):
        """{id: instruction} of types."""
        return {i[1]: i for i in self.instructions if 19 <= i[0] <= 39}


def with_sub_group_size(data, size):
    """The module with another sub-group size for every kernel that asks for one."""
    module = Module(data)
    for instruction in module.all(EXECUTION_MODE):
        if instruction[2] == MODE_SUBGROUP_SIZE:
            instruction[3] = size
    return module.encode()


def audit_module(name, module, kernels, is_float, row_chains=(), ordered_sums=None):
    """Problems of one module. kernels: names that must be there, and no others; ordered_sums: {kernel: additions}."""
    problems = []
    entries, functions, types = module.entry_points(), module.functions(), module.types()
    results = {i[2]: i for body in functions.values() for i in body if len(i) > 2}

    def short(entry):
        return entry[len(prefix(name)):] if entry.startswith(prefix(name)) else entry

    def kernel_of(function):
        return "module %s, kernel %s" % (name, short(entries.get(function, "(function %d)" % function)))

    def is_finite(identifier):
        """A product or sum of two converted integers."""
        instruction = results.get(identifier, [0])
        return instruction[0] in (F_ADD, F_SUB, F_MUL) and all(
            results.get(operand, [0])[0] in (CONVERT_S_TO_F, CONVERT_U_TO_F) for operand in instruction[3:5])

    for instruction in module.all(CAPABILITY):
        number = instruction[1]
        if number not in CAPABILITIES:
            problems.append("module %s: capability %s" % (name, NAMED_CAPABILITIES.get(number, number)))
    for instruction in module.all(TYPE_FLOAT):
        if instruction[2] != 32:
            problems.append("module %s: floating type of %d bits" % (name, instruction[2]))
        elif not is_float:
            problems.append("module %s: floating type in a module of integers" % name)
    built_in = {i[1] for i in module.all(DECORATE) if i[2] == DECORATION_BUILT_IN}
    for instruction in module.all(DECORATE) + module.all(MEMBER_DECORATE):
        decoration = instruction[2 if instruction[0] == DECORATE else 3]
        if decoration == DECORATION_FP_FAST_MATH_MODE and (instruction[-1] & ~NOTED_FACTS or
                                                           not is_finite(instruction[1])):
            where = [f for f, body in functions.items() if any(len(i) > 2 and i[2] == instruction[1] for i in body)]
            problems.append("%s: FPFastMathMode" % (kernel_of(where[0]) if where else "module %s" % name))
        if decoration == DECORATION_LINKAGE and instruction[-1] == LINKAGE_IMPORT and instruction[1] not in built_in:
            problems.append("module %s: imports %s" % (name, text_of(instruction[3:])))
    imports = {i[1]: text_of(i[2:]) for i in module.all(EXT_INST_IMPORT)}
    for extension in sorted(set(imports.values()) - {"OpenCL.std"}):
        problems.append("module %s: instructions of %s" % (name, extension))

    found = {short(entry) for entry in entries.values()}
    problems += ["module %s, kernel %s: is missing" % (name, k) for k in sorted(set(kernels) - found)]
    problems += ["module %s, kernel %s: is not in the list" % (name, k) for k in sorted(found - set(kernels))]
    modes = {}
    for instruction in module.all(EXECUTION_MODE):
        modes.setdefault(instruction[1], []).append(tuple(instruction[2:]))

    for instruction in module.all(VARIABLE):
        if instruction[3] == INPUT and instruction[2] in built_in:
            continue
        where = [f for f, body in functions.items() if instruction in body]
        problems.append("%s: %s variable" % (kernel_of(where[0]) if where else "module %s" % name,
                                             STORAGE.get(instruction[3], instruction[3])))

    for function, body in functions.items():
        tag = kernel_of(function)
        if function not in entries:
            problems.append("%s: function that is %s" %
                            (tag, "not inlined" if any(i[0] == LABEL for i in body) else "imported"))
            continue
        if (MODE_SUBGROUP_SIZE, SUB_GROUP_SIZE) not in modes.get(function, []):
            problems.append("%s: sub-group size is not %d" % (tag, SUB_GROUP_SIZE))
        # Only an addition can be fused with a product; the compiler leaves the mode out where there is none.
        if any(i[0] in (F_ADD, F_SUB) for i in body) and (MODE_CONTRACTION_OFF,) not in modes.get(function, []):
            problems.append("%s: ContractionOff is missing" % tag)
        parameters = [i for i in body if i[0] == FUNCTION_PARAMETER]
        pointee = types.get(types.get(parameters[0][1], [0, 0, 0, 0])[3]) if len(parameters) == 1 and types.get(
            parameters[0][1], [0])[0] == TYPE_POINTER else None
        if pointee is None or pointee[0] != TYPE_STRUCT:
            problems.append("%s: its parameter is not one struct" % tag)
        for instruction in body:
            opcode = instruction[0]
            if opcode == FUNCTION_CALL:
                problems.append("%s: calls function %s" % (tag, entries.get(instruction[3], instruction[3])))
            elif together(opcode):
                problems.append("%s: group, sub-group, atomic or barrier instruction %d" % (tag, opcode))
            elif opcode == EXT_INST and imports.get(instruction[3]) == "OpenCL.std":
                if instruction[4] not in INTEGER_FUNCTIONS and not (is_float and instruction[4] == FABS):
                    problems.append("%s: function %d of OpenCL.std" % (tag, instruction[4]))
            elif opcode in (CONVERT_F_TO_U, CONVERT_F_TO_S) and types.get(instruction[1], [0, 0, 0])[2] == 64:
                problems.append("%s: float to 64-bit integer, which becomes arithmetic on some devices" % tag)
    if is_float:
        problems += _audit_float_operations(name, module, functions, kernel_of)
    ordered_sums = ordered_sums or {}
    for function, body in functions.items():
        if short(entries.get(function, "")) in ordered_sums:
            problems += ["%s: %s" % (kernel_of(function), p)
                         for p in _audit_ordered_sums(body, ordered_sums[short(entries[function])])]
        elif short(entries.get(function, "")) not in row_chains and _has_float_sum(body):
            problems.append("%s: float sum that a loop carries, outside the named row chains" % kernel_of(function))
    for chain in row_chains:
        bodies = [body for f, body in functions.items() if entries.get(f) == prefix(name) + chain]
        if len(bodies) == 1:
            problems += ["module %s, kernel %s: %s" % (name, chain, p) for p in _audit_row_chain(bodies[0])]
    return problems


def _audit_float_operations(name, module, functions, kernel_of):
    """float_psnr: a square, nothing else."""
    problems = []
    if name != "float_psnr":
        return problems
    for function, body in functions.items():
        for instruction in body:
            if instruction[0] not in FLOAT_OPERATIONS:
                continue
            if instruction[0] != F_MUL or instruction[3] != instruction[4]:
                problems.append("%s: %s of two values; only squares are floats" %
                                (kernel_of(function), FLOAT_OPERATIONS[instruction[0]]))
    return problems


def _float_operands(body):
    """{result: operands} of what computes, chooses or carries floats."""
    operands = {}
    for instruction in body:
        if instruction[0] in FLOAT_OPERATIONS or instruction[0] == SELECT:
            operands[instruction[2]] = instruction[3:]
        elif instruction[0] == PHI:
            operands[instruction[2]] = instruction[3::2]
        elif instruction[0] == EXT_INST:
            operands[instruction[2]] = instruction[5:]
    return operands


def _depends_on(identifier, operands):
    """Every result that this one is made of, itself where a loop carries it."""
    seen, queue = set(), list(operands[identifier])
    while queue:
        other = queue.pop()
        if other not in seen:
            seen.add(other)
            queue += operands.get(other, [])
    return seen


def _has_float_sum(body):
    """Whether a float addition depends on its own result of an earlier round of a loop."""
    operands = _float_operands(body)
    return any(i[2] in _depends_on(i[2], operands) for i in body if i[0] in (F_ADD, F_SUB))


def _audit_ordered_sums(body, additions):
    """What loops carry from round to round is one addition each, and there are as many additions as in the source."""
    operands = _float_operands(body)
    computing = {i[2]: i[0] for i in body if i[0] in FLOAT_OPERATIONS}
    depends = {i: _depends_on(i, operands) for i in computing}
    carried = [i for i in computing if i in depends[i]]
    problems = []
    if any(computing[i] != F_ADD or any(i in depends[j] for j in depends[i] if j in computing and j != i)
           for i in carried):
        problems.append("a sum of taps is more than one OpFAdd a round")
    found = sum(computing[i] in (F_ADD, F_SUB) for i in computing)
    if found != additions:
        problems.append("%d float additions, not %d as in the source" % (found, additions))
    return problems


def _audit_row_chain(body):
    """One OpFAdd, whose sum comes back to it through one OpPhi; one difference; nothing else in float."""
    problems = []
    operations = [i for i in body if i[0] in FLOAT_OPERATIONS]
    names = sorted(FLOAT_OPERATIONS[i[0]] for i in operations)
    if names != ["OpFAdd", "OpFSub"]:
        return ["a row chain is one OpFSub and one OpFAdd; found %s" % (", ".join(names) or "none")]
    add = [i for i in operations if i[0] == F_ADD][0]
    difference = [i for i in operations if i[0] == F_SUB][0]
    phis = {i[2]: i[3::2] for i in body if i[0] == PHI}
    magnitudes = {i[2] for i in body if i[0] == EXT_INST and i[4] == FABS and i[5] == difference[2]}
    sums = [operand for operand in add[3:5] if operand in phis and add[2] in phis[operand]]
    if len(sums) != 1 or not set(add[3:5]) & magnitudes:
        problems.append("the sum of a row chain does not come back to its addition")
    return problems


def validate(path):
    """What spirv-val finds."""
    try:
        done = subprocess.run(["spirv-val", path], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ["spirv-val is not installed (package spirv-tools)"]
    return [] if done.returncode == 0 else ["%s: spirv-val: %s" % (path, (done.stderr + done.stdout).strip())]
