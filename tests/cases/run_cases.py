#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What users run into, re-made small and tried on the real programs.

  tests/cases/run_cases.py --bin build/release/bin --clips build/clips --wheels .env/wheels

Every case is a function below; its first sentence says what must hold. Python's standard library only.
"""
import argparse
import concurrent.futures
import csv
import glob
import io
import json
import math
import os
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import xml.etree.ElementTree
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SAMPLES = os.path.join(ROOT, "docs", "samples")

options = None
CASES = []


def case(function):
    CASES.append(function)
    return function


def slow(function):
    """Left out under sanitizers: measures memory or needs many frames."""
    function.slow = True
    return function


class Wrong(AssertionError):
    """A case did not behave as written."""


def check(condition, text, *values):
    if not condition:
        raise Wrong(text % values if values else text)


# ---------------------------------------------------------------------------------------------------------------------
# Pictures and files


class Video:
    """Planar frames in memory: frames[n][plane] is a list of samples, chroma planes rounded up."""

    def __init__(self, width, height, fmt=420, depth=8, frames=3, seed=1, samples=None):
        self.width, self.height, self.fmt, self.depth = width, height, fmt, depth
        noise = random.Random(seed)
        top = (1 << depth) - 1
        self.frames = []
        for number in range(frames):
            planes = []
            for plane in range(1 if fmt == 400 else 3):
                w, h = self.plane_size(plane)
                if samples is None:
                    planes.append([noise.randint(0, top) for _ in range(w * h)])
                else:
                    planes.append([samples(number, plane, x, y) for y in range(h) for x in range(w)])
            self.frames.append(planes)

    def plane_size(self, plane):
        if plane == 0:
            return self.width, self.height
        w = (self.width + 1) // 2 if self.fmt in (420, 422) else self.width
        w = (self.width + 3) // 4 if self.fmt == 411 else w
        return w, (self.height + 1) // 2 if self.fmt == 420 else self.height

    def plane_bytes(self, samples):
        if self.depth == 8:
            return bytes(samples)
        return b"".join(s.to_bytes(2, "little") for s in samples)

    def frame_bytes(self, number):
        return b"".join(self.plane_bytes(plane) for plane in self.frames[number])

    def yuv(self, path):
        with open(path, "wb") as file:
            for number in range(len(self.frames)):
                file.write(self.frame_bytes(number))
        return path

    def y4m_bytes(self, tag=None, extra="", frame_parameters="", alpha=False):
        head = "YUV4MPEG2 W%d H%d F25:1 Ip A1:1" % (self.width, self.height)
        if tag:
            head += " C" + tag
        out = [(head + extra + "\n").encode()]
        for number in range(len(self.frames)):
            out.append(b"FRAME" + frame_parameters.encode() + b"\n" + self.frame_bytes(number))
            if alpha:
                out.append(bytes(self.width * self.height))
        return b"".join(out)

    def y4m(self, path, *args, **kwargs):
        with open(path, "wb") as file:
            file.write(self.y4m_bytes(*args, **kwargs))
        return path

    def raw_arguments(self):
        return ["-w", str(self.width), "-h", str(self.height), "-p", str(self.fmt), "-b", str(self.depth)]

    def squared_error(self, other, number, plane):
        """Squared error over the scored region: chroma rounded down, as libvmaf and FFmpeg do."""
        w, h = self.plane_size(plane)
        scored_w = self.width // 2 if plane and self.fmt in (420, 422) else w
        scored_h = self.height // 2 if plane and self.fmt == 420 else h
        a, b = self.frames[number][plane], other.frames[number][plane]
        total = sum((a[y * w + x] - b[y * w + x]) ** 2 for y in range(scored_h) for x in range(scored_w))
        return total, scored_w * scored_h


def y4m_tag(fmt, depth):
    name = {400: "mono", 420: "420", 422: "422", 444: "444"}[fmt]
    if depth == 8:
        return "420jpeg" if fmt == 420 else name
    return name + (str(depth) if fmt == 400 else "p%d" % depth)


def golden_clip(name):
    """One of the clips of tests/clips, made when it is missing."""
    paths = [os.path.join(options.clips, name + "_%s.yuv" % side) for side in ("ref", "dis")]
    if not all(os.path.exists(p) for p in paths):
        subprocess.run([sys.executable, os.path.join(ROOT, "tests", "clips", "make_synthetic.py"), "--out", options.clips,
                        "--only", name], check=True, stdout=subprocess.DEVNULL)
    return paths


def ffmpeg_program():
    """The ffmpeg inside imageio-ffmpeg's wheel: containers that users bring are made with it."""
    found = glob.glob(os.path.join(options.clips, "sources", "ffmpeg-*"))
    if not found:
        wheel = glob.glob(os.path.join(options.wheels, "imageio_ffmpeg-*.whl"))
        check(wheel, "no imageio_ffmpeg wheel in %s", options.wheels)
        folder = os.path.join(options.clips, "sources")
        os.makedirs(folder, exist_ok=True)
        with zipfile.ZipFile(wheel[0]) as archive:
            name = next(n for n in archive.namelist() if "/binaries/ffmpeg-" in n)
            found = [os.path.join(folder, os.path.basename(name))]
            with open(found[0], "wb") as file:
                file.write(archive.read(name))
        os.chmod(found[0], 0o755)
    return found[0]


# ---------------------------------------------------------------------------------------------------------------------
# Running the programs


class Run:
    """What a program did."""

    def __init__(self, command, done):
        self.command = command
        self.status = done.returncode
        self.out = done.stdout.decode(errors="replace")
        self.err = done.stderr.decode(errors="replace")

    def describe(self):
        return "%s\n    status %d, stderr: %s" % (" ".join(self.command), self.status, self.err.strip()[-600:])


def died(status):
    """Ended by a signal, seen directly or through a shell; 234 and 255 are libvmaf's own codes."""
    return status < 0 or 128 < status <= 128 + 64


def program(name):
    return os.path.join(options.bin, name)


def run(command, timeout=120, **kwargs):
    if "input" not in kwargs and "stdin" not in kwargs:
        kwargs["stdin"] = subprocess.DEVNULL
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout, check=False, **kwargs)
    except subprocess.TimeoutExpired as error:
        raise Wrong("hangs: %s" % " ".join(command)) from error
    result = Run(command, done)
    check(not died(result.status), "died: %s", result.describe())
    return result


def vmaf(reference, distorted, *arguments, **kwargs):
    return run([program("vmaf"), "-r", reference, "-d", distorted, *map(str, arguments)], **kwargs)


def read_json(text, where):
    def bare(word):
        raise Wrong("bare %s in the JSON of %s" % (word, where))
    try:
        return json.loads(text, parse_constant=bare)
    except json.JSONDecodeError as error:
        raise Wrong("%s: not JSON: %s" % (where, error)) from error


def score(folder, reference, distorted, *arguments, **kwargs):
    """A run that must work; returns the report and the run."""
    path = os.path.join(folder, "report-%d.json" % random.getrandbits(48))
    result = vmaf(reference, distorted, "--json", "-o", path, "--precision", "max", *arguments, **kwargs)
    check(result.status == 0, "refused: %s", result.describe())
    check(os.path.exists(path), "no report: %s", result.describe())
    with open(path, encoding="utf-8") as file:
        return read_json(file.read(), " ".join(result.command)), result


def refused(folder, reference, distorted, *arguments, mentions=(), **kwargs):
    """A run that must be refused with a message, leaving nothing behind."""
    before = set(os.listdir(folder))
    path = os.path.join(folder, "refused.json")
    result = vmaf(reference, distorted, "--json", "-o", path, *arguments, **kwargs)
    check(result.status != 0, "accepted: %s", result.describe())
    check_message(result, mentions)
    check(set(os.listdir(folder)) == before, "left behind: %s by %s", set(os.listdir(folder)) - before, result.describe())
    return result


def check_message(result, mentions):
    check(result.err.strip(), "no message: %s", result.describe())
    for word in mentions:
        check(word in result.err, "the message does not say '%s': %s", word, result.describe())


def frames(report):
    return [frame["metrics"] for frame in report["frames"]]


def scores_only(report):
    """The part of a report that must not depend on how it was computed."""
    return {key: report[key] for key in ("frames", "pooled_metrics", "aggregate_metrics")}


NO_MODEL = "--no_prediction"


def features(*texts):
    out = [NO_MODEL]
    for text in texts:
        out += ["--feature", text]
    return out


# ---------------------------------------------------------------------------------------------------------------------
# Sizes and formats


