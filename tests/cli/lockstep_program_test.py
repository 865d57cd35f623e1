#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""The built `lockstep` program as a shell sees it. LOCKSTEP_BIN is the folder of programs."""

import csv
import json
import os
import sys

from program_run import BIN, ProgramTest

PAIR = ["score", "ref.y4m", "dis.y4m"]


def test_refusals(t):
    t.refuse(1, ["score", "features", "models", "parity", "devices", "version"])
    t.refuse(1, ["score", "features"], "scores")
    t.refuse(1, ["DIS"], "score", "ref.y4m")
    t.refuse(1, ["third"], *PAIR, "third")
    t.refuse(1, ["--frobnicate", "--feature"], *PAIR, "--frobnicate")
    t.refuse(1, ["--threads", "abc"], *PAIR, "--threads", "abc")
    t.refuse(1, ["--threads", "-1"], *PAIR, "--threads", "-1")
    t.refuse(1, ["--subsample"], *PAIR, "--subsample", "0")
    t.refuse(1, ["--frames"], *PAIR, "--frames", "2:1")
    t.refuse(1, ["--precision", "legacy"], *PAIR, "--precision", "lots")
    t.refuse(1, ["--backend", "sycl"], *PAIR, "--backend", "gpu")
    t.refuse(1, ["nonsense", "psnr"], *PAIR, "--feature", "nonsense")
    t.refuse(1, ["nonsense", "psnr"], "features", "nonsense")
    t.refuse(1, ["nonsense", "vmaf_v0.6.1"], *PAIR, "--model", "nonsense")
    t.refuse(1, ["ref.yuv", "--width"], "score", "ref.yuv", "dis.yuv")
    t.refuse(1, ["--height"], "score", "ref.yuv", "dis.yuv", "--width", "64")
    t.refuse(1, ["dis.y4m", "input"], *PAIR, "--csv", "dis.y4m")
    t.refuse(1, ["one place"], *PAIR, "--csv", "out", "--json", "out")
    t.refuse(2, ["missing.json"], *PAIR, "--model", "missing.json")
    t.refuse(2, ["missing.y4m"], "score", "ref.y4m", "missing.y4m")
    t.refuse(2, ["nowhere"], *PAIR, "--json", "nowhere/r.json")
    t.refuse(2, ["short.y4m"], "score", "ref.y4m", "short.y4m", "--strict")


def test_summary_and_reports(t):
    result = t.run(*PAIR, "--feature", "psnr")
    t.check(result.returncode == 0 and result.stderr == "", "a plain run", result)
    for word in ("vmaf_v0.6.1", "harmonic mean", "1 % low", "worst frames", "psnr_y", "64x48", "0:00.040", "decided"):
        t.check(word in result.stdout, f"the summary has {word!r}", result)

    result = t.run(*PAIR, "--threads", "64")
    t.check(result.returncode == 0 and result.stderr == "", "more threads than processors", result)

    result = t.run(*PAIR, "--json", "-", "--csv", "r.csv")
    report = json.loads(result.stdout)
    t.check([f["frameNum"] for f in report["frames"]] == [0, 1, 2], "JSON alone on standard output", result)
    t.check("worst frames" in result.stderr, "the summary is on standard error then", result)
    with open(t.path("r.csv"), newline="", encoding="utf-8") as file:
        t.check(len(list(csv.DictReader(file))) == 3, "and a second report in a file", result)
    os.unlink(t.path("r.csv"))

    result = t.run(*PAIR, "--quiet")
    t.check(result.returncode == 0 and result.stdout.startswith("vmaf_v0.6.1 ") and result.stdout.count("\n") == 1,
            "one line a model", result)
    result = t.run(*PAIR, "--quiet", "--json", "r.json")
    t.check(result.returncode == 0 and result.stdout == result.stderr == "", "quiet with a report", result)
    os.unlink(t.path("r.json"))


def test_options_before_the_inputs(t):
    result = t.run("score", "-m", "vmaf_v0.6.1", "-f", "psnr", "ref.y4m", "dis.y4m", "-m", "vmaf_v0.6.1neg", "--json", "-")
    names = [model["name"] for model in json.loads(result.stdout)["models"]]
    t.check(names == ["vmaf_v0.6.1", "vmaf_v0.6.1neg"], f"several models: {names}", result)


