# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Regressions that the self-test of kernel_audit.py plants in copies of kernel sources and modules."""
import re

from kernel_source import FEATURES, KERNEL_LIST, PRELUDE, PROGRAM
from spirv_module import (CAPABILITY, DECORATE, DECORATION_FP_FAST_MATH_MODE, DECORATION_LINKAGE, ENTRY_POINT,
                          EXECUTION_MODE, EXT_INST, EXT_INST_IMPORT, FUNCTION, FUNCTION_CALL, FUNCTION_END, F_ADD,
                          F_MUL, LABEL, LINKAGE_IMPORT, MODE_CONTRACTION_OFF, MODE_SUBGROUP_SIZE, TYPE_FLOAT,
                          TYPE_INT, TYPE_POINTER, TYPE_VOID, VARIABLE, prefix, words_of)

FLOAT_MOTION_CHAIN = FEATURES + "float_motion/float_motion_arithmetic.h"
FLOAT_MOTION_KERNELS = FEATURES + "float_motion/float_motion_kernels.h"
FLOAT_MOTION_DEVICE = FEATURES + "float_motion/float_motion_device.cc"
PSNR_KERNELS = FEATURES + "psnr/psnr_kernels.h"
MOTION = FEATURES + "motion/motion_arithmetic.h"
FLOAT_PSNR = FEATURES + "float_psnr/float_psnr_arithmetic.h"
FLOAT_PSNR_KERNELS = FEATURES + "float_psnr/float_psnr_kernels.h"
VIF_KERNELS = FEATURES + "vif/vif_kernels.h"
SPEED = FEATURES + "speed/speed_arithmetic.h"
SPEED_KERNELS = FEATURES + "speed/speed_kernels.h"
ADM_KERNELS = FEATURES + "adm/adm_kernels.h"