@case
def odd_sizes(folder):
    """Odd sizes in 4:2:0 and 4:2:2: both readers give the same scores, and psnr is that of the scored region."""
    for width, height in ((19, 19), (33, 34), (65, 64), (64, 65)):
        for fmt in (420, 422):
            for depth in (8, 10):
                a = Video(width, height, fmt, depth, 3, seed=width)
                b = Video(width, height, fmt, depth, 3, seed=height + 1)
                asked = ["psnr=enable_mse=true", "motion", "float_motion", "float_psnr", "vif"]
                asked += ["adm"] if min(width, height) >= 33 else []
                name = "%dx%d_%d_%d" % (width, height, fmt, depth)
                ra, rb = a.yuv(f"{folder}/{name}_a.yuv"), b.yuv(f"{folder}/{name}_b.yuv")
                ya, yb = a.y4m(f"{folder}/{name}_a.y4m", y4m_tag(fmt, depth)), b.y4m(f"{folder}/{name}_b.y4m", y4m_tag(fmt, depth))
                raw, _ = score(folder, ra, rb, *a.raw_arguments(), *features(*asked))
                y4m, _ = score(folder, ya, yb, *features(*asked))
                check(scores_only(raw) == scores_only(y4m), "%s: yuv and y4m differ", name)
                check(len(frames(raw)) == 3, "%s: %d frames", name, len(frames(raw)))
                for number, metrics in enumerate(frames(raw)):
                    for plane, key in enumerate(("mse_y", "mse_cb", "mse_cr")):
                        total, count = a.squared_error(b, number, plane)
                        check(metrics[key] == total / count, "%s frame %d: %s is %r, not %r", name, number, key,
                              metrics[key], total / count)


@case
def tiny_sizes(folder):
    """Below a metric's minimum: refused at the start with the minimum; psnr and motion work down to 3x3."""
    for feature, width, height, least in (("adm", 32, 33, "33x33"), ("adm", 33, 32, "33x33"), ("adm", 3, 3, "33x33"),
                                          ("vif", 15, 16, "16x16"), ("vif", 16, 15, "16x16"), ("vif", 1, 1, "16x16"),
                                          ("motion", 2, 3, "3x3"), ("float_motion", 3, 2, "3x3")):
        a, b = Video(width, height, seed=1), Video(width, height, seed=2)
        ra, rb = a.yuv(folder + "/a.yuv"), b.yuv(folder + "/b.yuv")
        refused(folder, ra, rb, *a.raw_arguments(), *features(feature), mentions=[least, feature])
    for width, height in ((32, 40), (40, 32), (16, 16), (3, 3)):
        a, b = Video(width, height, seed=1), Video(width, height, seed=2)
        ra, rb = a.yuv(folder + "/a.yuv"), b.yuv(folder + "/b.yuv")
        refused(folder, ra, rb, *a.raw_arguments(), mentions=["33x33"])  # the default model
        refused(folder, ra, rb, *a.raw_arguments(), *features("psnr", "adm"), mentions=["33x33"])
    for width, height in ((3, 3), (3, 8), (4, 5), (17, 3)):
        a, b = Video(width, height, seed=1), Video(width, height, seed=2)
        ra, rb = a.yuv(folder + "/a.yuv"), b.yuv(folder + "/b.yuv")
        report, _ = score(folder, ra, rb, *a.raw_arguments(), *features("psnr", "motion", "float_motion", "float_psnr"))
        for metrics in frames(report):
            for key in ("psnr_y", "integer_motion2", "motion2", "float_psnr"):
                check(isinstance(metrics.get(key), (int, float)), "%dx%d: %s is %r", width, height, key, metrics.get(key))
    a, b = Video(1, 1, seed=1), Video(1, 1, seed=2)
    ra, rb = a.yuv(folder + "/a.yuv"), b.yuv(folder + "/b.yuv")
    report, _ = score(folder, ra, rb, *a.raw_arguments(), *features("psnr", "float_psnr"))
    check("psnr_y" in frames(report)[0], "1x1 has no psnr_y")


@case
def widths_and_masks(folder):
    """130x130 and 34x60, where SIMD is wrong elsewhere: the same scores with every --cpumask and thread count."""
    for width, height in ((130, 130), (34, 60), (66, 64), (70, 50)):
        texture = lambda n, p, x, y: (7 * (x + n) + 13 * y + ((x * y) >> 2) + 40 * (((x >> 3) + (y >> 3)) & 1)) & 255
        a = Video(width, height, samples=texture)
        noise = random.Random(5)
        b = Video(width, height, samples=lambda n, p, x, y: min(255, max(0, texture(n, p, x, y) + noise.randint(-20, 20))))
        ra, rb = a.yuv(folder + "/a.yuv"), b.yuv(folder + "/b.yuv")
        runs = [score(folder, ra, rb, *a.raw_arguments(), "--model", "version=vmaf_v0.6.1", *more)[0]
                for more in ([], ["--cpumask", "0"], ["--cpumask", "1"], ["--cpumask", "16"], ["--cpumask", "0x3f"],
                             ["--cpumask", "-1"], ["--threads", "1"], ["--threads", "4"])]
        for other in runs[1:]:
            check(scores_only(other) == scores_only(runs[0]), "%dx%d: scores differ", width, height)


@case
def y4m_chroma_tags(folder):
    """Every chroma tag is read as what it is; an unknown one is an error that names it."""
    for tag, fmt, depth in ((None, 420, 8), ("420", 420, 8), ("420jpeg", 420, 8), ("420mpeg2", 420, 8), ("420paldv", 420, 8),
                            ("420p10", 420, 10), ("420p12", 420, 12), ("420p16", 420, 16), ("422", 422, 8),
                            ("422p10", 422, 10), ("422p12", 422, 12), ("422p16", 422, 16), ("444", 444, 8),
                            ("444p10", 444, 10), ("444p12", 444, 12), ("444p16", 444, 16), ("mono", 400, 8)):
        a, b = Video(19, 17, fmt, depth, 2, seed=3), Video(19, 17, fmt, depth, 2, seed=4)
        report, _ = score(folder, a.y4m(folder + "/a.y4m", tag), b.y4m(folder + "/b.y4m", tag),
                          *features("psnr=enable_mse=true", "motion", "vif"))
        raw, _ = score(folder, a.yuv(folder + "/a.yuv"), b.yuv(folder + "/b.yuv"), *a.raw_arguments(),
                       *features("psnr=enable_mse=true", "motion", "vif"))
        check(scores_only(report) == scores_only(raw), "C%s differs from the same samples as .yuv", tag)
        total, count = a.squared_error(b, 1, 0)
        check(frames(report)[1]["mse_y"] == total / count, "C%s: mse_y", tag)
    for tag in ("nosuch", "420p13x", "888", "420p99"):
        a = Video(19, 17, frames=1)
        path = a.y4m(folder + "/unknown.y4m", tag)
        refused(folder, path, path, *features("psnr"), mentions=[tag])


def mirror(index, length):
    return -index if index < 0 else (2 * length - index - 2 if index >= length else index)


def motion_sad(previous, current, width, height, depth):
    """libvmaf's integer motion in the plainest form."""
    taps = (3571, 16004, 26386, 16004, 3571)
    total = 0
    for y in range(height):
        row = []
        for x in range(width):
            acc = sum(t * (previous[mirror(y - 2 + k, height) * width + x] - current[mirror(y - 2 + k, height) * width + x])
                      for k, t in enumerate(taps))
            row.append((acc + (1 << (depth - 1))) >> depth)
        total += sum(abs((sum(t * row[mirror(x - 2 + k, width)] for k, t in enumerate(taps)) + 32768) >> 16)
                     for x in range(width))
    return total / 256.0 / (width * height)


@case
def y4m_14_bit_411_and_alpha(folder):
    """420p14, 411 and 444alpha are read correctly: motion equals a plain formula, the alpha plane is skipped."""
    for tag, fmt, depth in (("420p14", 420, 14), ("411", 411, 8), ("420p9", 420, 9), ("mono10", 400, 10), ("mono12", 400, 12)):
        a, b = Video(33, 18, fmt, depth, 3, seed=6), Video(33, 18, fmt, depth, 3, seed=7)
        report, _ = score(folder, a.y4m(folder + "/a.y4m", tag), b.y4m(folder + "/b.y4m", tag), *features("motion", "vif"))
        for number in (1, 2):
            want = motion_sad(a.frames[number - 1][0], a.frames[number][0], 33, 18, depth)
            got = frames(report)[number]["VMAF_integer_feature_motion_sad_score"]
            check(got == want, "C%s frame %d: motion %r, not %r", tag, number, got, want)
    a, b = Video(20, 18, 444, 8, 3, seed=8), Video(20, 18, 444, 8, 3, seed=9)
    plain, _ = score(folder, a.y4m(folder + "/a.y4m", "444"), b.y4m(folder + "/b.y4m", "444"), *features("psnr", "motion"))
    alpha, _ = score(folder, a.y4m(folder + "/c.y4m", "444alpha", alpha=True), b.y4m(folder + "/d.y4m", "444alpha", alpha=True),
                     *features("psnr", "motion"))
    check(scores_only(plain) == scores_only(alpha), "444alpha differs from 444")