def test_segment(t):
    whole = json.loads(t.run(*PAIR, "--precision", "max", "--json", "-").stdout)
    part = json.loads(t.run(*PAIR, "--precision", "max", "--json", "-", "--frames", "1:3").stdout)
    t.check(part["frames"] == whole["frames"][1:], "a segment has the bits of the whole run")
    t.check(part["scoring"]["first_frame"] == 1 and part["scoring"]["frame_count"] == 2, f"{part['scoring']}")


def test_warnings(t):
    result = t.run("score", "ref.y4m", "short.y4m", "--quiet")
    t.check(result.returncode == 0 and result.stderr.startswith("warning: ") and "ended before" in result.stderr,
            "unequal length", result)


def test_standard_input(t):
    plain = t.run(*PAIR, "--quiet")
    with open(t.path("ref.y4m"), "rb") as reference:
        piped = t.run("score", "-", "dis.y4m", "--quiet", stdin=reference)
    t.check(piped.returncode == 0 and piped.stdout == plain.stdout, "- is standard input", piped)


def test_terminal(t):
    status, shown = t.run_on_terminal(*PAIR)
    t.check(status == 0 and "frames/s" in shown and "[####" in shown, f"progress bar: {shown!r}")
    status, shown = t.run_on_terminal(*PAIR, "-q")
    t.check(status == 0 and "[" not in shown, f"quiet: {shown!r}")


def test_lists(t):
    for arguments in (["features"], ["features", "--long"], ["features", "psnr"], ["models"], ["version"], ["--version"],
                      ["--help"], ["score", "--help"]):
        result = t.run(*arguments)
        t.check(result.returncode == 0 and result.stdout and result.stderr == "", "a list", result)
    t.check("enable_mse" in t.run("features", "psnr").stdout, "options of one metric")
    t.check("vmaf_v0.6.1" in t.run("models").stdout, "models")
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = t.run("features", stdout=full)
    t.check(result.returncode == 2 and "standard output" in result.stderr, "a full device", result)


def available_targets(t):
    """Names of the instruction sets that this machine can run."""
    lines = [line.split(maxsplit=1) for line in t.run("devices").stdout.splitlines() if line.startswith("  ")]
    return [name for name, state in lines if not state.startswith("not available")]


def test_devices(t):
    result = t.run("devices")
    t.check(result.returncode == 0 and result.stdout.startswith("cpu: "), "devices", result)
    t.check(result.stdout.count(" used\n") == 1, "one of them is used", result)
    targets = available_targets(t)
    t.check(targets[0] == "scalar" and len(targets) >= 2, f"scalar and at least one more: {targets}")
    scores = set()
    for target in targets:
        result = t.run("devices", environment={"LOCKSTEP_CPU": target})
        t.check(f"{target:8}used (LOCKSTEP_CPU)\n" in result.stdout, "the environment chooses", result)
        result = t.run(*PAIR, "--precision", "max", environment={"LOCKSTEP_CPU": target})
        t.check(f"backend cpu ({target})" in result.stdout, "the summary tells what was used", result)
        scores.add(result.stdout.split("VMAF, model")[1])
    t.check(len(scores) == 1, "every target has the same scores")
    for name in ("avx3", "SSE4", "scalar,avx2"):
        for arguments in (["devices"], PAIR):
            result = t.run(*arguments, environment={"LOCKSTEP_CPU": name})
            t.check(result.returncode == 1 and result.stdout == "" and "LOCKSTEP_CPU" in result.stderr and
                    name in result.stderr and "avx512" in result.stderr, "an unknown name is an error", result)
    foreign = "neon" if "neon" not in targets else "avx2"
    result = t.run(*PAIR, environment={"LOCKSTEP_CPU": foreign})
    t.check(result.returncode == 2 and targets[-1] in result.stderr, "a name of another machine", result)
    result = t.run(*PAIR, "--cpumask", "-1", environment={"LOCKSTEP_CPU": targets[-1]})
    t.check(result.returncode == 1 and "--cpumask" in result.stderr, "mask and name disagree", result)
    result = t.run(*PAIR, "--cpumask", "-1")
    t.check("backend cpu (scalar)" in result.stdout, "the mask leaves the scalar code", result)