CHAIN_LOOP = "for (i32 x = 0; x < args.width; ++x) sum = FloatMotionAddDifference(sum, previous[x], current[x]);"
CHAIN_STORE = "if (row < args.height) args.row_sads[y] = sum;"
CHAIN = r"kernel row_sads: .*"
MEANS_LOOP = "for (i32 x = 0; x < args.width; ++x) sum = sum + start[y * stride + x];"
PSNR_STORE = "if (item.row < args.height) args.parts[i64{y} * item.lanes + item.lane] = sum;"
PSNR_LIVE = "const i32 y = LiveRow(item.row, args.height);"
PSNR = r"kernel squared_error_u8: .*"
# Text that stands once in its file; what it becomes; what the audit must say.
SOURCE_PLANTS = [
    ("group reduction", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_STORE,
     "sum = sycl::reduce_over_group(Group(), sum, sycl::plus<float>());\n  " + CHAIN_STORE, CHAIN + "reduce_over_group"),
    ("sub-group reduction", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_STORE,
     "sum += select_from_group(this_sub_group(), sum, 1);\n  " + CHAIN_STORE, CHAIN + "sub-group .*: select_from_group"),
    ("atomic reduction", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_STORE,
     "if (row < args.height) atomic_fetch_add(&args.row_sads[0], sum);", CHAIN + "atomic_fetch_add"),
    ("group reduction in a kernel header", "psnr", PSNR_KERNELS, PSNR_STORE,
     "sum = sycl::reduce_over_group(Group(), sum);\n  " + PSNR_STORE, "psnr_kernels.h: reduce_over_group"),
    ("strided loop", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_LOOP,
     CHAIN_LOOP.replace("x = 0", "x = row & 31").replace("++x", "x += 32"), CHAIN + "strided or blocked loop"),
    ("row shared by lanes", "float_motion", FLOAT_MOTION_KERNELS, "FloatMotionSadRow(args, item.row);",
     "FloatMotionSadRow(args, item.row * item.lanes + item.lane);", CHAIN + "shared between lanes"),
    ("blocked loop", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_LOOP,
     "for (i32 b = 0; b < args.width; b += 64) {\n    for (i32 x = b; x < args.width && x < b + 64; ++x) {\n"
     "      sum = FloatMotionAddDifference(sum, previous[x], current[x]);\n    }\n  }", CHAIN + "blocked loop"),
    ("loop that idle rows leave out", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_LOOP,
     "const i32 w = row < args.height ? args.width : 0;\n  " + CHAIN_LOOP.replace("args.width", "w"),
     CHAIN + "idle rows take another path"),
    ("two accumulators", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_LOOP,
     "float odd = 0.0f;\n  for (i32 x = 0; x < args.width; ++x) {\n"
     "    if ((x & 1) != 0) odd = FloatMotionAddDifference(odd, previous[x], current[x]);\n"
     "    if ((x & 1) == 0) sum = FloatMotionAddDifference(sum, previous[x], current[x]);\n  }\n  sum = sum + odd;",
     CHAIN + "one fp32 accumulator"),
    ("two differences at a time", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_LOOP,
     CHAIN_LOOP.replace(");", ") + FloatMotionAddDifference(0.0f, previous[x], current[x]);"),
     CHAIN + "more than one difference is added"),
    ("blocked launch", "float_motion", FLOAT_MOTION_DEVICE, re.compile(r'AddRows\(\s*"row_sads"'),
     'AddLanes("row_sads"', CHAIN + "launched with AddLanes"),
    ("host sum of the program's own", "float_motion", FLOAT_MOTION_DEVICE,
     re.compile(r"float score =\s*FloatMotionScoreFromRowSads\([^;]*;"),
     "float score = 0.0f;\n      const float* row_sads = At<float>(results, offsets_[p].row_sads);\n"
     "      for (int y = 0; y < plane.size.height; ++y) score += row_sads[y];", "Collect: host sum of its own"),
    ("one work-item no longer a row", "float_motion", PROGRAM, "Add({{kernel}, rows, 0, 0, 0, {}}, args);",
     "Add({{kernel}, rows, kLanesShift, 0, 0, {}}, args);", r"AddRows\(\) does not launch one work-item a row"),
    ("host sum of errors in binary64", "psnr", FEATURES + "psnr/psnr_device.cc", "u64 sum = 0;", "double sum = 0;",
     "Collect: host sum in floating point"),
    ("host sum of squares in binary64", "float_psnr", FEATURES + "float_psnr/float_psnr_device.cc", "u64 sum = 0;",
     "double sum = 0;", "float_psnr_device.cc: host sum in floating point"),
    ("host sum by the library", "float_motion", FLOAT_MOTION_DEVICE,
     re.compile(r"float score =\s*FloatMotionScoreFromRowSads\("),
     "float score = std::accumulate(first, last, 0.0) + FloatMotionScoreFromRowSads(",
     "host sum of its own: accumulate"),
    ("fp64 row total", "float_motion", FLOAT_MOTION_CHAIN, re.compile(r"float sum = 0\.0f;\s*" + re.escape(CHAIN_LOOP)),
     "double sum = 0.0;\n  " + CHAIN_LOOP, CHAIN + "fp64 type"),
    ("fp64 type in a kernel header", "vif", VIF_KERNELS, "u64 non_log_num = 0;", "double non_log_num = 0;",
     "vif_kernels.h: binary64, but is not on the list"),
    ("fp64 literal", "vif", VIF_KERNELS, "u32 undecided = 0;", "u32 undecided = static_cast<u32>(0.5);",
     "kernel sums: .*fp64 type: 0.5"),
    ("policy in binary64", "adm", ADM_KERNELS, "using Steps = AdmIntegerSteps<Limit>;",
     "using Steps = AdmBinary64Steps;", "adm_kernels.h: uses AdmBinary64Steps"),
    ("a float sum in another kernel", "float_motion", FLOAT_MOTION_CHAIN, "float value = v2;",
     "float value = v2;\n    value += v1;", "kernel blur5_u8: .*float sum outside the named row chains"),
    ("window shared by lanes", "speed", SPEED_KERNELS, MEANS_LOOP,
     MEANS_LOOP.replace("x = 0", "x = item.lane").replace("++x", "x += item.lanes"),
     "kernel means: .*strided, blocked or shared loop"),
    ("rows of a window in blocks", "speed", SPEED_KERNELS, MEANS_LOOP,
     "for (i32 x = 0; x + 1 < args.width; x += 2) sum = sum + start[y * stride + x];",
     "kernel means: .*strided, blocked or shared loop"),
    ("two samples at a time", "speed", SPEED_KERNELS, MEANS_LOOP,
     MEANS_LOOP.replace("sum + start", "sum + start[0] + start"), "kernel means: .*more than one value is added"),
    ("two taps at a time", "speed", SPEED_KERNELS, "sum = SpeedFilterStep(sum, args.taps[k], plane[row * stride + column]);",
     "sum = SpeedFilterStep(sum, args.taps[k], plane[row]);\n"
     "    sum = SpeedFilterStep(sum, args.taps[k], plane[column]);", "kernel prepare: .*several additions"),
    ("taps from the end", "speed", SPEED_KERNELS,
     re.compile(r"for \(i32 k = 0; k < args.tap_count; \+\+k\)(?= \{\s*const i32 row = Mirror\(y)"),
     "for (i32 k = args.tap_count - 1; k >= 0; --k)", "kernel prepare: .*strided, blocked or shared loop"),
    ("a tap added before it is multiplied", "speed", SPEED, "return sum + tap * value;", "return (sum + tap) * value;",
     "SpeedFilterStep: is not one sum and one product"),
    ("early return", "psnr", PSNR_KERNELS, PSNR_LIVE,
     "if (item.row >= args.height) return;\n  const i32 y = LiveRow(item.row, args.height);", PSNR + "early return"),
    ("early return in a row body", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_STORE, "if (row >= args.height) return;\n"
     "  " + CHAIN_STORE, CHAIN + "early return"),
    ("idle rows past the end", "psnr", PSNR_KERNELS, PSNR_LIVE, "const i32 y = item.row;", PSNR + "LiveRow"),
    ("store without a row test", "psnr", PSNR_KERNELS, PSNR_STORE, PSNR_STORE.split(") ", 1)[1],
     PSNR + "store without a row test"),
    ("row test turned round", "psnr", PSNR_KERNELS, PSNR_STORE, PSNR_STORE.replace("(item.row", "(!(item.row").replace(
        "height)", "height))", 1), PSNR + "store without a row test"),
    ("store without a row test, adm", "adm", ADM_KERNELS, "return item.row < rows ? end : 0;", "return end;",
     "kernel decouple_s0: .*store without a row test"),
    ("private array", "psnr", PSNR_KERNELS, "u64 sum = 0;", "u64 sum = 0;\n  u64 history[4];",
     PSNR + "private array history"),
    ("private array, initialised", "vif", VIF_KERNELS, "u32 undecided = 0;\n",
     "u32 undecided = 0;\n  const u32 t[] = {1, 2};\n", "kernel sums: .*private array t"),
    ("libm", "float_motion", FLOAT_MOTION_CHAIN, CHAIN_STORE, "sum = sqrtf(sum);\n  " + CHAIN_STORE,
     CHAIN + "libm: calls sqrt"),
    ("standard library", "psnr", PSNR_KERNELS, PSNR_LIVE, "const i32 y = std::min(item.row, args.height - 1);",
     "psnr_kernels.h: uses std::"),
    ("another include", "psnr", PSNR_KERNELS, "#pragma once\n", "#pragma once\n#include <cmath>\n",
     "psnr_kernels.h: includes cmath"),
    ("function that need not be inlined", "psnr", PSNR_KERNELS, "LOCKSTEP_KERNEL void SquaredErrorKernel",
     "inline void SquaredErrorKernel", "SquaredErrorKernel: is not marked LOCKSTEP_KERNEL"),
    ("float in an integer metric", "psnr", PSNR_KERNELS, "u64 sum = 0;", "float sum = 0;",
     PSNR + "float in an integer metric"),
    ("blur then difference", "motion", MOTION, "return MotionRoundNarrow(MotionTapSum(d0, d1, d2, d3, d4), bit_depth);",
     "return MotionRoundNarrow(MotionTapSum(p0[x], p1[x], p2[x], p3[x], p4[x]), bit_depth) -\n"
     "           MotionRoundNarrow(MotionTapSum(c0[x], c1[x], c2[x], c3[x], c4[x]), bit_depth);",
     "kernel motion_u8: .*blur then difference"),
    ("blurred pictures differenced at the end", "motion", MOTION, re.compile(r"const i32 d0 = [^;]*;"),
     "const i32 d0 = static_cast<i32>(p0[x]);", "kernel motion_u16: .*blur then difference"),
    ("Mirror() is 2n - i - 1", "motion", PRELUDE, "return last - (from_last < 0 ? -from_last : from_last);",
     "return last - (from_last < 0 ? -from_last - 1 : from_last);", r"Mirror\(\) is not 2n - 2 - i"),
    ("a mirror of motion's own, 2n - i - 1", "motion", MOTION, "Mirror(x + 2, w), depth);",
     "(x + 2 < w ? x + 2 : 2 * w - (x + 2) - 1), depth);", "motion, .*MotionColumnsSad: mirror of its own"),
    ("borders that are repeated", "motion", MOTION, "Mirror(y + 1, h)", "LiveRow(y + 1, h)",
     "motion, .*MotionColumnsSad: neighbour that does not go through Mirror"),
    ("a mirror under another name", "float_motion", FLOAT_MOTION_CHAIN, re.compile(r"/// Vertically filtered sample"),
     "LOCKSTEP_KERNEL i32 Fold(i32 at, i32 n) { return at < n ? at : n - 1 - (at - n); }\n\n/// Vertical",
     "float_motion, .*Fold: mirror of its own"),
    ("a mirror of float_motion's own", "float_motion", FLOAT_MOTION_CHAIN, re.compile(r"Mirror\(x \+ 2, w\)\)"),
     "x + 2 >= w ? 2 * w - 1 - (x + 2) : x + 2)", "float_motion, .*FloatMotionBlurColumns: mirror of its own"),
    ("fp32 accumulation of squares", "float_psnr", FLOAT_PSNR_KERNELS, "u64 sum = 0;", "float sum = 0.0f;",
     "kernel float_psnr_u8: .*fp32 accumulation of squares"),
    ("scaler before the square", "float_psnr", FLOAT_PSNR, "static_cast<float>(difference);",
     "static_cast<float>(difference) / 4.0f;", "kernel float_psnr_u16: .*scaler applied before squaring"),
    ("scaler before the square, as an argument", "float_psnr", FLOAT_PSNR_KERNELS, "  i32 stride;  // in samples",
     "  float inverse_scaler;\n  i32 stride;  // in samples", "FloatPsnrArgs carries a float"),
    ("scaled samples", "float_psnr", FLOAT_PSNR, "value * value;", "value * 0.25f * value;",
     "kernel float_psnr_u8: .*scaler applied before squaring"),
    ("unlisted kernel", "psnr", PSNR_KERNELS, re.compile(r"  X\(squared_error_u16,[^\n]*\n"), "",
     "AddLanes of squared_error_u16, which is no kernel"),
    ("unlisted body", "psnr", PSNR_KERNELS, "// name, type",
     "namespace lockstep {\nLOCKSTEP_KERNEL void Other(const SquaredErrorArgs& args, KernelItem item) {\n"
     "  SquaredErrorKernel<u8>(args, item);\n}\n}\n// name, type", "Other: kernel is not listed"),
    ("listed kernel without a body", "psnr", PSNR_KERNELS, "X(sum_lanes,",
     "X(sum_rows, LaneSumArgs, SumRows) X(sum_lanes,", "kernel sum_rows has no body"),
    ("list that KernelList() lacks", "motion", KERNEL_LIST, "LOCKSTEP_MOTION_KERNELS(LOCKSTEP_MOTION)", "",
     "KernelList.. lacks LOCKSTEP_MOTION_KERNELS"),
    ("metric without kernels", "adm", ADM_KERNELS, None, None, "adm_kernels.h: there is no such file"),
]