@case
def y4m_long_headers(folder):
    """X parameters of 300 bytes and longer, parameters after FRAME and interlace tags change nothing."""
    a, b = Video(20, 18, seed=8), Video(20, 18, seed=9)
    plain, _ = score(folder, a.y4m(folder + "/a.y4m"), b.y4m(folder + "/b.y4m"), *features("psnr", "motion"))
    for extra in (" X" + "y" * 300, " XYSCSS=420JPEG XCOLORRANGE=LIMITED", " X" + "z" * 3000, " X" + "a" * 200 + " X" + "b" * 200):
        long, _ = score(folder, a.y4m(folder + "/c.y4m", "420jpeg", extra), b.y4m(folder + "/d.y4m", None, extra),
                        *features("psnr", "motion"))
        check(scores_only(long) == scores_only(plain), "a header with %d more bytes changes scores", len(extra))
    with_parameters, _ = score(folder, a.y4m(folder + "/c.y4m", frame_parameters=" Ipp X" + "q" * 300),
                               b.y4m(folder + "/d.y4m"), *features("psnr", "motion"))
    check(scores_only(with_parameters) == scores_only(plain), "parameters after FRAME change scores")
    for mark in ("t", "b", "m"):
        data = a.y4m_bytes().replace(b" Ip ", b" I%s " % mark.encode())
        with open(folder + "/i.y4m", "wb") as file:
            file.write(data)
        tagged, _ = score(folder, folder + "/i.y4m", folder + "/b.y4m", *features("psnr", "motion"))
        check(scores_only(tagged) == scores_only(plain), "the tag I%s changes scores", mark)
        check("progressive" not in json.dumps(tagged["inputs"]["reference"]["interlacing"]), "the tag I%s is not reported", mark)
    for damage in (b"YUV4MPEG2 H18 F25:1\n", b"YUV4MPEG2 W20 F25:1\n", b"YUV4MPEG2 W0 H18 F25:1\n", b"YUV4MPEG2 W-4 H18 F25:1\n",
                   b"YUV4MPEG2 W99999999999 H18 F25:1\n", b"YUV4MPEG2 Wx H18 F25:1\n", b"YUV4MPEG2 W20 H18 F25:1", b"YUV4MPEG2",
                   b"YUV4MPEG2 W20 H18 F25:1 C420jpeg\nFRAMX\n" + bytes(540), b"YUV4MPEG2 W20 H18 F25:1\nFRAME" + b"x" * 9000):
        with open(folder + "/bad.y4m", "wb") as file:
            file.write(damage)
        refused(folder, folder + "/bad.y4m", folder + "/b.y4m", *features("psnr"), mentions=["bad.y4m"])


@case
def mono(folder):
    """4:0:0: psnr gives luma only, vmaf_v0.6.1 works, motion_add_uv refuses."""
    a, b = Video(40, 36, 400, 8, 3, seed=10), Video(40, 36, 400, 8, 3, seed=11)
    ya, yb = a.y4m(folder + "/a.y4m", "mono"), b.y4m(folder + "/b.y4m", "mono")
    report, _ = score(folder, ya, yb, "--feature", "psnr=enable_apsnr=true", "--model", "version=vmaf_v0.6.1")
    names = set(frames(report)[0])
    check("psnr_y" in names and "vmaf" in names, "scores: %s", sorted(names))
    check(not names & {"psnr_cb", "psnr_cr"}, "chroma scores of a picture without chroma")
    check(set(report["aggregate_metrics"]) == {"apsnr_y"}, "aggregates: %s", report["aggregate_metrics"])
    raw, _ = score(folder, a.yuv(folder + "/a.yuv"), b.yuv(folder + "/b.yuv"), *a.raw_arguments(),
                   "--feature", "psnr=enable_apsnr=true", "--model", "version=vmaf_v0.6.1")
    check(frames(raw) == frames(report), "-p 400 differs from Cmono")
    refused(folder, ya, yb, *features("float_motion=motion_add_uv=true"), mentions=["chroma"])


@case
def sixteen_bit_square(folder):
    """16-bit 56832 against 9472 everywhere: the squared error is 2242969600 exactly."""
    a = Video(20, 20, 420, 16, 2, samples=lambda *_: 56832)
    b = Video(20, 20, 420, 16, 2, samples=lambda *_: 9472)
    report, _ = score(folder, a.yuv(folder + "/a.yuv"), b.yuv(folder + "/b.yuv"), *a.raw_arguments(),
                      *features("psnr=enable_mse=true", "float_psnr"))
    for metrics in frames(report):
        for key in ("mse_y", "mse_cb", "mse_cr"):
            check(metrics[key] == 2242969600.0, "%s is %r", key, metrics[key])


@case
def wrong_raw_format(folder):
    """A raw size or depth that the file cannot have: the message names the file and says what would fit."""
    ten = Video(33, 33, 420, 10, 3, seed=12).yuv(folder + "/ten.yuv")
    noise = Video(33, 33, 420, 8, 3, seed=12).yuv(folder + "/noise.yuv")
    result = vmaf(noise, noise, "-w", 33, "-h", 33, "-p", 420, "-b", 10, *features("psnr"))
    check_message(result, ["noise.yuv", "10"])  # samples that 10 bits cannot hold
    eight = Video(33, 33, 420, 8, 3, samples=lambda n, p, x, y: (x + y) & 3).yuv(folder + "/eight.yuv")
    result = vmaf(eight, eight, "-w", 33, "-h", 33, "-p", 420, "-b", 10, *features("psnr"))
    check_message(result, ["eight.yuv", "8"])
    with open(ten, "ab") as file:
        file.write(b"\0" * 100)
    result = vmaf(ten, ten, "-w", 33, "-h", 33, "-p", 420, "-b", 8, *features("psnr"))
    check_message(result, ["ten.yuv"])
    refused(folder, eight, eight, "-w", 1920, "-h", 1080, "-p", 420, "-b", 8, *features("psnr"), mentions=["eight.yuv"])


# ---------------------------------------------------------------------------------------------------------------------
# Files and streams


@case
def truncated(folder):
    """Last frame cut by 1000 bytes: whole frames are scored, a warning names file and bytes; --strict makes it an error."""
    a, b = Video(48, 40, frames=5, seed=13), Video(48, 40, frames=5, seed=14)
    for kind in ("yuv", "y4m"):
        for cut_side in (0, 1):
            paths = [getattr(v, kind)(f"{folder}/{name}.{kind}") for v, name in ((a, "a"), (b, "b"))]
            os.truncate(paths[cut_side], os.path.getsize(paths[cut_side]) - 1000)
            raw = a.raw_arguments() if kind == "yuv" else []
            report, result = score(folder, *paths, *raw, *features("psnr", "motion"))
            check(len(frames(report)) == 4, "%s: %d frames scored", kind, len(frames(report)))
            name = os.path.basename(paths[cut_side])
            left = 48 * 40 * 3 // 2 - 1000 + (6 if kind == "y4m" else 0)
            texts = result.err + json.dumps(report.get("warnings"))
            check(name in result.err, "no warning names the file: %s", result.describe())
            check(any(str(n) in texts for n in (1000, left, left - 6)), "no warning gives the bytes: %s", result.describe())
            check(name in json.dumps(report["warnings"]), "the report has no warning: %s", report.get("warnings"))
            refused(folder, *paths, *raw, *features("psnr"), "--strict", mentions=[name])
    with open(a.y4m(folder + "/t.y4m"), "ab") as file:
        file.write(b"FRA")
    report, result = score(folder, folder + "/t.y4m", b.y4m(folder + "/u.y4m"), *features("psnr"))
    check(len(frames(report)) == 5, "a tail of three bytes: %d frames", len(frames(report)))


@case
def unequal_length(folder):
    """7 frames against 12, both orders: 7 scored, and it is said which ended first; --strict makes it an error."""
    short, long = Video(40, 36, frames=7, seed=15), Video(40, 36, frames=12, seed=16)
    for kind in ("yuv", "y4m"):
        ps, pl = getattr(short, kind)(f"{folder}/short.{kind}"), getattr(long, kind)(f"{folder}/long.{kind}")
        raw = short.raw_arguments() if kind == "yuv" else []
        for pair in ((ps, pl), (pl, ps)):
            report, result = score(folder, *pair, *raw, *features("psnr", "motion"))
            check(len(frames(report)) == 7, "%d frames scored", len(frames(report)))
            check("short." + kind in result.err, "not said which ended first: %s", result.describe())
            check("short." + kind in json.dumps([report["warnings"], report["decisions"]]), "the report does not say it")
            refused(folder, *pair, *raw, *features("psnr"), "--strict", mentions=["short." + kind])


@case
def bad_inputs(folder):
    """Missing, directory, empty, not a video: one line naming file and problem, status not 0. The same file twice works."""
    good = Video(40, 36, frames=2).y4m(folder + "/good.y4m")
    score(folder, good, good, *features("psnr"))
    open(folder + "/empty.y4m", "wb").close()
    os.mkdir(folder + "/directory")
    with open(folder + "/text.mp4", "w", encoding="ascii") as file:
        file.write("this is no video\n" * 100)
    for bad in ("missing.y4m", "empty.y4m", "directory", "text.mp4"):
        for pair in ((folder + "/" + bad, good), (good, folder + "/" + bad)):
            for more in ([], ["-w", "40", "-h", "36", "-p", "420", "-b", "8"]):
                if more and (bad == "text.mp4" or pair[0] == good):  # there, the good one is the wrong one
                    continue
                result = refused(folder, *pair, *more, *features("psnr"), mentions=[bad])
                lines = [line for line in result.err.splitlines() if bad in line]
                check(len(lines) == 1 and len(result.err.strip().splitlines()) <= 2, "more than one line: %s", result.describe())
            result = run([program("lockstep"), "score", *pair])
            check(result.status != 0, "accepted: %s", result.describe())
            check_message(result, [bad])
    for missing in (["-r", good], ["-d", good], []):
        result = run([program("vmaf"), *missing])
        check(result.status != 0 and result.err.strip(), "accepted: %s", result.describe())
    for partial in (["-w", "40"], ["-w", "40", "-h", "36"], ["-w", "0", "-h", "36", "-p", "420", "-b", "8"],
                    ["-w", "40", "-h", "36", "-p", "421", "-b", "8"], ["-w", "40", "-h", "36", "-p", "420", "-b", "9x"]):
        refused(folder, good, good, *partial, *features("psnr"))