def test_parity(t):
    arguments = ["parity", "-f", "psnr", "-f", "motion", "--default-options"]
    result = t.run(*arguments, "--json", "p.json")
    t.check(result.returncode == 0 and "\n0 of " in result.stdout and " 0 of " in result.stdout, "the gate", result)
    report = json.loads(t.read("p.json"))
    os.unlink(t.path("p.json"))
    t.check(report["all_equal"] and report["tolerance"] == 0, "its report")
    cells = {(cell["feature"], cell["target"]) for cell in report["cells"]}
    t.check(cells == {(f, target) for f in ("psnr", "motion") for target in available_targets(t)}, f"cells: {cells}")
    result = t.run("parity", "ref.y4m", "dis.y4m", "--targets", "scalar", "--frames", "2")
    t.check(result.returncode == 0 and "cpu/scalar" in result.stdout and "vif" in result.stdout, "files", result)
    t.refuse(1, ["REF and DIS"], "parity", "ref.y4m")
    reference = t.read_bytes("ref.y4m")
    t.refuse(1, ["ref.y4m", "input"], "parity", "ref.y4m", "dis.y4m", "--json", "ref.y4m")
    t.check(t.read_bytes("ref.y4m") == reference, "an input is never written to")
    t.refuse(1, ["--width", "REF and DIS"], "parity", "--width", "64")
    t.refuse(1, ["--frames", "REF and DIS"], "parity", "--frames", "2")
    t.refuse(1, ["--all-sizes"], "parity", "ref.y4m", "dis.y4m", "--all-sizes")
    t.refuse(2, ["regular file"], "parity", "-", "dis.y4m")
    twice = t.run("parity", "-f", "psnr", "-f", "psnr", "--targets", "scalar,scalar")
    once = t.run("parity", "-f", "psnr", "--targets", "scalar")
    t.check(once.returncode == 0 and twice.stdout == once.stdout, "a metric given twice counts once", twice)
    result = t.run("parity", "-f", "psnr", environment={"LOCKSTEP_CPU": "scalar"})
    t.check(result.returncode == 0 and result.stdout == once.stdout, "the environment chooses here too", result)
    result = t.run("parity", "-f", "psnr", environment={"LOCKSTEP_CPU": "avx3"})
    t.check(result.returncode == 1 and "LOCKSTEP_CPU" in result.stderr, "and a wrong name is an error", result)
    t.refuse(1, ["targets", "avx3", "avx512"], "parity", "--targets", "avx3")
    t.refuse(1, ["--targets"], "parity", "--targets", "scalar,,avx2")
    t.refuse(1, ["--device", "--backends"], "parity", "-f", "psnr", "--gpus", "0")
    t.refuse(1, ["--device", "all"], "parity", "-f", "psnr", "--backends", "cpu,sycl", "--device", "")
    t.refuse(1, ["nonsense", "psnr"], "parity", "-f", "nonsense")
    t.refuse(2, ["abacus", "cpu"], "parity", "--backends", "abacus")
    t.refuse(2, ["missing.y4m"], "parity", "missing.y4m", "dis.y4m")
    t.refuse(2, ["/dev/null", "regular"], "parity", "/dev/null", "dis.y4m")
    t.refuse(2, ["nowhere"], "parity", "--json", "nowhere/p.json")