def first_kernel(module, name, kernel):
    """(function id, index of its OpFunction)"""
    function = [f for f, n in module.entry_points().items() if n == prefix(name) + kernel][0]
    return function, [n for n, i in enumerate(module.instructions) if i[0] == FUNCTION and i[2] == function][0]


def first_label(module, begin):
    return [n for n in range(begin, len(module.instructions)) if module.instructions[n][0] == LABEL][0] + 1


def first_type(module, *instruction):
    """Id of a type; made where there is none."""
    for i in module.instructions:
        if i[0] == instruction[0] and tuple(i[2:]) == instruction[1:]:
            return i[1]
    made = module.new_id()
    at = [n for n, i in enumerate(module.instructions) if i[0] == FUNCTION][0]
    module.instructions.insert(at, [instruction[0], made, *instruction[1:]])
    return made


def plant_capability(module, number):
    module.instructions.insert(0, [CAPABILITY, number])


def plant_variable(module, name, kernel):
    integer = first_type(module, TYPE_INT, 32, 0)
    pointer = first_type(module, TYPE_POINTER, 7, integer)
    _, begin = first_kernel(module, name, kernel)
    module.instructions.insert(first_label(module, begin), [VARIABLE, pointer, module.new_id(), 7])


def plant_import(module, name, kernel):
    """A function without a body, and its call."""
    void = [i[1] for i in module.all(TYPE_VOID)][0]
    kind = first_type(module, 33, void)
    imported = module.new_id()
    _, begin = first_kernel(module, name, kernel)
    module.instructions.insert(first_label(module, begin), [FUNCTION_CALL, void, module.new_id(), imported])
    at = [n for n, i in enumerate(module.instructions) if i[0] == FUNCTION][0]
    module.instructions[at:at] = [[FUNCTION, void, imported, 0, kind], [FUNCTION_END]]
    at = [n for n, i in enumerate(module.instructions) if i[0] == DECORATE][0]
    module.instructions.insert(at, [DECORATE, imported, DECORATION_LINKAGE,
                                    *words_of("__ocl_svml_expf"), LINKAGE_IMPORT])


