# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted regressions for the audits of AMD's code objects and of CUDA modules: each is compiled, and must be seen.

A plant is (title, module, change of the source, changes of headers, compiler's flags, what the audit must say). A
change of headers is {path below src: (old text, new text)}.
"""
import os

from source_audit import ROOT

AMD_TEMPLATE = "src/backend/hip/kernel_module.hip.in"
CUDA_TEMPLATE = """\
#include "@LOCKSTEP_MODULE_HEADER@"
using namespace lockstep;
#define LOCKSTEP_ENTRY(name, Args, ...)                                                                     \\
  extern "C" __global__ void lockstep_@LOCKSTEP_MODULE@_##name(const __grid_constant__ KernelLaunch launch) { \\
    RunKernel<Args, __VA_ARGS__>(launch, static_cast<i32>(blockIdx.x * blockDim.x + threadIdx.x));            \\
  }
@LOCKSTEP_MODULE_LIST@(LOCKSTEP_ENTRY)
"""

FLOAT_MOTION = "features/float_motion/float_motion_arithmetic.h"
CHAIN = {FLOAT_MOTION: ("return sum + __builtin_fabsf(a - b);", "return (sum + __builtin_fabsf(a - b)) + b;")}
ARRAY = "u32 mine[512];\n  for (u32 i = 0; i < 512; ++i) mine[i] = data[i] * data[i + 1];\n" \
        "  for (u32 i = 0; i < 512; ++i) data[i] = mine[data[i] & 511];"


def module_source(module, template):
    return (template.replace("@LOCKSTEP_MODULE_HEADER@", "features/%s/%s_kernels.h" % (module, module))
            .replace("@LOCKSTEP_MODULE_LIST@", "LOCKSTEP_%s_KERNELS" % module.upper())
            .replace("@LOCKSTEP_MODULE@", module))


def amd_source(module):
    with open(os.path.join(ROOT, AMD_TEMPLATE), encoding="utf-8") as file:
        return module_source(module, file.read())


def cuda_source(module):
    return module_source(module, CUDA_TEMPLATE)


def changed_headers(folder, changes):
    """Copies of the headers with the change, below `folder`; a text that is not there is an error."""
    for path, (old, new) in changes.items():
        with open(os.path.join(ROOT, "src", path), encoding="utf-8") as file:
            text = file.read()
        if old not in text:
            raise RuntimeError("the text to change is not in %s" % path)
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))


def replace(old, new):
    def change(source):
        if old not in source:
            raise RuntimeError("the text to change is not in the module's source")
        return source.replace(old, new)
    return change


def same(source):
    return source


def amd_kernel(body, parameters="u32* data", before=""):
    """One more kernel, `planted` of psnr."""
    def change(source):
        return source + ("%s\nextern \"C\" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void "
                         "lockstep_psnr_planted(%s) {\n  const u32 own = __builtin_amdgcn_workitem_id_x();\n  %s\n}\n" %
                         (before, parameters, body))
    return change


def cuda_kernel(body, parameters="u32* data", before=""):
    def change(source):
        return source + ("%s\nextern \"C\" __global__ void lockstep_psnr_planted(%s) {\n"
                         "  const u32 own = threadIdx.x;\n  %s\n}\n" % (before, parameters, body))
    return change


CALLED = "__device__ __attribute__((noinline)) u32 Other(u32 a) { return a * a + (a >> 3); }"

AMD_PLANTS = [
    ("array of its own", "psnr", amd_kernel(ARRAY), {}, (), ("kernel planted: .*scratch memory a work-item",)),
    ("spilled registers", "vif",
     replace("amdgpu_flat_work_group_size(kKernelGroup, kKernelGroup)",
             "amdgpu_flat_work_group_size(kKernelGroup, kKernelGroup), amdgpu_num_vgpr(16)"), {}, (),
     ("kernel moments_u8: .*registers are spilled",)),
    ("binary64", "psnr", amd_kernel("data[own] = static_cast<u32>(static_cast<double>(data[own]) * 0.3);"), {}, (),
     ("kernel planted: binary64: v_",)),
    ("products fused by the compiler", "float_motion", same, {}, ("-ffp-contract=fast",),
     ("kernel blur5_u8: .*fused multiply-adds: v_",)),
    ("fma that is asked for", "float_motion", same,
     {FLOAT_MOTION: ("return sum + __builtin_fabsf(a - b);", "return __builtin_fmaf(a, b, sum);")}, (),
     ("kernel row_sads: .*fused multiply-adds: v_",)),
    ("subnormal values flushed", "float_motion", same, {}, ("-fgpu-flush-denormals-to-zero",),
     ("kernel row_sads: subnormal binary32 values are flushed",)),
    ("another rounding mode", "psnr", amd_kernel("__builtin_amdgcn_s_setreg(2049, 1); data[own] = own;"), {}, (),
     ("kernel planted: another rounding mode: s_setreg",)),
    ("second addition in a chain", "float_motion", same, CHAIN, (),
     ("kernel row_sads: 3 float additions in a row chain",)),
    ("unrolled loop of a sum", "speed", same,
     {"features/speed/speed_kernels.h": ("for (i32 x = 0; x < args.width; ++x) sum = sum + start[y * stride + x];",
                                         "for (i32 x = 0; x < args.width; x += 2) {\n        sum = sum + start[x];\n"
                                         "        sum = sum + start[x + 1];\n      }")}, (),
     ("kernel means: 2 float additions in a row chain, not 1",)),
    ("binary32 in a module of integers", "psnr",
     amd_kernel("data[own] = static_cast<u32>(static_cast<float>(data[own]) * 0.3f);"), {}, (),
     ("kernel planted: .* in a module of integers",)),
    ("rough function", "float_psnr", replace("#define LOCKSTEP_ENTRY", "__device__ float Rough(float a) { return "
                                             "__builtin_amdgcn_rsqf(a); }\n#define LOCKSTEP_ENTRY"),
     {"features/float_psnr/float_psnr_arithmetic.h": ("value * value;", "value * __builtin_amdgcn_rsqf(value);")}, (),
     ("kernel float_psnr_u8: a rough function: v_rsq_f32",)),
    ("atomic addition", "psnr", amd_kernel("__atomic_fetch_add(data, own, __ATOMIC_RELAXED);"), {}, (),
     ("kernel planted: work-items that work together: .*atomic",)),
    ("lanes that exchange values", "psnr", amd_kernel("data[own] = __builtin_amdgcn_readlane(data[own], 3);"), {}, (),
     ("kernel planted: work-items that work together: v_readlane",)),
    ("local memory and a barrier", "psnr", amd_kernel("shared[own] = data[own];\n  __builtin_amdgcn_s_barrier();\n"
                                                      "  data[own] = shared[own ^ 1];",
                                                      before="__attribute__((shared)) u32 shared[64];"), {}, (),
     ("kernel planted: 256 bytes of local memory",)),
    ("call", "psnr", amd_kernel("data[own] = Other(data[own]);", before=CALLED), {}, (),
     ("kernel planted: a call: s_swappc",)),
    ("second parameter", "psnr", replace("const KernelLaunch launch)", "const KernelLaunch launch, i32)"), {}, (),
     ("kernel squared_error_u8: its only argument is not a KernelLaunch",)),
    ("larger groups", "psnr", replace("(kKernelGroup, kKernelGroup)", "(kKernelGroup, 4 * kKernelGroup)"), {}, (),
     ("kernel squared_error_u8: groups of up to 256, not 64",)),
    ("unlisted kernel", "psnr", amd_kernel("data[own] = own;"), {}, (),
     ("kernel lockstep_psnr_planted is not in the list",)),
    ("missing kernel", "psnr", replace("LOCKSTEP_PSNR_KERNELS(LOCKSTEP_ENTRY)",
                                       "LOCKSTEP_ENTRY(sum_lanes, LaneSumArgs, SumLanes)"), {}, (),
     ("kernel squared_error_u16 is missing",)),
]

CUDA_PLANTS = [
    ("array of its own", "psnr", cuda_kernel(ARRAY), {}, (),
     ("kernel planted: 2048 bytes of stack", "kernel planted, PTX for sm_90: local memory: .local",
      "kernel planted, sm_90: local memory: (?:STL|LDL)")),
    ("spilled registers", "vif", same, {}, ("-maxrregcount=24",), ("kernel moments_u8: .* bytes of spills",)),
    ("binary64", "psnr", cuda_kernel("data[own] = static_cast<u32>(static_cast<double>(data[own]) * 0.3);"), {}, (),
     (r"kernel planted, PTX for sm_90: binary64: .*\.f64", "kernel planted, sm_90: binary64: ")),
    ("fused by the compiler", "float_motion", same, {}, ("-fmad=true",),
     ("kernel blur5_u8, PTX for sm_90: a fused multiply-add: fma.rn.f32",
      "kernel blur5_u8, sm_90: a fused instruction: FFMA")),
    ("fma that is asked for", "psnr",
     cuda_kernel("data[own] = __float_as_uint(__fmaf_rn(__uint_as_float(own), 3.0f, 1.0f));"), {}, (),
     ("kernel planted, PTX for sm_90: a fused multiply-add: fma.rn.f32",
      "kernel planted, sm_90: a fused instruction: FFMA")),
    ("subnormal values flushed", "float_motion", same, {}, ("-ftz=true",),
     ("kernel row_sads, PTX for sm_90: subnormal values are flushed: .*ftz",
      "kernel row_sads, sm_90: an instruction that flushes: FADD.FTZ")),
    ("rough function", "psnr", cuda_kernel("data[own] = __float_as_uint(__expf(__uint_as_float(own)));"), {}, (),
     ("kernel planted, PTX for sm_90: a rough function: .*approx",)),
    ("another rounding mode", "psnr",
     cuda_kernel("data[own] = __float_as_uint(__fadd_rz(__uint_as_float(own), 3.0f));"), {}, (),
     ("kernel planted, PTX for sm_90: another rounding mode: add.rz",)),
    ("call", "psnr", cuda_kernel("data[own] = Other(data[own]);", before=CALLED), {}, (),
     ("kernel planted, PTX for sm_90: a call", "PTX outside of kernels for sm_90: a function that is not inlined")),
    ("missing kernel", "psnr", replace("LOCKSTEP_PSNR_KERNELS(LOCKSTEP_ENTRY)",
                                       "LOCKSTEP_ENTRY(sum_lanes, LaneSumArgs, SumLanes)"), {}, (),
     ("for sm_90: kernel squared_error_u16 is missing", "PTX for sm_90: kernel squared_error_u16 is missing")),
    ("missing architecture", "psnr", same, {}, (),
     ("module psnr: has no code for sm_75", "module psnr: has no PTX for sm_75")),
]