def test_backends(t):
    """Every backend of this build has the processor's scores; one that is not there is refused with the reason."""
    nowhere = {"LOCKSTEP_PLUGINS": t.folder}
    result = t.run(*PAIR, "--backend", "sycl", environment=nowhere)
    t.check(result.returncode == 2 and result.stdout == "" and "liblockstep_sycl.so is missing" in result.stderr,
            "a missing plugin", result)
    result = t.run("devices", environment=nowhere)
    t.check(result.returncode == 0 and "sycl: not available: " in result.stdout, "and the list says so", result)
    t.refuse(2, ["metal", "cpu"], *PAIR, "--backend", "metal")
    for how in (["--device", "0"], ["--graphs", "on"], ["--batch", "2"], ["--queue", "out_of_order"], ["--sycl_timing"]):
        t.refuse(1, ["device", "cpu"], *PAIR, *how)
    if not os.path.exists(os.path.join(os.path.dirname(BIN), "lib", "lockstep", "liblockstep_sycl.so")):
        return
    result = t.run("devices")
    t.check("sycl 0: " in result.stdout, "a device", result)
    everything = ["-f", "psnr", "-f", "float_psnr", "-f", "motion_v2=motion_add_uv=true", "-f", "float_motion",
                  "--precision", "max", "--csv", "-"]
    plain = t.run(*PAIR, *everything)
    for how in ([], ["--graphs", "on", "--batch", "2"], ["--queue", "out_of_order"], ["--device", "0"],
                ["--device", "0,0,0"], ["--gpus", "all"], ["--threads", "1"]):
        result = t.run(*PAIR, *everything, "--backend", "sycl", *how)
        t.check(result.returncode == 0 and result.stdout == plain.stdout, f"the processor's scores, {how}", result)
        t.check("backend sycl (" in result.stderr, "the summary names the device", result)
    # A metric without kernels runs on the processor, and the summary says so.
    for metrics in (["-f", "psnr", "-f", "float_ssim", "-f", "motion", "-f", "ciede", "-f", "xpsnr"], ["-f", "float_moment"]):
        plain = t.run(*PAIR, *metrics, "--precision", "max", "--csv", "-")
        for how in ([], ["--device", "0,0"], ["--threads", "1", "--graphs", "on"]):
            result = t.run(*PAIR, *metrics, "--precision", "max", "--csv", "-", "--backend", "sycl", *how)
            t.check(result.returncode == 0 and result.stdout == plain.stdout and
                    "computed on the processor: the backend sycl has no kernels for it" in result.stderr,
                    f"beside a device: {metrics} {how}", result)
    whole = t.run(*PAIR, *everything, "--subsample", "2", "--frames", "1:3")
    result = t.run(*PAIR, *everything, "--subsample", "2", "--frames", "1:3", "--backend", "sycl")
    t.check(result.returncode == 0 and result.stdout == whole.stdout, "segment and subsampling", result)
    for flag in ("--device-timing", "--sycl_timing"):
        result = t.run(*PAIR, "--backend", "sycl", flag, "--quiet")
        t.check(result.returncode == 0 and "device time" in result.stderr and "vif" in result.stderr, "timing", result)
    t.refuse(2, ["no such card", "0"], *PAIR, "--backend", "sycl", "--device", "no such card")
    t.refuse(1, ["timed"], *PAIR, "--backend", "sycl", "--device-timing", "--graphs", "on")
    t.refuse(2, ["99"], *PAIR, "--backend", "sycl", "--device", "99")
    t.refuse(2, ["99"], *PAIR, "--backend", "sycl", "--device", "0,99")
    t.refuse(1, ["empty entry"], *PAIR, "--backend", "sycl", "--device", "0,")
    t.refuse(2, ["short.y4m"], "score", "ref.y4m", "short.y4m", "--strict", "--backend", "sycl")
    result = t.run("parity", "-f", "psnr", "--default-options", "--backends", "cpu,sycl")
    t.check(result.returncode == 0 and "sycl/frames" in result.stdout and "sycl/graphs" in result.stdout, "the gate",
            result)
    result = t.run("parity", "-f", "motion", "--default-options", "--backends", "sycl", "--device", "0,0,0")
    t.check(result.returncode == 0 and "sycl/3 at once/1" in result.stdout, "the gate on several devices", result)


def test_without_ffmpeg(t):
    """y4m and raw video are scored where FFmpeg's libraries cannot be loaded; other files are refused, saying so."""
    nowhere = {"LOCKSTEP_PLUGINS": t.folder}
    t.write("clip.mp4", b"\0\0\0\x18ftypisom" + bytes(64))
    result = t.run("score", "clip.mp4", "dis.y4m", environment=nowhere)
    t.check(result.returncode == 2 and "clip.mp4" in result.stderr and "liblockstep_ffmpeg.so is missing" in result.stderr,
            "a missing plugin", result)
    t.write("liblockstep_ffmpeg.so", b"not a library")
    result = t.run("score", "clip.mp4", "dis.y4m", environment=nowhere)
    t.check(result.returncode == 2 and ("invalid ELF header" in result.stderr or "too short" in result.stderr),
            "a broken plugin", result)
    plain = t.run(*PAIR, "--quiet")
    result = t.run(*PAIR, "--quiet", environment=nowhere)
    t.check(result.returncode == 0 and result.stdout == plain.stdout, "y4m needs no plugin", result)
    for name in ("clip.mp4", "liblockstep_ffmpeg.so"):
        os.unlink(t.path(name))


def main():
    t = ProgramTest("lockstep")
    for test in (test_refusals, test_summary_and_reports, test_options_before_the_inputs, test_segment, test_warnings,
                 test_standard_input, test_terminal, test_lists, test_devices, test_parity, test_backends,
                 test_without_ffmpeg):
        test(t)
    return t.finish()


if __name__ == "__main__":
    sys.exit(main())