class Writer(threading.Thread):
    """Feeds bytes into a FIFO or descriptor; a reader that goes away is no error."""

    def __init__(self, target, chunks):
        super().__init__(daemon=True)
        self.target, self.chunks = target, chunks
        self.start()

    def run(self):
        try:
            with open(self.target, "wb", buffering=0) as file:
                for chunk in self.chunks:
                    view = memoryview(chunk)
                    while view:
                        view = view[file.write(view):]
        except (BrokenPipeError, OSError):
            pass


@case
def pipes(folder):
    """`-`, /dev/stdin, /dev/fd/N and FIFOs, y4m and raw: the scores of the files."""
    a, b = Video(40, 36, frames=4, seed=17), Video(40, 36, frames=4, seed=18)
    asked = features("psnr", "motion", "vif")
    plain, _ = score(folder, a.y4m(folder + "/a.y4m"), b.y4m(folder + "/b.y4m"), *asked)
    for name in ("-", "/dev/stdin", "/dev/fd/0"):
        first, _ = score(folder, name, folder + "/b.y4m", *asked, input=a.y4m_bytes())
        second, _ = score(folder, folder + "/a.y4m", name, *asked, input=b.y4m_bytes(None, " XYSCSS=420JPEG"))
        check(scores_only(first) == scores_only(plain) == scores_only(second), "%s differs", name)
    fifos = [folder + "/fifo_a", folder + "/fifo_b"]
    for path in fifos:
        os.mkfifo(path)
    for make in (lambda v: (v.y4m_bytes(),), lambda v: tuple(v.frame_bytes(n) for n in range(4))):
        raw = [] if len(make(a)) == 1 else a.raw_arguments()
        writers = [Writer(path, make(v)) for path, v in zip(fifos, (a, b))]
        report, _ = score(folder, *fifos, *raw, *asked)
        check(scores_only(report) == scores_only(plain), "FIFOs differ")
        for writer in writers:
            writer.join(10)
    read_end, write_end = os.pipe()
    writer = Writer(write_end, (a.y4m_bytes(),))
    report, _ = score(folder, "/dev/fd/%d" % read_end, folder + "/b.y4m", *asked, pass_fds=[read_end])
    os.close(read_end)
    writer.join(10)
    check(scores_only(report) == scores_only(plain), "/dev/fd/N differs")
    refused(folder, "-", folder + "/b.y4m", *features("psnr"), mentions=["-"], input=b"")
    result = vmaf("-", "-", *features("psnr"), input=a.y4m_bytes())
    check(result.status != 0 and result.err.strip(), "both inputs on one pipe: %s", result.describe())


@case
def unwritable_output(folder):
    """A report that cannot be written: refused before scoring starts, status not 0."""
    a = Video(40, 36, frames=2)
    good = a.y4m(folder + "/a.y4m")
    os.mkdir(folder + "/directory")
    for path in (folder + "/no/such/folder/r.json", folder + "/directory", "/proc/r.json", folder + "/a.y4m/r.json"):
        # The reference never ends: only a refusal at the start comes back in time.
        fifo = folder + "/endless"
        os.mkfifo(fifo)
        stop = threading.Event()

        def endless():
            yield a.y4m_bytes()
            stop.wait(30)

        writer = Writer(fifo, endless())
        started = time.monotonic()
        result = run([program("vmaf"), "-r", fifo, "-d", good, *features("psnr"), "--json", "-o", path], timeout=20)
        took = time.monotonic() - started
        stop.set()
        if writer.is_alive():
            descriptor = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # lets a writer that nobody read from go on
            writer.join(10)
            os.close(descriptor)
        os.unlink(fifo)
        check(result.status != 0, "accepted: %s", result.describe())
        check_message(result, [path])
        check(took < 15, "only refused after %.0f s", took)
        result = run([program("lockstep"), "score", good, good, "--json", path])
        check(result.status != 0, "lockstep accepts it: %s", result.describe())
        check_message(result, [path])