def plant_fast_math(module, name, kernel, operation, mode):
    function, begin = first_kernel(module, name, kernel)
    result = [i[2] for i in module.functions()[function] if i[0] == operation][0]
    at = [n for n, i in enumerate(module.instructions) if i[0] == DECORATE][0]
    module.instructions.insert(at, [DECORATE, result, DECORATION_FP_FAST_MATH_MODE, mode])


def plant_mode(module, name, kernel, mode, literals):
    """Changes an execution mode, or removes it."""
    function, _ = first_kernel(module, name, kernel)
    at = [n for n, i in enumerate(module.instructions) if i[:3] == [EXECUTION_MODE, function, mode]][0]
    module.instructions[at:at + 1] = [] if literals is None else [[EXECUTION_MODE, function, mode, *literals]]


def plant_after(module, name, kernel, operation, make):
    """An instruction after the first `operation` of a kernel."""
    _, begin = first_kernel(module, name, kernel)
    at = [n for n in range(begin, len(module.instructions)) if module.instructions[n][0] == operation][0]
    module.instructions.insert(at + 1, make(module.instructions[at]))


def plant_extension(module, name, kernel, function, arguments):
    opencl = [i[1] for i in module.all(EXT_INST_IMPORT)][0]
    plant_after(module, name, kernel, F_ADD,
                lambda i: [EXT_INST, i[1], module.new_id(), opencl, function, *[i[2]] * arguments])