@case
def interrupted(folder):
    """A run that is interrupted leaves no half-written report and no temporary file; an older report stays."""
    a = Video(40, 36, frames=2)
    good = Video(40, 36, frames=40).y4m(folder + "/long.y4m")
    for number in (signal.SIGINT, signal.SIGTERM):
        for old in (None, "an older report"):
            fifo, out = folder + "/slow", folder + "/out"
            os.mkfifo(fifo)
            os.mkdir(out)
            report = out + "/r.json"
            if old:
                with open(report, "w", encoding="ascii") as file:
                    file.write(old)
            stop = threading.Event()

            def slow_pipe():
                yield a.y4m_bytes()
                while not stop.wait(0.05):
                    yield b"FRAME\n" + a.frame_bytes(0)

            writer = Writer(fifo, slow_pipe())
            # A shell's background jobs ignore SIGINT, and programs inherit that.
            process = subprocess.Popen(["env", "--default-signal=INT,TERM", program("vmaf"), "-r", fifo, "-d", good, "--json",
                                        "-o", report],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(0.8)
            check(process.poll() is None, "ended by itself: %s", process.stderr.read() if process.poll() is not None else "")
            process.send_signal(number)
            try:
                _, err = process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise Wrong("does not stop on signal %d" % number) from None
            stop.set()
            writer.join(10)
            check(process.returncode != 0, "status 0 after an interruption")
            check(process.returncode in (-number, 128 + number) or 0 < process.returncode < 128,
                  "status %d: %s", process.returncode, err)
            left = os.listdir(out)
            check(left == (["r.json"] if old else []), "left behind: %s", left)
            if old:
                with open(report, encoding="ascii") as file:
                    check(file.read() == old, "the older report was changed")
            os.unlink(fifo)
            shutil.rmtree(out)


def peak_memory(command, feed, timeout):
    """Runs a command while `feed` threads write; returns (status, stderr, peak resident bytes)."""
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        writers = feed()
        killer = threading.Timer(timeout, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        for writer in writers:
            writer.join(10)
        err.seek(0)
        return process.returncode, err.read().decode(errors="replace")[-500:], usage.ru_maxrss * 1024


def memory_of(folder, width, height, count, arguments, timeout):
    base = Video(64, 36, seed=19)
    tile = base.frame_bytes(0)
    size = width * height * 3 // 2
    body = [b"FRAME\n" + (tile * (size // len(tile) + 2))[shift:shift + size] for shift in (0, 64, 128)]
    head = b"YUV4MPEG2 W%d H%d F25:1 Ip C420jpeg\n" % (width, height)
    fifos = [folder + "/memory_a", folder + "/memory_b"]
    for path in fifos:
        os.mkfifo(path)

    def frames_of(step):
        yield head
        for number in range(count):
            yield body[(number * step) % len(body)]

    out = folder + "/memory.json"
    status, err, peak = peak_memory([program("vmaf"), "-r", fifos[0], "-d", fifos[1], "--json", "-o", out, *arguments],
                                    lambda: [Writer(fifos[0], frames_of(1)), Writer(fifos[1], frames_of(2))], timeout)
    for path in fifos:
        os.unlink(path)
    check(status == 0, "status %d: %s", status, err)
    with open(out, encoding="utf-8") as file:
        check(len(read_json(file.read(), out)["frames"]) == count, "not every frame was scored")
    return peak


@case
@slow
def flat_memory(folder):
    """A fast reader and a slow metric: memory does not grow with the number of frames."""
    arguments = ["--model", "version=vmaf_v0.6.1", "--threads", "2"]
    short = memory_of(folder, 1280, 720, 30, arguments, 300)
    long = memory_of(folder, 1280, 720, 120, arguments, 300)
    frame_pair = 1280 * 720 * 3
    check(long < short + 8 * frame_pair, "30 frames take %d MB, 120 take %d MB", short >> 20, long >> 20)
    if options.full:
        arguments = features("psnr", "motion") + ["--threads", "2"]
        short = memory_of(folder, 3840, 2160, 50, arguments, 3600)
        long = memory_of(folder, 3840, 2160, 2000, arguments, 3600)
        frame_pair = 3840 * 2160 * 3
        check(long < short + 8 * frame_pair, "50 4K frames take %d MB, 2000 take %d MB", short >> 20, long >> 20)
        print("    4K: 50 frames %d MB, 2000 frames %d MB" % (short >> 20, long >> 20))


@case
def different_formats(folder):
    """Different size, depth or format: raw and y4m inputs of `vmaf` are refused, both sides named."""
    a = Video(48, 40, 420, 8, 2).y4m(folder + "/a.y4m", "420jpeg")
    for other, words in ((Video(40, 48, 420, 8, 2), ["48x40", "40x48"]), (Video(48, 40, 444, 8, 2), ["420", "444"]),
                         (Video(48, 40, 420, 10, 2), ["8", "10"]), (Video(47, 40, 420, 8, 2), ["48x40", "47x40"])):
        b = other.y4m(folder + "/b.y4m", y4m_tag(other.fmt, other.depth))
        for pair in ((a, b), (b, a)):
            refused(folder, *pair, *features("psnr"), mentions=words)


@case
def containers(folder):
    """Containers of another size are scaled by the main program, and the report says so; mp4 equals its own y4m."""
    ffmpeg = ffmpeg_program()
    small = folder + "/small.mkv"
    distorted, reference = (os.path.join(SAMPLES, "bunny_640x360_%s.mp4" % n) for n in ("distorted", "reference"))
    subprocess.run([ffmpeg, "-loglevel", "error", "-y", "-nostdin", "-i", distorted, "-frames:v", "4", "-vf", "scale=320:180",
                    "-c:v", "libx264", "-qp", "20", small], check=True)
    out = folder + "/scaled.json"
    result = run([program("lockstep"), "score", reference, small, "--json", out])
    check(result.status == 0, "refused: %s", result.describe())
    with open(out, encoding="utf-8") as file:
        report = read_json(file.read(), out)
    check(len(report["frames"]) == 4, "%d frames", len(report["frames"]))
    decisions = json.dumps(report["decisions"])
    check("bicubic" in decisions and "320x180" in decisions and "640x360" in decisions, "decisions: %s", decisions)
    for name in ("reference", "distorted"):
        subprocess.run([ffmpeg, "-loglevel", "error", "-y", "-nostdin", "-i", os.path.join(SAMPLES, "bunny_640x360_%s.mp4" % name),
                        "-frames:v", "6", "-fps_mode", "passthrough", "-f", "yuv4mpegpipe", folder + "/" + name + ".y4m"], check=True)
    y4m, _ = score(folder, folder + "/reference.y4m", folder + "/distorted.y4m", "--feature", "psnr")
    out = folder + "/mp4.json"
    result = run([program("lockstep"), "score", reference, distorted, "--frames", "0:6", "--feature", "psnr", "--precision", "max",
                  "--json", out])
    check(result.status == 0, "refused: %s", result.describe())
    with open(out, encoding="utf-8") as file:
        mp4 = read_json(file.read(), out)
    for number in range(5):  # motion2 of the last frame knows no later one
        for key in ("vmaf", "psnr_y", "psnr_cb", "integer_adm2", "integer_vif_scale0"):
            check(mp4["frames"][number]["metrics"][key] == frames(y4m)[number][key], "frame %d: %s of mp4 and y4m differ", number, key)


@case
def damaged_containers(folder):
    """Damage that shows in FFmpeg's log only, and a container cut in half: a warning names the file; --strict makes it an error."""
    ffmpeg = ffmpeg_program()
    whole = folder + "/whole.mkv"
    subprocess.run([ffmpeg, "-loglevel", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc2=size=96x80:rate=25", "-frames:v", "12",
                    "-pix_fmt", "yuv420p", "-c:v", "ffv1", "-level", "3", "-slicecrc", "1", whole], check=True)
    with open(whole, "rb") as file:
        content = file.read()
    damaged = bytearray(content)
    middle = len(damaged) // 2
    damaged[middle:middle + 8] = bytes(b ^ 0x5A for b in damaged[middle:middle + 8])
    for name, data in (("flipped.mkv", bytes(damaged)), ("half.mkv", content[:middle])):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        report, result = score(folder, whole, path, *features("psnr"))
        check(name in result.err and "damaged or truncated" in result.err, "no warning: %s", result.describe())
        check(name in json.dumps(report["warnings"]), "the report has no warning: %s", report["warnings"])
        refused(folder, whole, path, *features("psnr"), "--strict", mentions=[name])
    report, result = score(folder, whole, whole, *features("psnr"), "--strict")
    check("damaged" not in result.err, "a sound file is called damaged: %s", result.describe())


@case
def one_stream_twice(folder):
    """One pipe or descriptor cannot be both inputs: the two readers would take each other's bytes."""
    a, _ = tiny_pair(folder)
    for arguments in (["-r", "-", "-d", "/dev/stdin"], ["-r", "/dev/stdin", "-d", "/dev/stdin"]):
        with open(a, "rb") as stdin:
            result = run([program("vmaf"), *arguments, *features("psnr")], stdin=stdin)
        check(result.status not in (0, None) and "one stream" in result.err, "%s", result.describe())


# ---------------------------------------------------------------------------------------------------------------------
# Options


def tiny_pair(folder, frame_count=3):
    a, b = Video(40, 36, frames=frame_count, seed=20), Video(40, 36, frames=frame_count, seed=21)
    return a.y4m(folder + "/a.y4m"), b.y4m(folder + "/b.y4m")


@case
def repeated_features(folder):
    """psnr and psnr with more outputs are both honoured; adm twice with other options gives two sets of names."""
    a, b = tiny_pair(folder)
    for texts in (("psnr", "psnr=enable_mse=true"), ("psnr=enable_mse=true", "psnr")):
        report, _ = score(folder, a, b, *features(*texts))
        check({"psnr_y", "mse_y", "psnr_cb", "mse_cb"} <= set(frames(report)[0]), "%s gives %s", texts, sorted(frames(report)[0]))
    report, _ = score(folder, a, b, *features("adm", "adm=adm_enhn_gain_limit=1.0"))
    check({"integer_adm2", "integer_adm2_egl_1"} <= set(frames(report)[0]), "scores: %s", sorted(frames(report)[0]))
    report, _ = score(folder, a, b, *features("vif", "vif=debug=true"))
    check({"integer_vif_scale0", "integer_vif"} <= set(frames(report)[0]), "scores: %s", sorted(frames(report)[0]))
    report, _ = score(folder, a, b, "--model", "version=vmaf_v0.6.1", "--feature", "motion=debug=true")
    check({"vmaf", "integer_motion", "integer_motion2"} <= set(frames(report)[0]), "scores: %s", sorted(frames(report)[0]))


@case
def refused_options(folder):
    """Unknown or malformed options, features, values, pools and flags: refused, and the valid names are listed."""
    a, b = tiny_pair(folder)
    for arguments, words in (
            (["--feature", "vif=nosuch=1"], ["nosuch", "vif_enhn_gain_limit"]),
            (["--feature", "nosuch"], ["nosuch", "psnr", "float_motion"]),
            (["--feature", "adm=adm_enhn_gain_limit=nan"], ["adm_enhn_gain_limit"]),
            (["--feature", "adm=adm_enhn_gain_limit=inf"], ["adm_enhn_gain_limit"]),
            (["--feature", "adm=adm_enhn_gain_limit=0.5"], ["adm_enhn_gain_limit", "1", "100"]),
            (["--feature", "adm=adm_enhn_gain_limit=1.5xyz"], ["adm_enhn_gain_limit"]),
            (["--feature", "adm=adm_csf_mode=1.9"], ["adm_csf_mode"]),
            (["--feature", "adm=adm_csf_mode=9"], ["adm_csf_mode"]),
            (["--feature", "adm=adm_csf_mode=2:adm_ref_display_height=1081"], ["adm"]),
            (["--feature", "adm=adm_norm_view_dist=1.5"], ["adm"]),
            (["--feature", "vif=debug=1"], ["debug"]),
            (["--feature", "vif=debug"], ["debug"]),
            (["--feature", ""], []),
            (["--feature", "psnr=min_sse=-1"], ["min_sse"]),
            (["--feature", "motion=motion_max_val="], ["motion_max_val"]),
            (["--threads", "abc"], ["abc"]),
            (["--threads", "1x"], ["1x"]),
            (["--threads", "-1"], []),
            (["--subsample", "0x"], ["0x"]),
            (["--cpumask", "zz"], ["zz"]),
            (["--frame_cnt", "many"], ["many"]),
            (["--pool", "perc5x"], ["perc5x", "mean"]),
            (["--precision", "much"], ["much"]),
            (["--backend", "nosuch"], ["nosuch", "cpu"]),
            (["--nosuchflag"], ["nosuchflag"]),
            (["--aom_ctc", "v9.9"], ["v9.9"]),
            (["--aom_ctc", "proposed"], ["proposed"]),
            (["--nflx_ctc", "v2.0"], ["v2.0"]),
            (["--model", "version=nosuch"], ["nosuch", "vmaf_v0.6.1"]),
            (["--model", "version=vmaf_v0.6.1:nosuch=1"], ["nosuch"]),
            (["--model", "version=vmaf_v0.6.1:adm.nosuch=1"], ["nosuch"]),
            (["--model", "version=vmaf_v0.6.1:nosuch.x=1"], ["nosuch"]),
            (["--model", "version=vmaf_v0.6.1:adm.adm_enhn_gain_limit=0.1"], ["adm_enhn_gain_limit"]),
            (["--model", "name=x"], []),
            (["--model", ""], []),
            (["--model", "path=" + folder + "/missing.json"], ["missing.json"]),
            (["--model", "version=vmaf_v0.6.1", "--model", "version=vmaf_v0.6.1neg"], ["vmaf"]),
            (["extra_argument"], ["extra_argument"])):
        refused(folder, a, b, *arguments, mentions=words)
    for arguments in (["score"], ["score", a], ["nosuch"], [], ["score", a, b, "--nosuch"], ["score", a, b, "--threads", "abc"],
                      ["score", a, b, "--frames", "8:4"], ["score", a, b, "--frames", "x"], ["score", a, b, "--model", "nosuch"],
                      ["score", a, b, "--feature", "nosuch"], ["score", a, b, "--precision", "x"]):
        result = run([program("lockstep"), *arguments])
        check(result.status != 0, "accepted: %s", result.describe())
        check((result.err + result.out).strip(), "no message: %s", result.describe())


def toy_model():
    """A small model in libvmaf's JSON format whose prediction can be written out by hand."""
    return {"param_dict": {"C": 4.0}, "model_dict": {
        "model_type": "LIBSVMNUSVR", "norm_type": "linear_rescale", "score_clip": [0.0, 100.0],
        "slopes": [0.02, 1.5, 0.05], "intercepts": [-0.4, -0.5, -0.1],
        "feature_names": ["VMAF_integer_feature_adm2_score", "VMAF_integer_feature_motion2_score"],
        "feature_opts_dicts": [{"adm_enhn_gain_limit": 1.0}, {}],
        "model": "svm_type nu_svr\nkernel_type rbf\ngamma 0.05\nnr_class 2\ntotal_sv 2\nrho -1.25\nSV\n"
                 "0.75 1:0.5 2:0.25 \n-0.5 1:0.125 \n"}}


def toy_prediction(adm2, motion2):
    x = (1.5 * adm2 + -0.5, 0.05 * motion2 + -0.1)
    value = 0.75 * math.exp(-0.05 * ((x[0] - 0.5) ** 2 + (x[1] - 0.25) ** 2)) - 0.5 * math.exp(-0.05 * ((x[0] - 0.125) ** 2 + x[1] ** 2))
    return min(100.0, max(0.0, (value + 1.25 + 0.4) / 0.02))


@case
def model_files(folder):
    """A user's model file works, also under a path with a colon, plainly and escaped."""
    a, b = tiny_pair(folder)
    os.makedirs(folder + "/di:r")
    for path, text in ((folder + "/m.json", folder + "/m.json"), (folder + "/di:r/m.json", folder + "/di:r/m.json"),
                       (folder + "/di:r/m.json", folder + "/di\\:r/m.json")):
        with open(path, "w", encoding="ascii") as file:
            json.dump(toy_model(), file)
        report, _ = score(folder, a, b, "--model", "path=%s:name=toy" % text)
        for metrics in frames(report):
            want = toy_prediction(metrics["integer_adm2_egl_1"], metrics["integer_motion2"])
            check(abs(metrics["toy"] - want) <= 1e-12 * abs(want), "%s: %r, not %r", text, metrics["toy"], want)
        result = run([program("lockstep"), "score", a, b, "--model", "path=" + text, "--json", folder + "/l.json"])
        check(result.status == 0, "lockstep refuses it: %s", result.describe())


@case
def model_from_a_pipe(folder):
    """A model file that can be read once only: it is, and the scores are those of the same file on disk."""
    a, b = tiny_pair(folder)
    text = json.dumps(toy_model()).encode("ascii")
    with open(folder + "/m.json", "wb") as file:
        file.write(text)
    plain, _ = score(folder, a, b, "--model", "path=%s/m.json:name=toy" % folder)
    for name, arguments in (("vmaf", ["-r", a, "-d", b, "--json", "-o"]), ("lockstep", ["score", a, b, "--json"])):
        pipe, out = folder + "/" + name + ".fifo", folder + "/" + name + ".json"
        os.mkfifo(pipe)
        Writer(pipe, [text])
        result = run([program(name), *arguments, out, "--model", "path=%s:name=toy" % pipe, "--precision", "max"], timeout=20)
        check(result.status == 0, "%s: %s", name, result.describe())
        with open(out, encoding="utf-8") as file:
            piped = read_json(file.read(), out)
        check([m["toy"] for m in frames(piped)] == [m["toy"] for m in frames(plain)], "%s: other scores", name)


@case
@slow
def claimed_size(folder):
    """A stream that claims huge pictures and holds little takes little memory before it is refused."""
    fifos = [folder + "/" + side for side in ("a", "b")]
    for path in fifos:
        os.mkfifo(path)
    content = [b"YUV4MPEG2 W16384 H16384 F25:1 C444p16\nFRAME\n" + bytes(1 << 20)]
    status, err, peak = peak_memory([program("vmaf"), "-r", fifos[0], "-d", fifos[1], *map(str, features("psnr"))],
                                    lambda: [Writer(path, content) for path in fifos], 60)
    check(status not in (0, None) and status > 0 and "no whole frame" in err, "status %s: %s", status, err)
    check(peak < 300 << 20, "%d MB for pictures of 1,600 MB of which 1 MB came", peak >> 20)


@case
def bad_model_files(folder):
    """Not JSON, fields missing, wrong types, wild numbers: an error that names the file and the field."""
    a, b = tiny_pair(folder)
    path = folder + "/bad_model.json"

    def attempt(text, *words):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        refused(folder, a, b, "--model", "path=" + path, mentions=["bad_model.json", *words])

    for text in ("", "{", "not json", "[]", "3", "null", '"model_dict"', "{}", '{"model_dict": 3}', '{"model_dict": []}', "\0\1\2",
                 "[" * 5000, '{"0": {}}', '{"1": {"model_dict": {}}}', '{"model_dict": {}}'):
        attempt(text)
    for field in ("model_type", "norm_type", "slopes", "intercepts", "feature_names", "model"):
        model = toy_model()
        del model["model_dict"][field]
        attempt(json.dumps(model), field)
        for wrong in (3, None, {}, [[]], [None], "nosuch", [], True):
            model = toy_model()
            model["model_dict"][field] = wrong
            attempt(json.dumps(model), field)
    for field, wrong in (("feature_opts_dicts", 3), ("feature_opts_dicts", [3, {}]), ("feature_opts_dicts", [{}]),
                         ("feature_opts_dicts", [{"adm_enhn_gain_limit": [1]}, {}]), ("score_clip", [1]), ("score_clip", "x"),
                         ("score_clip", [100, "x"]), ("score_transform", 3), ("score_transform", {"p0": "x"}),
                         ("score_transform", {"enabled": True, "knots": [[1]]}), ("slopes", [1, 2]), ("intercepts", [1, 2, 3, 4]),
                         ("chroma_correction_parameter", "x")):
        model = toy_model()
        model["model_dict"][field] = wrong
        attempt(json.dumps(model), field)
    for damage in (("nu_svr", "nosuch"), ("rbf", "nosuch"), ("gamma 0.05", "gamma x"), ("total_sv 2", "total_sv 3"),
                   ("total_sv 2", "total_sv -1"), ("total_sv 2", "total_sv 99999999999"), ("SV\n", ""), ("1:0.5", "0:0.5"),
                   ("1:0.5", "99:0.5"), ("1:0.5", "1:"), ("1:0.5 2:0.25", "2:0.25 1:0.5"), ("rho -1.25", "rho"),
                   ("gamma 0.05", "gamma nan")):
        model = toy_model()
        model["model_dict"]["model"] = model["model_dict"]["model"].replace(*damage)
        attempt(json.dumps(model), "model")
    model = toy_model()
    model["model_dict"]["feature_names"][0] = "VMAF_integer_feature_nosuch_score"
    attempt(json.dumps(model), "nosuch")
    model = toy_model()
    model["model_dict"]["feature_opts_dicts"][0] = {"nosuch": 1}
    attempt(json.dumps(model), "nosuch")


def on_terminal(command, timeout=120):
    """Runs a command whose output is a terminal; returns (status, what it showed)."""
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    shown, end = b"", time.monotonic() + timeout
    while time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.2)
        if ready:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            shown += data
        elif process.poll() is not None:
            break
    os.close(master)
    return process.wait(timeout=20), shown.decode(errors="replace")


@case
def subsampling(folder):
    """--subsample 5 on 12 frames: frames 0, 5, 10; motion2 of the full rate; file, terminal and pooled values agree."""
    a, b = tiny_pair(folder, 12)
    asked = ["--model", "version=vmaf_v0.6.1", "--feature", "psnr", "--feature", "float_motion"]
    full, _ = score(folder, a, b, *asked)
    thin = [score(folder, a, b, *asked, "--subsample", "5", "--threads", n)[0] for n in ("1", "4")]
    check(scores_only(thin[0]) == scores_only(thin[1]), "1 and 4 threads differ")
    check([f["frameNum"] for f in thin[0]["frames"]] == [0, 5, 10], "frames: %s", [f["frameNum"] for f in thin[0]["frames"]])
    for frame in thin[0]["frames"]:
        check(frame["metrics"] == frames(full)[frame["frameNum"]], "frame %d differs from the full rate", frame["frameNum"])
    for name, pooled in thin[0]["pooled_metrics"].items():
        values = [f[name] for f in frames(thin[0])]
        check(pooled["mean"] == sum(values) / 3 and pooled["min"] == min(values) and pooled["max"] == max(values), "pooled %s", name)
    status, shown = on_terminal([program("vmaf"), "-r", a, "-d", b, "--model", "version=vmaf_v0.6.1", "--subsample", "5"])
    want = "%.6f" % thin[0]["pooled_metrics"]["vmaf"]["mean"]
    check(status == 0 and want in shown, "the terminal does not show %s: %r", want, shown[-300:])


@case
def comma_locale(folder):
    """A comma-decimal locale: numbers are read and written with points."""
    locale_folder = os.path.join(options.clips, "locale")
    if not os.path.exists(locale_folder + "/de_DE.UTF-8"):
        os.makedirs(locale_folder, exist_ok=True)
        made = run(["localedef", "-i", "de_DE", "-f", "UTF-8", locale_folder + "/de_DE.UTF-8"])
        check(os.path.exists(locale_folder + "/de_DE.UTF-8/LC_NUMERIC"), "localedef: %s", made.describe())
    # glibc never frees its copy of LOCPATH, which the leak check of a sanitized build would report.
    asan = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    german = {**os.environ, "LOCPATH": locale_folder, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "ASAN_OPTIONS": asan.lstrip(":")}
    shown = run(["/usr/bin/printf", "%.1f", "1,5"], env=german)
    check(shown.out == "1,5", "the locale has no effect here: %s", shown.describe())
    a, b = tiny_pair(folder)
    with open(folder + "/m.json", "w", encoding="ascii") as file:
        json.dump(toy_model(), file)
    asked = ["--feature", "adm=adm_enhn_gain_limit=1.25", "--feature", "motion=motion_fps_weight=0.5", "--model",
             "path=" + folder + "/m.json:name=toy", "--model", "version=vmaf_v0.6.1"]
    plain, _ = score(folder, a, b, *asked)
    comma, _ = score(folder, a, b, *asked, env=german)
    check(scores_only(plain) == scores_only(comma), "scores differ")
    for form in ("--xml", "--csv", "--sub"):
        texts = []
        for env in (None, german):
            result = vmaf(a, b, *features("psnr", "motion"), form, "-o", folder + "/r", env=env)
            check(result.status == 0, "refused: %s", result.describe())
            with open(folder + "/r", encoding="utf-8") as file:
                texts.append(re.sub(r'fps="[^"]*"', "", file.read()))
        check(texts[0] == texts[1], "%s differs", form)
    refused(folder, a, b, "--feature", "adm=adm_enhn_gain_limit=1,5", mentions=["adm_enhn_gain_limit"], env=german)
    outputs = [run([program("lockstep"), "score", a, b, "--json", "-"], env=env).out for env in (None, german)]
    values = [scores_only(read_json(text, "stdout")) for text in outputs]
    check(values[0] == values[1], "lockstep differs")


@case
def presets(folder):
    """Presets are known by name; one that needs a metric which is not part of the build is refused, never half done."""
    a, b = tiny_pair(folder)
    for flag, version in (("--aom_ctc", "v1.0"), ("--aom_ctc", "v6.0"), ("--aom_ctc", "v7.0"), ("--nflx_ctc", "v1.0")):
        result = vmaf(a, b, flag, version, "--json", "-o", folder + "/r.json")
        check(result.status == 0 or result.err.strip(), "no message: %s", result.describe())
        check((result.status == 0) == os.path.exists(folder + "/r.json"), "status and report disagree: %s", result.describe())
        if result.status == 0:
            os.unlink(folder + "/r.json")


@case
def frame_ranges(folder):
    """--frame_cnt, --frame_skip_ref and --frame_skip_dist take the frames they say."""
    a, b = Video(40, 36, frames=8, seed=22), Video(40, 36, frames=8, seed=23)
    ya, yb = a.y4m(folder + "/a.y4m"), b.y4m(folder + "/b.y4m")
    report, _ = score(folder, ya, yb, *features("psnr=enable_mse=true"), "--frame_cnt", 3, "--frame_skip_ref", 2, "--frame_skip_dist", 4)
    check(len(frames(report)) == 3, "%d frames", len(frames(report)))
    w, h = 40, 36
    for number, metrics in enumerate(frames(report)):
        x, y = a.frames[number + 2][0], b.frames[number + 4][0]
        check(metrics["mse_y"] == sum((p - q) ** 2 for p, q in zip(x, y)) / (w * h), "frame %d", number)
    report, result = score(folder, ya, yb, *features("psnr"), "--frame_skip_ref", 6)
    check(len(frames(report)) == 2, "%d frames", len(frames(report)))
    refused(folder, ya, yb, *features("psnr"), "--frame_skip_ref", 100)


# ---------------------------------------------------------------------------------------------------------------------
# Numbers


@case
def self_compare(folder):
    """A clip against itself: vmaf_v0.6.1 gives 97.428…, as the model says; psnr is at its cap."""
    still = Video(64, 48, samples=lambda n, p, x, y: (7 * x + 13 * y + ((x * y) >> 2)) & 255)
    path = still.y4m(folder + "/still.y4m")
    report, _ = score(folder, path, path, "--model", "version=vmaf_v0.6.1", "--feature", "psnr")
    for metrics in frames(report):
        check(str(metrics["vmaf"]).startswith("97.428"), "vmaf is %r", metrics["vmaf"])
        check(metrics["psnr_y"] == 60, "psnr_y is %r", metrics["psnr_y"])
    for depth, cap in ((8, 60), (10, 72), (12, 84), (16, 108)):
        a = Video(20, 18, 420, depth, 2, seed=depth)
        path = a.yuv(folder + "/same.yuv")
        report, _ = score(folder, path, path, *a.raw_arguments(), *features("psnr", "float_psnr"))
        for metrics in frames(report):
            for key in ("psnr_y", "psnr_cb", "psnr_cr", "float_psnr"):
                check(metrics[key] == cap, "%d bit: %s is %r, not %d", depth, key, metrics[key], cap)


@case
def pooling(folder):
    """mean, min, max, and harmonic mean n / sum(1 / (x + 1)) - 1, added in frame order."""
    a, b = tiny_pair(folder, 7)
    report, _ = score(folder, a, b, "--model", "version=vmaf_v0.6.1", "--feature", "psnr", "--feature", "vif=debug=true")
    for name, pooled in report["pooled_metrics"].items():
        values = [metrics[name] for metrics in frames(report)]
        total = inverse = 0.0
        for value in values:
            total += value
            inverse += 1.0 / (value + 1.0)
        want = {"min": min(values), "max": max(values), "mean": total / len(values), "harmonic_mean": len(values) / inverse - 1.0}
        check(pooled == want, "%s: %r, not %r", name, pooled, want)


@case
def infinities(folder):
    """Scores that are no number: JSON has null and a reason; XML, CSV and SUB parse."""
    flat = Video(48, 40, frames=2, samples=lambda *_: 128)
    path = flat.y4m(folder + "/flat.y4m")
    asked = features("adm=adm_noise_weight=0:debug=true", "motion")
    report, _ = score(folder, path, path, *asked)
    name = "integer_adm_scale0_nw_0"
    for metrics in frames(report):
        check(metrics[name] is None, "0/0 is %r", metrics[name])
        check(metrics["integer_adm2_nw_0"] == 1.0 and metrics["integer_aim_nw_0"] == 0.0, "adm2 and aim of a flat picture: %s", metrics)
    check("reason" in json.dumps(report["frames"][0]), "no reason: %s", report["frames"][0])
    for form in ("--xml", "--csv", "--sub", "--json"):
        result = vmaf(path, path, *asked, form, "-o", folder + "/r")
        check(result.status == 0, "refused: %s", result.describe())
        with open(folder + "/r", encoding="utf-8") as file:
            text = file.read()
        if form == "--xml":
            root = xml.etree.ElementTree.fromstring(text)
            check(math.isnan(float(root.find("frames/frame").get(name))), "XML: %s", text[:400])
        if form == "--csv":
            rows = list(csv.DictReader(io.StringIO(text)))
            check(math.isnan(float(rows[0][name])), "CSV: %s", text[:400])
        if form == "--json":
            read_json(text, path)
    result = run([program("lockstep"), "score", path, path, *asked[1:], "--json", "-"])
    check(result.status == 0, "refused: %s", result.describe())
    read_json(result.out, "stdout")


@case
def writers(folder):
    """XML, CSV, SUB and JSON hold the same values, and standard parsers read them."""
    a, b = tiny_pair(folder)
    asked = ["--model", "version=vmaf_v0.6.1", "--feature", "psnr", "--precision", "max"]
    report, _ = score(folder, a, b, *asked)
    texts = {}
    for form in ("xml", "csv", "sub"):
        result = vmaf(a, b, *asked, "--" + form, "-o", folder + "/r." + form)
        check(result.status == 0, "refused: %s", result.describe())
        with open(folder + "/r." + form, encoding="utf-8") as file:
            texts[form] = file.read()
    linted = run(["xmllint", "--noout", folder + "/r.xml"])
    check(linted.status == 0, "xmllint: %s", linted.describe())
    root = xml.etree.ElementTree.fromstring(texts["xml"])
    check(root.tag == "VMAF" and root.find("params").get("qualityWidth") == "40", "XML head: %s", texts["xml"][:200])
    from_xml = [{k: float(v) for k, v in f.attrib.items() if k != "frameNum"} for f in root.iter("frame")]
    check(from_xml == frames(report), "XML values differ")
    pooled = {m.get("name"): {k: float(v) for k, v in m.attrib.items() if k != "name"} for m in root.iter("metric")}
    check(pooled == report["pooled_metrics"], "XML pooled values differ")
    from_csv = [{k: float(v) for k, v in row.items() if k and k != "Frame"} for row in csv.DictReader(io.StringIO(texts["csv"]))]
    check(from_csv == frames(report), "CSV values differ")
    from_sub = []
    for line in texts["sub"].splitlines():
        head, *items = line.rstrip("|").split("|")
        check(re.fullmatch(r"\{\d+\}\{\d+\}frame: \d+", head), "SUB line: %s", line)
        from_sub.append({k: float(v) for k, v in (item.split(": ") for item in items)})
    check(from_sub == frames(report), "SUB values differ")
    for key in ("version", "fps", "frames", "pooled_metrics", "aggregate_metrics", "schema", "inputs", "decisions", "warnings"):
        check(key in report, "JSON has no '%s'", key)
    plain = vmaf(a, b, *asked[:-2], "--csv", "-o", folder + "/legacy.csv")
    check(plain.status == 0, "refused: %s", plain.describe())
    with open(folder + "/legacy.csv", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    check(re.fullmatch(r"\d+\.\d{6}", rows[1]["psnr_y"]), "default precision: %s", rows[1]["psnr_y"])
    check(rows[1]["psnr_y"] == "%.6f" % frames(report)[1]["psnr_y"], "default precision: %s", rows[1]["psnr_y"])
    digits, _ = score(folder, a, b, *asked[:-2], "--precision", "4")
    check(frames(digits)[1]["psnr_y"] == float("%.4g" % frames(report)[1]["psnr_y"]), "--precision 4")


@case
def thread_counts(folder):
    """1, 2, 4 and 0 threads: the same report, byte for byte but for the speed."""
    ref, dis = golden_clip("noise_64x64_420_8")
    texts = []
    for threads in ("1", "2", "4", "0"):
        path = folder + "/r.json"
        result = vmaf(ref, dis, "-w", 64, "-h", 64, "-p", 420, "-b", 8, "--model", "version=vmaf_b_v0.6.3", "--feature", "psnr",
                      "--feature", "float_motion", "--json", "-o", path, "--precision", "max", "--threads", threads)
        check(result.status == 0, "refused: %s", result.describe())
        with open(path, encoding="utf-8") as file:
            texts.append(re.sub(r'"fps": [^,\n]*', "", file.read()))
    check(len(set(texts)) == 1, "reports differ")


@case
def segments(folder):
    """Frames 4–7 of 8 as a segment: the bits of the whole run, because the segment has its lead-in."""
    a, b = Video(48, 40, frames=8, seed=24), Video(48, 40, frames=8, seed=25)
    ya, yb = a.y4m(folder + "/a.y4m"), b.y4m(folder + "/b.y4m")
    asked = ["--feature", "psnr", "--feature", "motion=motion_five_frame_window=true:motion_moving_average=true", "--feature", "motion",
             "--feature", "float_motion", "--feature", "vif", "--precision", "max"]

    def segment(*more):
        path = folder + "/s.json"
        result = run([program("lockstep"), "score", ya, yb, *asked, *more, "--json", path])
        check(result.status == 0, "refused: %s", result.describe())
        with open(path, encoding="utf-8") as file:
            return read_json(file.read(), path)

    whole = segment()
    check([f["frameNum"] for f in whole["frames"]] == list(range(8)), "frames of the whole: %s", len(whole["frames"]))
    for first, last in ((4, 8), (0, 3), (1, 2), (3, 7), (7, 8), (0, 8)):
        part = segment("--frames", "%d:%d" % (first, last))
        check(part["frames"] == whole["frames"][first:last], "frames %d to %d differ", first, last - 1)
    result = run([program("lockstep"), "score", ya, yb, "--frames", "20:30"])
    check(result.status != 0 and result.err.strip(), "a segment behind the end: %s", result.describe())


@case
def lists_and_help(folder):
    """lockstep features, lockstep models, versions and help say what there is."""
    for arguments, words in (([], ["psnr", "vif", "33x33"]), (["adm"], ["adm_csf_mode", "33x33"])):
        shown = run([program("lockstep"), "features", *arguments])
        check(shown.status == 0 and all(word in shown.out for word in words), "%s: %s", shown.describe(), shown.out)
    shown = run([program("lockstep"), "features", "--long"])
    check(shown.status == 0, "refused: %s", shown.describe())
    for word in ("psnr", "float_psnr", "motion", "float_motion", "vif", "adm", "adm_enhn_gain_limit", "33x33", "16x16", "uncapped"):
        check(word in shown.out, "'%s' is not listed", word)
    shown = run([program("lockstep"), "models"])
    check(shown.status == 0, "refused: %s", shown.describe())
    for word in ("vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_b_v0.6.3", "vmaf_v1.0.16_3d0h"):
        check(word in shown.out, "'%s' is not listed", word)
    for command in (["vmaf", "--version"], ["vmaf", "-v"], ["lockstep", "--version"], ["lockstep", "--help"], ["lockstep", "score", "--help"]):
        result = run([program(command[0]), *command[1:]])
        check(result.status == 0 and (result.out + result.err).strip(), "%s", result.describe())


@case
def lockstep_score(folder):
    """lockstep score: the engine of vmaf, raw files by long options, JSON to stdout, a summary for people."""
    a, b = Video(40, 36, 422, 10, 4, seed=26), Video(40, 36, 422, 10, 4, seed=27)
    ra, rb = a.yuv(folder + "/a.yuv"), b.yuv(folder + "/b.yuv")
    raw = ["--width", "40", "--height", "36", "--pixel-format", "422", "--bit-depth", "10"]
    plain, _ = score(folder, ra, rb, *a.raw_arguments(), "--feature", "psnr")
    result = run([program("lockstep"), "score", ra, rb, *raw, "--feature", "psnr", "--precision", "max", "--json", "-"])
    check(result.status == 0, "refused: %s", result.describe())
    check(scores_only(read_json(result.out, "stdout")) == scores_only(plain), "lockstep and vmaf differ")
    result = run([program("lockstep"), "score", ra, rb, *raw])
    check(result.status == 0, "refused: %s", result.describe())
    mean = plain["pooled_metrics"]["vmaf"]["mean"]
    check(any(form % mean in result.out for form in ("%.2f", "%.3f", "%.4f", "%.6f")), "the summary does not show %r: %s", mean, result.out)
    result = run([program("lockstep"), "score", ra, rb, "--width", "40"])
    check(result.status != 0 and result.err.strip(), "%s", result.describe())
    status, shown = on_terminal([program("lockstep"), "score", ra, rb, *raw])
    check(status == 0 and "VMAF" in shown, "on a terminal: %r", shown[-300:])


@case
def failed_run_keeps_old_report(folder):
    """A run that fails half-way leaves the report of an earlier run as it was."""
    a = Video(40, 36, frames=3, seed=28)
    good = a.y4m(folder + "/good.y4m")
    data = a.y4m_bytes()
    second = data.index(b"FRAME", data.index(b"FRAME") + 1)
    with open(folder + "/broken.y4m", "wb") as file:
        file.write(data[:second] + b"NOISE" + data[second + 5:])
    report = folder + "/r.json"
    result = vmaf(good, good, *features("psnr"), "--json", "-o", report)
    check(result.status == 0, "refused: %s", result.describe())
    with open(report, encoding="utf-8") as file:
        before = file.read()
    result = vmaf(good, folder + "/broken.y4m", *features("psnr"), "--json", "-o", report)
    check(result.status != 0, "lost framing is accepted: %s", result.describe())
    check_message(result, ["broken.y4m"])
    with open(report, encoding="utf-8") as file:
        check(file.read() == before, "the report was changed")
    left = set(os.listdir(folder)) - {"good.y4m", "broken.y4m", "r.json"}
    check(not left, "left behind: %s", left)


# ---------------------------------------------------------------------------------------------------------------------


def attempt(function):
    started = time.monotonic()
    problem = None
    with tempfile.TemporaryDirectory(prefix="lockstep-case-") as folder:
        try:
            function(folder)
        except Wrong as wrong:
            problem = str(wrong)
        except Exception:  # noqa: a broken test is a failed test
            problem = traceback.format_exc()
    return function, problem, time.monotonic() - started


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "release", "bin"))
    parser.add_argument("--clips", default=os.path.join(ROOT, "build", "clips"))
    parser.add_argument("--wheels", default=os.path.join(ROOT, ".env", "wheels"))
    parser.add_argument("--only", action="append", help="run the cases whose name contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sanitized", action="store_true", help="leave out what measures memory")
    parser.add_argument("--full", action="store_true", help="2,000 4K frames from a pipe as well")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = [c for c in CASES if not options.only or any(o in c.__name__ for o in options.only)]
    if options.sanitized:
        chosen = [c for c in chosen if not getattr(c, "slow", False)]
    if options.list:
        for function in chosen:
            print("%-28s %s" % (function.__name__, function.__doc__))
        return 0
    for name in ("vmaf", "lockstep"):
        if not os.access(program(name), os.X_OK):
            sys.exit("%s: no such program" % program(name))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for function, problem, seconds in pool.map(attempt, chosen):
            print("%s  %-28s %5.1f s" % ("FAIL" if problem else "ok  ", function.__name__, seconds))
            if problem:
                failed += 1
                print("    " + problem.replace("\n", "\n    "))
            sys.stdout.flush()
    print("cases: %d passed, %d failed" % (len(chosen) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