def plant_name(module, name, kernel, new):
    function, _ = first_kernel(module, name, kernel)
    entry = [i for i in module.instructions if i[0] == ENTRY_POINT and i[2] == function][0]
    entry[3:3 + len(words_of(prefix(name) + kernel))] = words_of(
        prefix(name) + new)


def plant_second_parameter(module, name, kernel):
    _, begin = first_kernel(module, name, kernel)
    parameter = module.instructions[begin + 1]
    module.instructions.insert(begin + 2, [parameter[0], parameter[1], module.new_id()])


def plant_second_sum(module, name, kernel):
    """The sum of a chain, added to itself once more."""
    plant_after(module, name, kernel, F_ADD, lambda i: [F_ADD, i[1], module.new_id(), i[2], i[2]])


def plant_two_additions(module):
    """The sum goes through another addition before it comes back."""
    _, begin = first_kernel(module, *MEANS)
    at = next(i for i in range(begin, len(module.instructions)) if module.instructions[i][0] == F_ADD)
    addition = module.instructions[at]
    result, first = addition[2], module.new_id()
    module.instructions[at] = [F_ADD, addition[1], first, *addition[3:]]
    module.instructions.insert(at + 1, [F_ADD, addition[1], result, first, addition[4]])


SAD = ("float_motion", "row_sads")
MEANS = ("speed", "means")
SQUARES = ("float_psnr", "float_psnr_u8")
ERRORS = ("psnr", "squared_error_u8")
# Capability, extended instruction set and reduction numbers are those of the SPIR-V specification.
MODULE_PLANTS = [
    ("fp64 capability", ERRORS, lambda m: plant_capability(m, 10), "module psnr: capability Float64"),
    ("fp16 capability", SAD, lambda m: plant_capability(m, 9), "module float_motion: capability Float16"),
    ("group capability", SAD, lambda m: plant_capability(m, 18), "module float_motion: capability Groups"),
    ("fp64 type", SAD, lambda m: first_type(m, TYPE_FLOAT, 64), "floating type of 64 bits"),
    ("float in a module of integers", ERRORS, lambda m: first_type(m, TYPE_FLOAT, 32),
     "module psnr: floating type in a module of integers"),
    ("Function variable", ERRORS, lambda m: plant_variable(m, *ERRORS), "kernel squared_error_u8: Function variable"),
    ("function import", ERRORS, lambda m: plant_import(m, *ERRORS), "imports __ocl_svml_expf"),
    ("call", ERRORS, lambda m: plant_import(m, *ERRORS), "kernel squared_error_u8: calls function"),
    ("FPFastMathMode Fast", SAD, lambda m: plant_fast_math(m, *SAD, F_ADD, 16), "kernel row_sads: FPFastMathMode"),
    ("FPFastMathMode AllowReassoc", SAD, lambda m: plant_fast_math(m, *SAD, F_ADD, 1 << 17),
     "kernel row_sads: FPFastMathMode"),
    ("FPFastMathMode NotNaN without proof", SAD, lambda m: plant_fast_math(m, *SAD, F_ADD, 1),
     "kernel row_sads: FPFastMathMode"),
    ("FPFastMathMode AllowContract of a square", SQUARES,
     lambda m: plant_fast_math(m, *SQUARES, F_MUL, 1 << 16), "kernel float_psnr_u8: FPFastMathMode"),
    ("missing ContractionOff", SAD, lambda m: plant_mode(m, *SAD, MODE_CONTRACTION_OFF, None),
     "kernel row_sads: ContractionOff is missing"),
    ("sub-group size 16", SAD, lambda m: plant_mode(m, *SAD, MODE_SUBGROUP_SIZE, [16]),
     "kernel row_sads: sub-group size is not 8"),
    ("no sub-group size", ERRORS, lambda m: plant_mode(m, *ERRORS, MODE_SUBGROUP_SIZE, None),
     "kernel squared_error_u8: sub-group size is not 8"),
    ("group reduction", SAD, lambda m: plant_after(m, *SAD, F_ADD,
                                                   lambda i: [265, i[1], m.new_id(), i[1], 0, i[2]]),
     "kernel row_sads: group, sub-group, atomic or barrier instruction 265"),
    ("sub-group reduction", SAD, lambda m: plant_after(m, *SAD, F_ADD,
                                                       lambda i: [350, i[1], m.new_id(), i[1], 0, i[2]]),
     "kernel row_sads: group, sub-group, atomic or barrier instruction 350"),
    ("atomic addition", SAD, lambda m: plant_after(m, *SAD, F_ADD,
                                                   lambda i: [6035, i[1], m.new_id(), i[2], i[1], i[1], i[2]]),
     "kernel row_sads: group, sub-group, atomic or barrier instruction 6035"),
    ("fma", SAD, lambda m: plant_extension(m, *SAD, 26, 3), "kernel row_sads: function 26 of OpenCL.std"),
    ("mad", SAD, lambda m: plant_extension(m, *SAD, 42, 3), "kernel row_sads: function 42 of OpenCL.std"),
    ("exp", SAD, lambda m: plant_extension(m, *SAD, 19, 1), "kernel row_sads: function 19 of OpenCL.std"),
    ("second addition in a chain", SAD, lambda m: plant_second_sum(m, *SAD),
     "kernel row_sads: a row chain is one OpFSub and one OpFAdd"),
    ("second addition in a mean", MEANS, lambda m: plant_second_sum(m, *MEANS),
     "kernel means: 2 float additions, not 1 as in the source"),
    ("two additions a round", MEANS, plant_two_additions,
     "kernel means: a sum of taps is more than one OpFAdd a round"),
    ("sum of squares", SQUARES, lambda m: plant_after(m, *SQUARES, F_MUL, lambda i: [
        F_ADD, i[1], m.new_id(), i[2], i[2]]), "kernel float_psnr_u8: OpFAdd of two values"),
    ("scaled square", SQUARES, lambda m: plant_after(m, *SQUARES, F_MUL, lambda i: [
        F_MUL, i[1], m.new_id(), i[2], i[3]]), "kernel float_psnr_u8: OpFMul of two values"),
    ("unlisted kernel", ERRORS, lambda m: plant_name(m, *ERRORS, "other"), "kernel other: is not in the list"),
    ("missing kernel", ERRORS, lambda m: plant_name(m, *ERRORS, "other"), "kernel squared_error_u8: is missing"),
    ("second parameter", ERRORS, lambda m: plant_second_parameter(m, *ERRORS),
     "kernel squared_error_u8: its parameter is not"),
]

# A kernel with an array of its own that no register file holds.
SPILLING = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability SubgroupDispatch
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "{prefix}spilling"
OpExecutionMode %main SubgroupSize 8
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%count = OpConstant %u32 4096
%array = OpTypeArray %u32 %count
%memory = OpTypePointer CrossWorkgroup %u32
%private = OpTypePointer Function %array
%element = OpTypePointer Function %u32
%two = OpConstant %u64 2
%kind = OpTypeFunction %void %memory
%main = OpFunction %void None %kind
%in = OpFunctionParameter %memory
%label = OpLabel
%mine = OpVariable %private Function
%a = OpLoad %u32 %in Aligned 4
%second = OpInBoundsPtrAccessChain %memory %in %two
%b = OpLoad %u32 %second Aligned 4
%to = OpInBoundsAccessChain %element %mine %a
OpStore %to %b Aligned 4
%from = OpInBoundsAccessChain %element %mine %b
%value = OpLoad %u32 %from Aligned 4
OpStore %in %value Aligned 4
OpReturn
OpFunctionEnd
"""
